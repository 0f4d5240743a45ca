"""Data classes of the target.

The standard library makes a data class's methods by executing text that the names of its fields are
put into, so a class is let through only if every one of them is a plain identifier.
"""

from __future__ import annotations

import dataclasses
import keyword
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown, other_than_truth
from cutaway.interp.boundary.attributes import is_host_class
from cutaway.interp.stdlib.reflection import field_annotations as field_annotations

# What a metaclass could answer with something else each time it is asked.
_ANSWERS = ("__dict__", "__getattribute__", "__getattr__", "__annotations__", "__dataclass_fields__", "__annotate__")


class NotAField(TypeError):
    """A field has a name that is no identifier."""


def dataclass(cls: Any = None, /, **options: Any) -> Any:
    """`dataclasses.dataclass`."""
    return (lambda c: _process(c, options)) if cls is None else _process(cls, options)


def make_dataclass(cls_name: Any, fields: Any, *, bases: Any = (), **options: Any) -> Any:
    """`dataclasses.make_dataclass`."""
    for value in (cls_name, fields, bases):
        if type(value) is Unknown:
            return other_than_truth(value)
    plain: list[Any] = []
    for item in fields:
        name, *rest = (item,) if isinstance(item, str) else tuple(item)
        plain.append((_name(name), *rest) if rest else _name(name))
    for base in bases:
        _check(base)
    options.pop("module", None)
    return dataclasses.make_dataclass(str.__str__(cls_name), plain, bases=tuple(bases), **options)


def _process(cls: Any, options: dict[str, Any]) -> Any:
    if type(cls) is Unknown:
        return other_than_truth(cls)
    if is_host_class(cls):
        return session.current().unknown(f"{cls.__qualname__} is the host's own class: no data class is made of it")
    _check(cls)
    # Annotations may be text; dataclasses looks in the class's module what `ClassVar` in them means.
    name, cls.__module__ = cls.__module__, field_annotations.__name__
    try:
        made = dataclasses.dataclass(**options)(cls)
    finally:
        cls.__module__ = name
    made.__module__ = name
    return made


def _check(cls: type) -> None:
    """Raise `NotAField` unless every field that the class has or inherits has an identifier for a name."""
    for kind in type.mro(cls) if isinstance(cls, type) else ():
        for meta in type.mro(type(kind)):
            if not is_host_class(meta) and any(name in meta.__dict__ for name in _ANSWERS):
                raise NotAField(f"the fields of {kind!r} are not those that it shows")
        variables = type.__dict__["__dict__"].__get__(kind)
        for key in ("__annotations__", "__dataclass_fields__"):
            table = variables.get(key, {})
            if type(table) is not dict:
                raise NotAField(f"{key} of {kind.__name__} is not a dict")
            for name in table:
                _name(name)
        for item in variables.get("__dataclass_fields__", {}).values():
            if type(item) is not dataclasses.Field:
                raise NotAField(f"a field of {kind.__name__} is not one")
            _name(item.name)


def _name(name: Any) -> str:
    if type(name) is not str or not name.isidentifier() or keyword.iskeyword(name):
        raise NotAField(f"Field names must be valid identifiers: {name!r}")
    return name
