"""The time limit of an analysis inside its own process: what takes longer is interrupted, and the rest is shown.

The interpreter has budgets of its own and ends in an unknown when they run out. What it can't interrupt, one
operation of the host, is interrupted here; what can't be interrupted at all, `isolation/` ends from outside.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

_GRACE_SECONDS = 0.5
_REPORTING, _MOST_REPORTING_SECONDS = 0.1, 10.0


def analysis_seconds(timeout: float | None) -> float | None:
    """Return how much of a time limit is for reading and interpreting; the rest is for describing the result."""
    return None if timeout is None else timeout - min(_REPORTING * timeout, _MOST_REPORTING_SECONDS)


@contextmanager
def interrupted_after(seconds: float | None) -> Iterator[None]:
    """Interrupt an operation of the target that is still running after the time budget has run out."""
    if seconds is None:
        yield
        return
    try:
        before = signal.signal(signal.SIGALRM, _interrupt)
    except (AttributeError, ValueError):  # no such signal, or not the main thread
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE_SECONDS, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _interrupt(*_args: object) -> None:
    from cutaway.interp.run.interpreter import interpreter  # late: a command that interprets nothing needs none of it

    if interpreter().stack:
        interpreter().budget.exhaust("the time budget ran out inside one operation")
