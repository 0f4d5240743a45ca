"""Data classes of the target.

The standard library creates the methods of a data class by executing source that contains the names of
its fields, so a class is accepted only if all of them are plain identifiers.
"""

from __future__ import annotations

import dataclasses
import keyword
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown, derived_unknown
from cutaway.interp.boundary.attributes import is_host_class
from cutaway.interp.stdlib.reflection import field_annotations as field_annotations

# Attributes of a metaclass that could make a class show different fields each time they are read.
_METACLASS_HOOKS = (
    "__dict__",
    "__getattribute__",
    "__getattr__",
    "__annotations__",
    "__dataclass_fields__",
    "__annotate__",
)


class InvalidField(TypeError):
    """A field is not valid, such as one whose name is not an identifier."""


def dataclass(cls: Any = None, /, **options: Any) -> Any:
    """`dataclasses.dataclass`."""
    return (lambda c: _process(c, options)) if cls is None else _process(cls, options)


def make_dataclass(cls_name: Any, fields: Any, *, bases: Any = (), **options: Any) -> Any:
    """`dataclasses.make_dataclass`."""
    for value in (cls_name, fields, bases):
        if type(value) is Unknown:
            return derived_unknown(value)
    plain: list[Any] = []
    for item in fields:
        name, *rest = (item,) if isinstance(item, str) else tuple(item)
        plain.append((_check_name(name), *rest) if rest else _check_name(name))
    for base in bases:
        _check_fields(base)
    options.pop("module", None)
    return dataclasses.make_dataclass(str.__str__(cls_name), plain, bases=tuple(bases), **options)


def _process(cls: Any, options: dict[str, Any]) -> Any:
    if type(cls) is Unknown:
        return derived_unknown(cls)
    if is_host_class(cls):
        return session.current().unknown(
            f"{cls.__qualname__} is a class of the host: it is not turned into a data class"
        )
    _check_fields(cls)
    # Annotations may be strings; `dataclasses` looks up names such as `ClassVar` in them in the module of the class.
    name, cls.__module__ = cls.__module__, field_annotations.__name__
    try:
        result = dataclasses.dataclass(**options)(cls)
    finally:
        cls.__module__ = name
    result.__module__ = name
    return result


def _check_fields(subclass: type) -> None:
    """Raise `InvalidField` unless the names of all fields of the class, inherited ones included, are identifiers."""
    for cls in type.mro(subclass) if isinstance(subclass, type) else ():
        for meta in type.mro(type(cls)):
            if not is_host_class(meta) and any(name in meta.__dict__ for name in _METACLASS_HOOKS):
                raise InvalidField(
                    f"the fields of {cls!r} can't be determined: its metaclass overrides attribute access"
                )
        variables = type.__dict__["__dict__"].__get__(cls)
        for key in ("__annotations__", "__dataclass_fields__"):
            table = variables.get(key, {})
            if type(table) is not dict:
                raise InvalidField(f"{key} of {cls.__name__} is not a dict")
            for name in table:
                _check_name(name)
        for item in variables.get("__dataclass_fields__", {}).values():
            if type(item) is not dataclasses.Field:
                raise InvalidField(f"a field of {cls.__name__} is not a dataclasses.Field")
            _check_name(item.name)


def _check_name(name: Any) -> str:
    if type(name) is not str or not name.isidentifier() or keyword.iskeyword(name):
        raise InvalidField(f"Field names must be valid identifiers: {name!r}")
    return name
