"""Formatting of texts whose layout the target chose: `str.format`, `%`, f-strings and `string.Formatter`."""

from __future__ import annotations

import string
import types
from collections.abc import Mapping, Sequence
from typing import Any

from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Unknown, other_than_truth
from cutaway.interp.boundary.attributes import expose, get_attribute, special_reader
from cutaway.interp.boundary.string_limits import is_wide, too_wide_string
from cutaway.interp.run.budget import ELEMENTS


class UnknownText(Exception):
    """A part of the text is unknown, and so the whole is."""

    def __init__(self, unknown: Unknown) -> None:
        super().__init__(unknown.reason)
        self.unknown = unknown


class Formatter(string.Formatter):
    """`string.Formatter`, reading attributes as the target may."""

    def get_field(self, field_name: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Return the object that a replacement field names, and the argument it starts from."""
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
            raise UnknownText(value)
        return super().convert_field(value, conversion)

    def format_field(self, value: Any, format_spec: str) -> Any:
        """Lay out one value."""
        if type(value) is Unknown:
            raise UnknownText(value)
        if is_wide(format_spec):
            raise UnknownText(too_wide_string())
        if isinstance(value, Dim):
            if format_spec:
                raise UnknownText(Unknown("text of a size that is no number"))
            return str(value)
        return format(value, format_spec)

    def vformat(self, format_string: str, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Format a text, or return why that is not known."""
        try:
            return super().vformat(format_string, args, kwargs)
        except UnknownText as found:
            return Unknown("text made of an unknown value", found.unknown.place)


def _split(name: str) -> tuple[Any, list[tuple[bool, Any]]]:
    """Split `0.attr[key]` into its first part and the accesses behind it."""
    first, rest = string._string.formatter_field_name_split(name)  # type: ignore[attr-defined]
    return first, list(rest)


_FORMATTER = Formatter()


def format_text(text: Any, args: Sequence[Any], kwargs: Any) -> Any:
    """`text.format(*args, **kwargs)`; `text.format_map(kwargs)` where there are no other arguments."""
    if type(text) is Unknown:
        return other_than_truth(text)
    for value in (*args, *(kwargs.values() if type(kwargs) is dict else ())):
        if type(value) is Unknown:
            return Unknown("text made of an unknown value", value.place)
    longest = max((len(value) for value in args if isinstance(value, (str, bytes))), default=0)
    if text.count("{") * longest > ELEMENTS:
        return too_wide_string()
    if type(text) is str and type(kwargs) is dict and not any(mark in text for mark in ".[:!"):
        return text.format(*args, **kwargs)
    return _FORMATTER.vformat(text, args, kwargs)


@special_reader("format", "format_map")
def _formatting(value: Any, name: str, found: Any) -> Any:
    """`str.format` and `str.format_map`: the attributes that a text names are the target's to have or not."""
    if type(found) is types.BuiltinFunctionType and issubclass(type(found.__self__), str):
        text = found.__self__
        if name == "format":
            return lambda *args, **kwargs: format_text(text, args, kwargs)
        return lambda mapping: format_text(text, (), mapping)
    if type(found) is types.MethodDescriptorType and found.__objclass__ is str:
        if name == "format":
            return lambda text, *args, **kwargs: format_text(text, args, kwargs)
        return lambda text, mapping: format_text(text, (), mapping)
    return expose(found)
