"""What the code that runs now may change: the modules that it is building, and what can be reached from objects."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from cutaway.interp.run.frame import MODULE_STATE
from cutaway.interp.run.function import record_of
from cutaway.interp.run.heap import Heap
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.truth import is_own


def touched(objects: Iterable[Any]) -> Iterator[Any]:
    """Yield the modules that calls in progress hold in variables, and those that can be reached from objects.

    Without objects, what is presumed decides how the program goes on, and so what becomes of the parts of these modules,
    and of those that the user's own modules hold.
    """
    given = list(objects)
    running = [frame for frame in interpreter().stack if frame.function is not None or (not given and is_own(frame))]
    held = [value for frame in running for value in frame.vars.values() if _is_built(value)]
    yield from held
    yield from (value for value, _ in Heap(given or held).saved.values() if _is_built(value))


def _is_built(value: Any) -> bool:
    """Tell whether a value is a module of a network: how it was built is kept."""
    try:
        return "_construction" in object.__getattribute__(value, "__dict__")
    except AttributeError:
        return False


def in_program() -> bool:
    """Tell whether the line that runs is one of the program: of anything but an installed product."""
    stack = interpreter().stack
    module = stack[-1].globals.get(MODULE_STATE) if stack else None
    return module is not None and (module.is_own or not module.is_product())


def runs(function: Any) -> bool:
    """Tell whether a function of the program is in progress; where it can't be told, it may be."""
    record = record_of(function)
    return record is None or any(frame.function is record for frame in interpreter().stack)


def in_own_code() -> bool:
    """Tell whether the line that runs is one of the user's own code."""
    stack = interpreter().stack
    return bool(stack) and is_own(stack[-1])
