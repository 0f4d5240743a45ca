"""Iteration over values of the target: in a reproducible order, with each step counted."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from operator import length_hint
from types import GeneratorType
from typing import Any
from weakref import WeakSet

from cutaway.core import session
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp.run.budget import build, tick

_ORDERED = frozenset((list, tuple, dict, range, str, enumerate, zip, map))
_NUMBERS = frozenset((int, float, bool, complex))
_ITERATORS = (set.__iter__, frozenset.__iter__)
FILLS = "__fills__"
"""The mark of containers that evaluate the modules that fill them when they are read."""


def in_order(items: Any) -> Any:
    """Return what to iterate over: the items themselves, or a list for a set that has another order in each run.

    Python orders strings by their hashes, and other objects by their addresses. The user's own code may depend on that.
    """
    if type(items) in _ORDERED or not has_random_order(items):
        return items
    here = session.current()
    if here.in_program():
        here.presume(_SORTED, doubt="the order of a set")
    return _sorted(items)


_SORTED = "a set is iterated over in the order of its items: Python's order is another in each run"


def has_random_order(value: Any) -> bool:
    """Tell whether a value is a set whose order is another in each run of a program."""
    kind = type(value)
    if not issubclass(kind, (set, frozenset)):
        return False
    if FILLS in vars(kind):
        len(value)  # evaluates the modules that fill it
    elif kind.__iter__ not in _ITERATORS:
        return False
    if set.__len__(value) < 2 if issubclass(kind, set) else frozenset.__len__(value) < 2:
        return False
    native = set.__iter__(value) if issubclass(kind, set) else frozenset.__iter__(value)
    return not all(type(item) in _NUMBERS for item in native)


def _sorted(items: Any) -> list[Any]:
    """Return the items of a set, sorted if that is possible without asking them."""
    listed = list(items)
    kinds = {type(item) for item in listed}
    return sorted(listed) if kinds == {str} or kinds == {bytes} else listed


def is_iterable(value: Any) -> bool:
    """Tell by its class whether a value can be iterated over."""
    kind = type(value)
    return kind is list or kind is tuple or hasattr(kind, "__iter__") or hasattr(kind, "__getitem__") or kind is Unknown


_SIZED = frozenset((list, tuple, dict, set, frozenset, str, bytes, bytearray, range))


MOST_UNKNOWN = 64
"""Unknown items in a row after which it is unknown whether there is an end: the method that returns them may not know."""


def counted(items: Any, ordered: bool = True) -> Iterable[Any]:
    """Return an iterable for host code: the items are counted up front, or each as a step as it is produced.

    `ordered` tells that the order of the items matters.
    """
    if type(items) in _SIZED:
        build(len(items))
        return in_order(items) if ordered else items  # type: ignore[no-any-return]
    source = iter(in_order(items) if ordered else items)
    each = _each(source)
    if isinstance(source, (itertools.count, itertools.cycle, itertools.repeat)) and length_hint(source, -1) < 0:
        _WITHOUT_END.add(each)
    return each


_WITHOUT_END: WeakSet[Any] = WeakSet()


def is_endless(items: Any) -> bool:
    """Tell whether an iterator never ends."""
    return type(items) is GeneratorType and items in _WITHOUT_END


def _each(items: Iterator[Any]) -> Iterator[Any]:
    unknown = 0
    for item in items:
        tick()
        unknown = unknown + 1 if type(item) is Unknown else 0
        if unknown > MOST_UNKNOWN:
            raise Undecidable(item)
        yield item
