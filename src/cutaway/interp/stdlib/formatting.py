"""Formatting of strings by the target: `str.format`, `str.format_map` and `string.Formatter`."""

from __future__ import annotations

import string
import types
from collections.abc import Mapping, Sequence
from typing import Any

from cutaway.core.admission import admit
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Unknown, derived_unknown
from cutaway.interp.boundary.attributes import get_attribute, special_reader
from cutaway.interp.boundary.string_limits import is_wide, size_in_string, text_of, too_wide_string
from cutaway.interp.run.budget import ELEMENTS


class UnknownPart(Exception):
    """A part of a string is unknown, so the whole string is."""

    def __init__(self, unknown: Unknown) -> None:
        super().__init__(unknown.reason)
        self.unknown = unknown


class Formatter(string.Formatter):
    """`string.Formatter`; attributes are read under the target's restrictions."""

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the object that a replacement field refers to, and the argument it starts from."""
        first, rest = _split(field_name)
        value = self.get_value(first, args, kwargs)
        for is_attribute, part in rest:
            value = get_attribute(value, part) if is_attribute else value[part]
            if type(value) is Unknown:
                break
        return value, first

    def convert_field(self, value: Any, conversion: Any) -> Any:
        """Apply `!r`, `!s` or `!a`."""
        if type(value) is Unknown:
            raise UnknownPart(value)
        return _known(text_of(lambda value: super(Formatter, self).convert_field(value, conversion), value))

    def format_field(self, value: Any, format_spec: str) -> Any:
        """Format one value."""
        if type(value) is Unknown:
            raise UnknownPart(value)
        if is_wide(format_spec):
            raise UnknownPart(too_wide_string())
        if isinstance(value, Dim):
            if format_spec:
                raise UnknownPart(Unknown("a formatted string of a symbolic size"))
            return size_in_string(value)
        return _known(text_of(lambda value: format(value, format_spec), value))

    def vformat(self, format_string: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the formatted string, or an unknown with the reason why not."""
        try:
            return super().vformat(format_string, args, kwargs)
        except UnknownPart as error:
            return Unknown("a string built from an unknown value", error.unknown.place)


def _known(text: Any) -> Any:
    if type(text) is Unknown:
        raise UnknownPart(text)
    return text


def _split(name: str) -> tuple[Any, list[tuple[bool, Any]]]:
    """Split `0.attr[key]` into its first part and the accesses that follow."""
    first, rest = string._string.formatter_field_name_split(name)  # type: ignore[attr-defined]
    return first, list(rest)


_FORMATTER = Formatter()


def format_template(template: Any, args: Sequence[Any], kwargs: Any) -> Any:
    """`template.format(*args, **kwargs)`, and `template.format_map(kwargs)` if `args` is empty."""
    if type(template) is Unknown:
        return derived_unknown(template)
    for value in (*args, *(kwargs.values() if type(kwargs) is dict else ())):
        if type(value) is Unknown:
            return Unknown("a string built from an unknown value", value.place)
    longest = max((len(value) for value in args if isinstance(value, (str, bytes))), default=0)
    if template.count("{") * longest > ELEMENTS:
        return too_wide_string()
    if type(template) is str and type(kwargs) is dict and not any(mark in template for mark in ".[:!"):
        return text_of(lambda values: template.format(*args, **kwargs), [*args, *kwargs.values()])
    return _FORMATTER.vformat(template, args, kwargs)


@special_reader("format", "format_map")
def _formatting(owner: Any, name: str, value: Any) -> Any:
    """`str.format` and `str.format_map`: a template may name attributes, which are read under the target's restrictions."""
    if type(value) is types.BuiltinFunctionType and issubclass(type(value.__self__), str):
        template = value.__self__
        if name == "format":
            return lambda *args, **kwargs: format_template(template, args, kwargs)
        return lambda mapping: format_template(template, (), mapping)
    if type(value) is types.MethodDescriptorType and value.__objclass__ is str:
        if name == "format":
            return lambda template, /, *args, **kwargs: format_template(template, args, kwargs)
        return lambda template, mapping: format_template(template, (), mapping)
    return admit(value)
