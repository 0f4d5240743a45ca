"""Attributes of pickled objects as settings: numbers, strings, names of classes and functions, and lists and dicts of these."""

from __future__ import annotations

from typing import Any

from cutaway.core.architecture import Setting
from cutaway.core.error import one_line
from cutaway.formats import pickle_machine
from cutaway.formats.pickle_machine import Made, Name, Table

_LONGEST = 64
_LONGEST_STRING = 300
_DEEPEST = 4


class NotPlain(ValueError):
    """A value is more than a setting says."""


def setting(value: Any, depth: int = 0) -> Setting:
    """Return the setting that a value is; `NotPlain` is raised where it is none."""
    if value is None or type(value) in (bool, float) or (type(value) is int and abs(value) < 1 << 64):
        return value  # type: ignore[no-any-return]
    if type(value) is str and len(value) <= _LONGEST_STRING:
        return value
    if depth > _DEEPEST:
        raise NotPlain
    if isinstance(value, (list, tuple)) and len(value) <= _LONGEST:
        return [setting(each, depth + 1) for each in value]
    if isinstance(value, Name):
        return {"name": one_line(str(value)).removeprefix("__builtin__.")}
    if isinstance(value, Table) or (isinstance(value, Made) and value.pairs.pairs):
        return _entries(pickle_machine.entries(value) or {}, depth)
    if isinstance(value, Made):
        return _object(value, depth)
    raise NotPlain


def _entries(held: dict[str, Any], depth: int) -> Setting:
    if len(held) > _LONGEST:
        raise NotPlain
    return {key: setting(each, depth + 1) for key, each in held.items()}


def _object(value: Made, depth: int) -> Setting:
    maker = str(value.maker)
    if maker == "functools.partial" and isinstance(value.state, tuple) and len(value.state) > 2:
        function, given, named = value.state[:3]
        described: dict[str, Setting] = {"partial": setting(function, depth + 1)}
        if given:
            described["args"] = setting(given, depth + 1)
        for key, each in (pickle_machine.entries(named) or {}).items():
            described[key] = setting(each, depth + 1)
        return described
    listed = pickle_machine.members(value)
    if not listed:
        raise NotPlain
    return setting(listed, depth)
