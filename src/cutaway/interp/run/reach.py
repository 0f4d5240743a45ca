"""What the code that runs now may change: the modules that it is building, and what can be reached from objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cutaway.interp.run.heap import Heap
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.truth import is_own


def touched(objects: Iterable[Any]) -> Iterator[Any]:
    """Yield the modules that calls in progress hold in variables, and those that can be reached from objects."""
    for frame in interpreter().stack:
        if frame.function is not None:
            yield from filter(_is_built, list(frame.vars.values()))
    yield from (value for value, _ in Heap(objects).saved.values() if _is_built(value))


def _is_built(value: Any) -> bool:
    """Tell whether a value is a module of a network: how it was built is kept."""
    try:
        return "_construction" in object.__getattribute__(value, "__dict__")
    except AttributeError:
        return False


def in_own_code() -> bool:
    """Tell whether the line that runs is one of the user's own code."""
    stack = interpreter().stack
    return bool(stack) and is_own(stack[-1])
