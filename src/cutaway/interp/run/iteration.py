"""Iteration over values of the target: in a reproducible order, with each step counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp.run.budget import build, tick

_SETS = frozenset((set, frozenset))


def in_order(items: Any) -> Any:
    """Return what to iterate over: the items themselves, or a sorted list for a set of strings.

    Python iterates over such a set in a different order in each run of a program; results must not depend on it.
    """
    if type(items) in _SETS and len(items) > 1 and all(type(item) is str for item in items):
        return sorted(items)
    return items


def is_iterable(value: Any) -> bool:
    """Tell by its class whether a value can be iterated over."""
    kind = type(value)
    return kind is list or kind is tuple or hasattr(kind, "__iter__") or hasattr(kind, "__getitem__") or kind is Unknown


_SIZED = frozenset((list, tuple, dict, set, frozenset, str, bytes, bytearray, range))


MOST_UNKNOWN = 64
"""Unknown items in a row after which it is unknown whether there is an end: the method that returns them may not know."""


def counted(items: Any) -> Iterable[Any]:
    """Return an iterable for host code: the items are counted up front, or each as a step as it is produced."""
    if type(items) in _SIZED:
        build(len(items))
        return in_order(items)  # type: ignore[no-any-return]
    return _each(iter(items))


def _each(items: Iterator[Any]) -> Iterator[Any]:
    unknown = 0
    for item in items:
        tick()
        unknown = unknown + 1 if type(item) is Unknown else 0
        if unknown > MOST_UNKNOWN:
            raise Undecidable(item)
        yield item
