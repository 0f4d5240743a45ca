"""The types of the values of a structured configuration, which turn what is written as text into a number."""

import dataclasses
import typing

from omegaconf.errors import ValidationError

_NAMED = {"int": int, "float": float, "str": str, "bool": bool}
_TRUTHS = {"yes": True, "y": True, "on": True, "true": True, "1": True}
_FALSITIES = {"no": False, "n": False, "off": False, "false": False, "0": False}


def types_of(content):
    """Return the annotations of a dataclass by name; nothing else has types."""
    if not dataclasses.is_dataclass(content):
        return {}
    return {field.name: _NAMED.get(field.type, field.type) for field in dataclasses.fields(content)}


def converted(annotation, value):
    """Return a value as the type that it is kept as."""
    if value is None or (isinstance(value, str) and (value == "???" or "${" in value)):
        return value
    if typing.get_origin(annotation) is typing.Union:
        choices = [each for each in typing.get_args(annotation) if each is not type(None)]
        return converted(choices[0], value) if len(choices) == 1 else value
    if annotation not in (int, float, str, bool):
        return value
    try:
        return _simple(annotation, value)
    except (TypeError, ValueError, KeyError):
        raise ValidationError(f"Value {value!r} could not be converted to {annotation.__name__}") from None


def _simple(annotation, value):
    if annotation is bool and isinstance(value, str):
        return {**_TRUTHS, **_FALSITIES}[value.lower()]
    if annotation is int and isinstance(value, (float, bool)):
        raise ValueError(value)
    return annotation(value)
