"""The time limit of an analysis inside its own process: what takes longer is interrupted, and the rest is shown.

The interpreter has budgets of its own and ends in an unknown when they run out. What it can't interrupt, one
operation of the host, is interrupted here; what can't be interrupted at all, `isolation/` ends from outside.
"""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from cutaway.core.context import CURRENT
from cutaway.core.unknown import Exhausted, Unknown

_GRACE_SECONDS, _LAST_GRACE_SECONDS, _INTERVAL_SECONDS = 0.5, 1.0, 0.25
_REPORTING, _MOST_REPORTING_SECONDS = 0.1, 10.0


def analysis_seconds(timeout: float | None) -> float | None:
    """Return how much of a time limit is for reading and interpreting; the rest is for describing the result."""
    return None if timeout is None else timeout - min(_REPORTING * timeout, _MOST_REPORTING_SECONDS)


@contextmanager
def interrupted_after(timeout: float | None) -> Iterator[None]:
    """Interrupt what still runs when the time of an analysis is over.

    An operation of the target is interrupted as soon as its share is: what is known by then is shown. Anything else, such
    as reading a file, has until the end of the whole time limit, and there is no result then.
    """
    seconds = analysis_seconds(timeout)
    if timeout is None or seconds is None:
        yield
        return
    end = time.monotonic() + timeout + _LAST_GRACE_SECONDS

    def interrupt(*_args: object) -> None:
        here = CURRENT.get().interpreter
        if here is not None and here.stack:  # many commands interpret nothing
            here.budget.exhaust("the time budget ran out inside one operation")
        if time.monotonic() > end:
            raise Exhausted(Unknown("gave up: the time budget ran out before it was read; --timeout allows more time"))

    try:
        if signal.getitimer(signal.ITIMER_REAL)[0]:  # it is in use
            yield
            return
        before = signal.signal(signal.SIGALRM, interrupt)
    except (AttributeError, ValueError):  # no such signal, or not the main thread
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE_SECONDS, _INTERVAL_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
