"""The newer name of attr."""

from attr import (
    NOTHING,
    Attribute,
    Factory,
    asdict,
    astuple,
    converters,
    define,
    evolve,
    exceptions,
    field,
    fields,
    fields_dict,
    frozen,
    has,
    mutable,
    validators,
)
