"""Which of many objects may have changed since their contents were saved, found out for groups of them at once.

A state of a program has thousands of objects, of which hardly any changes between two comparisons. So the values of many
objects are compared in one go, by identity, and only the objects of a group that differs are looked at.
"""

from __future__ import annotations

import types
from collections import OrderedDict
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from itertools import chain, repeat
from operator import is_
from typing import Any, NamedTuple, Protocol

from cutaway.interp.run.memory.contents import (
    CONTAINERS,
    MISSING,
    Contents,
    Part,
    ancestors,
    slot_value,
    slots_of,
    variables_of,
)

_GROUP = 32
"""Objects that are compared at once."""

_flat = chain.from_iterable
Saved = Mapping[int, tuple[Any, Contents]]


class _Test(Protocol):
    def __call__(self) -> bool:
        """Tell whether the objects of a group certainly are what they were."""


class _Group(NamedTuple):
    keys: list[int]
    is_unchanged: _Test


class ChangeDetector:
    """The objects whose contents have been saved, in groups; `others` are those that are in none."""

    __slots__ = ("_groups", "others", "positions")

    def __init__(self, saved: Saved) -> None:
        self.positions = {key: at for at, key in enumerate(saved)}
        self._groups: list[_Group] = []
        by_kind: dict[Any, list[tuple[int, Any, Any]]] = {}
        for key, (value, parts) in saved.items():
            kind: Any = type(value)
            if kind in (dict, OrderedDict) and not value and not parts[0].keys:
                kind = "empty"
            elif kind is types.FunctionType and parts[1].keys:
                continue
            by_kind.setdefault(kind, []).append((key, value, parts))
        for kind, entries in by_kind.items():
            make = _test_for(kind)
            for start in range(0, len(entries), _GROUP) if make is not None else ():
                keys, values, contents = map(list, zip(*entries[start : start + _GROUP]))
                test = make(values, contents) if make is not None else None
                if test is not None:
                    self._groups.append(_Group(keys, test))
        grouped = set(_flat(group.keys for group in self._groups))
        self.others = [key for key in saved if key not in grouped]

    def suspects(self) -> list[int]:
        """Return the identities of the objects of groups that are not certainly what they were."""
        return [key for keys, is_unchanged in self._groups if not is_unchanged() for key in keys]


Make = Callable[[list[Any], list[Any]], "_Test | None"]
"""Returns a test for some objects with their saved contents, None where they can't be tested together."""


def _test_for(kind: Any) -> Make | None:
    if kind == "empty":
        return lambda values, _contents: lambda: not any(values)
    if kind is dict or kind is OrderedDict:
        return lambda values, contents: _dicts(values, [parts[0] for parts in contents], kind.values)
    if kind is set:
        return lambda values, contents: _sequences(values, [parts[0] for parts in contents], set.__iter__)
    if issubclass(kind, type):
        return _classes
    if issubclass(kind, types.FunctionType):
        return lambda values, _contents: lambda: not any(value.__dict__ for value in values)
    is_list = issubclass(kind, list)
    if kind.__module__ == "numpy" or (issubclass(kind, tuple(CONTAINERS)) and not is_list):
        return None
    return lambda values, contents: _instances(kind, is_list, values, contents)


def _same(now: Iterable[Any], before: list[Any]) -> bool:
    return all(map(is_, now, before))


def _dicts(values: list[Any], parts: list[Part], read: Callable[[Any], Iterable[Any]]) -> _Test:
    counts = [len(part.keys) for part in parts]
    keys, items = list(_flat(part.keys for part in parts)), list(_flat(part.values for part in parts))

    def test() -> bool:
        return (
            list(map(len, values)) == counts and _same(_flat(map(read, values)), items) and _same(_flat(values), keys)
        )

    return test


def _sequences(
    values: list[Any], parts: list[Part], read: Callable[[Any], Iterable[Any]], length: Callable[[Any], int] = len
) -> _Test:
    counts, items = [len(part.values) for part in parts], list(_flat(part.values for part in parts))
    return lambda: list(map(length, values)) == counts and _same(_flat(map(read, values)), items)


def _classes(values: list[Any], contents: list[Any]) -> _Test | None:
    tables = [dict(variables_of(cls)) for cls in values]
    for table, parts in zip(tables, contents):
        saved = dict(zip(parts[0].keys, parts[0].values))
        own = [name for name in table if name not in ("__dict__", "__weakref__")]
        if len(own) != len(saved) or any(saved.get(name, MISSING) is not table[name] for name in own):
            return None
    counts, keys = list(map(len, tables)), list(_flat(tables))
    items = list(_flat(table.values() for table in tables))

    def test() -> bool:
        now = list(map(variables_of, values))
        are_as_many = list(map(len, now)) == counts
        return are_as_many and _same(_flat(table.values() for table in now), items) and _same(_flat(now), keys)

    return test


def _instances(kind: type, is_list: bool, values: list[Any], contents: list[Any]) -> _Test | None:
    """Return a test for objects with items, slots and variables, of which each may be missing."""
    slots = slots_of(kind)
    has_dict = any("__dict__" in variables_of(cls) for cls in ancestors(kind))
    if any(len(parts) != is_list + bool(slots) + has_dict for parts in contents):
        return None
    tests: list[_Test] = [lambda: all(map(is_, map(type, values), repeat(kind)))]
    if is_list:
        tests.append(_sequences(values, [parts[0] for parts in contents], list.__iter__, list.__len__))
    if slots:
        tests += _columns(slots, values, [parts[is_list] for parts in contents])
    if has_dict:
        tables = _tables(values)
        if tables is None:
            return None
        tests.append(lambda: _same(map(_VARIABLES, values, _NAME), tables))
        tests.append(_dicts(tables, [parts[-1] for parts in contents], dict.values))

    def test() -> bool:
        try:
            return all(inner() for inner in tests)
        except (AttributeError, TypeError):  # one of them is not set, or an object has another class now
            return False

    return test


_VARIABLES, _NAME = object.__getattribute__, repeat("__dict__")


def _tables(values: list[Any]) -> list[Any] | None:
    try:
        tables = list(map(_VARIABLES, values, _NAME))
    except AttributeError:
        return None
    return tables if all(type(table) is dict for table in tables) else None


def _columns(slots: list[Any], values: list[Any], parts: list[Part]) -> list[_Test]:
    tests: list[_Test] = []
    for slot, column in zip(slots, map(list, zip(*(part.values for part in parts)))):
        read = slot.__get__ if all(item is not MISSING for item in column) else partial(slot_value, slot)
        tests.append(lambda read=read, column=column: _same(map(read, values), column))  # type: ignore[misc]
    return tests
