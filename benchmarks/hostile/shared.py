"""What a target can change that was there before its analysis, and so would still be changed in the next one.

The walk is that of the inventory, and goes on into Cutaway's own objects: every list, dict and set that it meets must be
new, and of the classes, functions and objects that are not, none may keep an attribute that the target sets.
"""

from __future__ import annotations

import gc
import types
from collections import Counter, deque
from contextlib import suppress
from typing import Any

from benchmarks.hostile.inventory import _attempt, starting_points
from cutaway.core.admission import admit
from cutaway.core.unknown import Unknown
from cutaway.interp.analysis.options import Options
from cutaway.interp.analysis.single_run import _new_analysis
from cutaway.interp.boundary.attributes import get_attribute, set_attribute

_CONTAINERS = (list, dict, set, bytearray, deque)
_LEAVES = (
    int, float, str, bytes, types.MethodWrapperType, types.WrapperDescriptorType, types.BuiltinFunctionType,
    types.MethodDescriptorType, types.GetSetDescriptorType, types.MemberDescriptorType,
)  # fmt: skip
_DEPTH = 4
_OF_A_KIND = 12
_MARK = "hostile_mark"


def _existing() -> dict[int, Any]:
    """Return every object that there is, by its identity."""
    tracked = gc.get_objects()
    found = {id(value): value for value in tracked}
    for value in tracked:
        for part in gc.get_referents(value):  # a dict of plain values is not tracked
            found.setdefault(id(part), part)
    return found


class Walk:
    """A walk from every name that a target can use, through all attributes and items."""

    def __init__(self) -> None:
        self.met: dict[int, tuple[str, Any]] = {}
        self._counts: Counter[Any] = Counter()

    def walk(self) -> None:
        """Meet everything, nearest first."""
        waiting = deque((way, value, _DEPTH) for way, value in starting_points())
        while waiting:
            way, value, left = waiting.popleft()
            value = admit(value)
            if type(value) is Unknown or id(value) in self.met:
                continue
            self.met[id(value)] = way, value
            if left and not isinstance(value, _LEAVES) and self._is_new_kind(value):
                waiting.extend((step, part, left - 1) for step, part in self._parts(way, value))

    def _is_new_kind(self, value: Any) -> bool:
        if isinstance(value, type):
            return True
        key = getattr(getattr(value, "__func__", value), "__code__", type(value))
        self._counts[key] += 1
        return self._counts[key] <= (400 if isinstance(value, (dict, list, tuple)) else _OF_A_KIND)

    def _parts(self, way: str, value: Any) -> Any:
        names: set[Any] = set()
        with suppress(Exception):
            names.update(dir(value))
        with suppress(Exception):
            names.update(vars(value))
        for name in sorted(name for name in names if isinstance(name, str)):
            yield from _attempt(f"{way}.{name}", lambda name=name: get_attribute(value, name))
        for _, items in _attempt(way, lambda: _items(value)):
            yield from ((f"{way}[...]", item) for item in items)


def _items(value: Any) -> list[Any]:
    if isinstance(value, (dict, types.MappingProxyType)):
        return list(value.values())[:300]
    return list(value)[:50] if isinstance(value, (list, tuple, set, frozenset)) else []


def lasting_changes() -> dict[str, str]:
    """Return what a target can change for good, each with the way that leads there."""
    with _new_analysis(Options(seconds=600)):
        list(starting_points())  # what is made when it is first asked for is there afterwards
    existing = _existing()
    changes: dict[str, str] = {}
    walk = Walk()
    with _new_analysis(Options(seconds=600)):
        walk.walk()
        for identity, (way, value) in walk.met.items():
            if identity not in existing:
                continue
            if isinstance(value, _CONTAINERS):
                changes[f"{type(value).__name__} {str(value)[:60]}"] = way
            else:
                with suppress(BaseException):
                    set_attribute(value, _MARK, 1)
    for identity, (way, value) in walk.met.items():
        variables = getattr(value, "__dict__", None) if identity in existing else None
        if isinstance(variables, (dict, types.MappingProxyType)) and _MARK in variables:
            changes[repr(value)[:80]] = way
    return changes
