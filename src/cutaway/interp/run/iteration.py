"""Iteration over values of the target: in a reproducible order, with each step counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cutaway.core.unknown import Unknown
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


def counted(items: Any) -> Iterable[Any]:
    """Return an iterable for host code: the items are counted up front, or each as a step as it is produced."""
    if type(items) in _SIZED:
        build(len(items))
        return in_order(items)  # type: ignore[no-any-return]
    return _each(iter(items))


def _each(items: Iterator[Any]) -> Iterator[Any]:
    for item in items:
        tick()
        yield item
