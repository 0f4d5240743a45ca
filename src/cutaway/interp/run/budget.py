"""Limits on what a target may cost: steps, depth, time, memory, and the size of what it builds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from cutaway.core import disk
from cutaway.core.context import CURRENT, IDLE
from cutaway.core.unknown import Exhausted, Unknown
from cutaway.interp.run.interpreter import interpreter

STEPS = 20_000_000  # calls, loop iterations, and parts of what is built
DEPTH = 400  # nested calls of the target
ELEMENTS = 1 << 22  # of one sequence or string that the target builds in one operation
BITS = 1 << 14  # of one integer
MEMORY = 2 << 30  # bytes that an analysis may add to the process
_CHECK_EVERY = 1 << 8
_ELEMENTS_IN_A_STEP = 1 << 6


class Budget:
    """What is left; `tick` is called at each call and each loop iteration, `build` for what is made at once."""

    __slots__ = ("_clock", "_deadline", "_given", "_left", "_memory", "_steps", "reason")

    def __init__(
        self,
        seconds: float | None = None,
        steps: int = STEPS,
        memory: int = MEMORY,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._steps = steps
        self._given = self._left = min(steps, _CHECK_EVERY)
        self._clock = clock
        self._deadline = None if seconds is None else clock() + seconds
        self._memory = _peak_bytes() + memory
        self.reason: str | None = None

    def tick(self) -> None:
        """Count one step."""
        self._left -= 1
        if self._left < 0:
            self._renew()

    def seconds_left(self) -> float:
        """Return how much of its time is left, which may be infinitely much."""
        if self.reason is not None:
            return 0.0
        return float("inf") if self._deadline is None else max(0.0, self._deadline - self._clock())

    def build(self, elements: int) -> None:
        """Count the elements of something large."""
        self._left -= elements // _ELEMENTS_IN_A_STEP
        if self._left < 0:
            self._renew()

    def _renew(self) -> None:
        if self.reason is not None:
            self.exhaust(self.reason)
        self._steps -= self._given - self._left
        if self._steps <= 0:
            self.exhaust("the step budget ran out")
        if self._deadline is not None and self._clock() > self._deadline:
            self.exhaust("the time budget ran out")
        if _peak_bytes() > self._memory:
            self.exhaust("the memory budget ran out")
        self._given = self._left = min(self._steps, _CHECK_EVERY)

    def exhaust(self, reason: str) -> None:
        """Stop the interpretation for good."""
        self.reason = reason
        self._given = self._left = self._steps = 0
        disk.unrepeatable()
        raise Exhausted(Unknown(reason))


def _peak_bytes() -> int:
    """Return the most memory that the process has held, 0 where the system does not tell."""
    with suppress(ImportError, OSError):
        import resource

        peak: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    return 0


IDLE.interpreter.budget = Budget()


@contextmanager
def renewed(seconds: float) -> Iterator[None]:
    """Use a budget of its own, in processor time, for what has to be done even where the target's is used up."""
    here = interpreter()
    outside, here.budget = here.budget, Budget(seconds, clock=time.process_time)
    try:
        yield
    finally:
        here.budget = outside


def current() -> Budget:
    """Return the budget of the analysis in progress."""
    return interpreter().budget


def tick() -> None:
    """Count one step of the current budget."""
    CURRENT.get().interpreter.budget.tick()


def build(elements: int) -> None:
    """Count what is made at once."""
    interpreter().budget.build(elements)
