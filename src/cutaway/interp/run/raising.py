"""Exceptions that something unknown may raise, where the program would catch them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from weakref import WeakSet

from cutaway.core.condition import ENVIRONMENT
from cutaway.core.unknown import Undecidable, UnknownRaised, decisions
from cutaway.interp.run.frame import place
from cutaway.interp.run.interpreter import interpreter

SIGNALS = (StopIteration, StopAsyncIteration, GeneratorExit, IndexError, KeyError, AttributeError)
"""Exceptions that Python itself catches: they end an iteration, or tell that something is not there."""

RAISING: WeakSet[Any] = WeakSet()
"""Functions of the host that may raise whatever their arguments are."""


def may_raise_anyway(function: Callable[..., Any]) -> Callable[..., Any]:
    """Note that a function of the host may raise where its result is unknown, whatever its arguments are."""
    RAISING.add(function)
    return function


@contextmanager
def caught() -> Iterator[None]:
    """Follow what raises an exception inside, which a function of the host catches."""
    running = interpreter()
    start = len(running.raised)
    running.guarded += 1
    try:
        yield
    finally:
        running.guarded -= 1
    check_raised(start)


def check_raised(start: int) -> None:
    """Give up where the program may have raised an exception since there were `start` states in which it had."""
    pending = interpreter().raised
    if len(pending) > start:
        unknown = pending[-1].unknown
        del pending[start:]
        raise Undecidable(unknown)


def is_caught(error: UnknownRaised, kind: Any) -> bool:
    """Tell whether an `except` clause with a class catches an exception whose class is unknown."""
    if kind in (Exception, BaseException):
        return True
    if kind not in error.decided:
        text = f"raises({error.what}, {kind.__name__})"
        holds = decisions().occurrence(text, ENVIRONMENT, place())
        error.decided[kind] = holds is not False
    return error.decided[kind]
