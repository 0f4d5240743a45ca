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
from cutaway.interp.boundary.attributes import get_attribute
from cutaway.interp.boundary.gate import DENIED, is_host_class
from cutaway.interp.stdlib.reflection import field_annotations as field_annotations
from cutaway.knowledge.base import copying

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
    if name in DENIED or name in ("__class__", "__dict__", "__mro__"):
        raise InvalidField(f"a field named {name} is not supported")
    return name


# What reads the fields of an object by their names does so as the target may.


def _fields_of(value: Any, function: str) -> tuple[Any, ...]:
    if isinstance(value, type) or not hasattr(type(value), "__dataclass_fields__"):
        raise TypeError(f"{function}() should be called on dataclass instances")
    return dataclasses.fields(value)


def asdict(obj: Any, *, dict_factory: Any = dict) -> Any:
    """`dataclasses.asdict`."""
    if type(obj) is Unknown:
        return derived_unknown(obj)
    _fields_of(obj, "asdict")
    return _converted(obj, dict_factory)


def astuple(obj: Any, *, tuple_factory: Any = tuple) -> Any:
    """`dataclasses.astuple`."""
    if type(obj) is Unknown:
        return derived_unknown(obj)
    _fields_of(obj, "astuple")
    return _converted(obj, lambda pairs: tuple_factory([item for _, item in pairs]))


def _converted(value: Any, make: Any) -> Any:
    """Return a value with the data classes in it converted, and everything else copied."""
    kind = type(value)
    if kind is Unknown or kind in (int, float, bool, str, type(None)):
        return value
    if not isinstance(value, type) and hasattr(kind, "__dataclass_fields__"):
        pairs = [(f.name, _converted(get_attribute(value, f.name), make)) for f in dataclasses.fields(value)]
        return make(pairs)
    if isinstance(value, tuple) and hasattr(kind, "_fields"):
        return kind(*[_converted(item, make) for item in value])
    if isinstance(value, (list, tuple)):
        return kind(_converted(item, make) for item in value)  # type: ignore[call-arg]
    if isinstance(value, dict):
        pairs = [(_converted(key, make), _converted(item, make)) for key, item in value.items()]
        if not hasattr(kind, "default_factory"):
            return kind(pairs)
        result = kind(value.default_factory)  # type: ignore[attr-defined]
        result.update(pairs)
        return result
    return copying.deepcopy(value)


def replace(obj: Any, /, **changes: Any) -> Any:
    """`dataclasses.replace`."""
    if type(obj) is Unknown:
        return derived_unknown(obj)
    _fields_of(obj, "replace")
    for item in type(obj).__dataclass_fields__.values():
        if item._field_type is dataclasses._FIELD_CLASSVAR:  # type: ignore[attr-defined]
            continue
        if not item.init:
            if item.name in changes:
                raise ValueError(
                    f"field {item.name} is declared with init=False, it cannot be specified with replace()"
                )
            continue
        if item.name not in changes:
            if item._field_type is dataclasses._FIELD_INITVAR and item.default is dataclasses.MISSING:  # type: ignore[attr-defined]
                raise ValueError(f"InitVar {item.name!r} must be specified with replace()")
            changes[item.name] = get_attribute(obj, item.name)
    return type(obj)(**changes)
