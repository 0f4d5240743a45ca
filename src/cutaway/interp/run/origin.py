"""Where an exception of the target comes from: the operation that raised it, its operands, and the way that led there."""

from __future__ import annotations

from enum import Enum
from typing import Any

from cutaway.core import session
from cutaway.core.record import dataclass
from cutaway.interp.run.frame import Frame
from cutaway.interp.run.interpreter import interpreter

_ORIGIN = "__cutaway_origin__"
_VARIABLES = BaseException.__dict__["__dict__"]


class Operation(Enum):
    """What raises an exception of Python's own."""

    NAME = "a variable is read"
    ATTRIBUTE = "an attribute is read"
    ITEM = "an item is read"
    OPERATOR = "an operator is applied"
    CALL = "something is called"
    BINDING = "arguments are bound to the parameters of a function"
    UNPACKING = "a sequence is unpacked"
    ITERATION = "something is iterated over"
    RAISE = "the program raises"
    ASSERTION = "the program asserts"


@dataclass(frozen=True, slots=True, eq=False)
class Origin:
    """The operation that raised an exception, with its operands.

    `path` are the calls in progress, each with its line. `is_open` tells that the code may not have run at all, `doubts`
    why the program may differ from what was followed, and `chosen_inputs` are inputs that the user has not given.
    """

    operation: Operation
    operands: tuple[Any, ...]
    path: tuple[tuple[Frame, int], ...]
    is_open: bool
    doubts: tuple[str, ...]
    chosen_inputs: list[Any] | None


def note(error: BaseException, operation: Operation, *operands: Any) -> BaseException:
    """Note what raised an exception, unless that is noted already; return the exception."""
    variables = _VARIABLES.__get__(error)
    if _ORIGIN not in variables:
        running, here = interpreter(), session.current()
        stack = running.stack
        variables[_ORIGIN] = Origin(
            operation,
            operands,
            tuple([(frame, frame.line) for frame in stack]),
            bool(running.tried) or bool(here.iterations) or any(frame.alternatives for frame in stack),
            tuple(here.doubts),
            here.chosen_inputs,
        )
    return error


def iterator(items: Any) -> Any:
    """Return an iterator over what a loop iterates over."""
    try:
        return iter(items)
    except TypeError as error:
        note_own(error, Operation.ITERATION, items)
        raise


def note_own(error: BaseException, operation: Operation, *operands: Any) -> None:
    """Note what raised an exception, if it was raised by the calling function itself and by nothing that it called."""
    trace = error.__traceback__
    if trace is not None and trace.tb_next is None:
        note(error, operation, *operands)


def origin_of(error: BaseException) -> Origin | None:
    """Return where an exception comes from; None if something else than the program itself raised it."""
    origin = _VARIABLES.__get__(error).get(_ORIGIN)
    return origin if isinstance(origin, Origin) else None
