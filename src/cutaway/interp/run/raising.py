"""Exceptions that something unknown may raise, where the program would catch them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any
from weakref import WeakSet

from cutaway.core.condition import ENVIRONMENT
from cutaway.core.unknown import Unknown, UnknownRaised, decisions
from cutaway.interp.run.frame import Frame, place
from cutaway.interp.run.function import record_of
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.truth import can_choose

SIGNALS = (StopIteration, StopAsyncIteration, GeneratorExit, IndexError, KeyError, AttributeError)
"""Exceptions that Python itself catches: they end an iteration, or tell that something is not there."""

_RAISING: WeakSet[Any] = WeakSet()


def may_raise_anyway(function: Callable[..., Any]) -> Callable[..., Any]:
    """Note that a function of the host may raise where its result is unknown, whatever its arguments are."""
    _RAISING.add(function)
    return function


@contextmanager
def caught() -> Iterator[None]:
    """Follow what raises an exception inside, which a function of the host catches."""
    running = interpreter()
    running.guarded += 1
    try:
        yield
    finally:
        running.guarded -= 1


def may_be_caught(error: BaseException) -> bool:
    """Tell whether the program may continue after an exception."""
    return bool(interpreter().guarded) or isinstance(error, SIGNALS)


def check_call(result: Unknown, callee: Any, args: Iterable[Any], node: ast.expr, frame: Frame) -> None:
    """Raise an exception in the runs in which a call with an unknown result does so.

    Functions of the target raise by themselves. Those that are modelled do not, if they know their arguments.
    """
    if not interpreter().guarded or record_of(getattr(callee, "__func__", callee)) is not None:
        return
    if (
        type(callee) is Unknown
        or (type(callee) is FunctionType and callee in _RAISING)
        or any(type(value) is Unknown for value in args)
    ):
        may_raise(result, node, frame)


def may_raise(unknown: Unknown, node: ast.expr, frame: Frame) -> None:
    """Raise an exception in the runs in which an expression with an unknown value does so.

    Only where the program handles exceptions: elsewhere such a run ends, and has nothing to show.
    """
    if not interpreter().guarded or not can_choose():
        return
    what = ast.unparse(node)
    if decisions().occurrence(f"raises({what})", ENVIRONMENT, frame.place, prefer=False):
        raise UnknownRaised(what, unknown)


def is_caught(error: UnknownRaised, kind: Any) -> bool:
    """Tell whether an `except` clause with a class catches an exception whose class is unknown."""
    if kind in (Exception, BaseException):
        return True
    if kind not in error.decided:
        text = f"raises({error.what}, {kind.__name__})"
        holds = decisions().occurrence(text, ENVIRONMENT, place())
        error.decided[kind] = holds is not False
    return error.decided[kind]
