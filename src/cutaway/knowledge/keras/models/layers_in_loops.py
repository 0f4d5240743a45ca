"""Layers that a loop of symbolic length makes: one stands for all of them, and is called as often as there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from cutaway.core import session
from cutaway.core.loop.series import Iterations

TURNS = "_turns"


def mark(made: Any) -> None:
    """Note the repeats in which something is made."""
    turns = session.current().iterations
    if turns:
        made.__dict__[TURNS] = tuple(turns)


def turns_of(made: Any) -> tuple[Iterations, ...]:
    """Return the repeats in which something was made."""
    found: tuple[Iterations, ...] = made.__dict__.get(TURNS, ())
    return found


@contextmanager
def turning(turns: Iterable[Iterations]) -> Iterator[None]:
    """Follow one turn of repeats for all of them, but for those that are in progress."""
    here = session.current()
    with ExitStack() as stack:
        for one in turns:
            if not any((one.index, one.count) == (other.index, other.count) for other in here.iterations):
                stack.enter_context(here.iterating(one))
        yield


@contextmanager
def outside() -> Iterator[None]:
    """Do something that does not come with each turn of the repeats in progress."""
    here = session.current()
    turns, here.iterations = here.iterations, []
    try:
        yield
    finally:
        here.iterations = turns


def count(turns: Iterable[Iterations]) -> Any:
    """Return how often repeats within each other come; None where that is not known."""
    times: Any = 1
    for one in turns:
        if one.count is None:
            return None
        times = times * one.count
    return times
