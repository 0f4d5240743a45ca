"""Limits on what analysing a target may cost: steps, depth, time, memory, and the size of what it builds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from cutaway.core import disk
from cutaway.core.context import CURRENT, IDLE
from cutaway.core.progress import PROGRESS
from cutaway.core.unknown import Exhausted, Unknown
from cutaway.interp.run.interpreter import interpreter

STEPS = 20_000_000  # calls, loop iterations, and elements that are built
DEPTH = 400  # nested calls of the target
ELEMENTS = 1 << 22  # of a sequence or string that the target builds in one operation
BITS = 1 << 14  # of an integer
MOST_SECONDS = 120.0  # that a part of an analysis has a share of, if there is no limit
MEMORY = 600 << 20  # bytes that an analysis may add to the process
_CHECK_EVERY = 1 << 8
_ELEMENTS_IN_A_STEP = 1 << 6


class Budget:
    """What remains to be spent: `tick` counts a call or a loop iteration, `build` a value that is built at once."""

    __slots__ = ("_clock", "_deadline", "_granted", "_left", "_memory", "_outer", "_steps", "reason")

    def __init__(
        self,
        seconds: float | None = None,
        steps: int = STEPS,
        memory: int = MEMORY,
        clock: Callable[[], float] = time.monotonic,
        outer: Budget | None = None,
    ) -> None:
        self._outer = outer
        self._steps = steps
        self._granted = self._left = min(steps, _CHECK_EVERY)
        self._clock = clock
        self._deadline = None if seconds is None else clock() + seconds
        self._memory = _peak_bytes() + memory
        self.reason: str | None = None

    def tick(self) -> None:
        """Count one step."""
        self._left -= 1
        if self._left < 0:
            self._check_limits()

    def seconds_left(self) -> float:
        """Return how many seconds are left, infinity without a deadline."""
        if self.reason is not None:
            return 0.0
        return float("inf") if self._deadline is None else max(0.0, self._deadline - self._clock())

    def part(self, fraction: float) -> Budget:
        """Return a budget with a share of the time that is left, by the same clock."""
        seconds = min(self.seconds_left(), MOST_SECONDS) * fraction
        return Budget(seconds, clock=self._clock, outer=self._outer)

    def build(self, elements: int) -> None:
        """Count the elements of a large value."""
        self._left -= elements // _ELEMENTS_IN_A_STEP
        if self._left < 0:
            self._check_limits()

    def check(self) -> None:
        """Look at the limits now: before work that takes as long as many steps."""
        self._check_limits()

    def _check_limits(self) -> None:
        if self.reason is not None:
            self.exhaust(self.reason)
        self._steps -= self._granted - self._left
        if self._steps <= 0:
            self.exhaust("the step budget ran out")
        is_late = self._deadline is not None and self._clock() > self._deadline
        if is_late or (self._outer is not None and self._outer.seconds_left() <= 0):
            self.exhaust("the time budget ran out")
        if _peak_bytes() > self._memory:
            self.exhaust("the memory budget ran out")
        self._granted = self._left = min(self._steps, _CHECK_EVERY)
        PROGRESS.tick()

    def exhaust(self, reason: str) -> None:
        """Stop the interpretation for the rest of the analysis."""
        self.reason = reason
        self._granted = self._left = self._steps = 0
        disk.unrepeatable()
        raise Exhausted(Unknown(reason))


def _peak_bytes() -> int:
    """Return the peak memory of the process, 0 if the system does not report it."""
    with suppress(ImportError, OSError):
        import resource

        peak: int = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024
    return 0


class _Unlimited(Budget):
    """Outside of any analysis there is no target to limit, and the process, which may live long, has no budget."""

    __slots__ = ()

    def _check_limits(self) -> None:
        self._granted = self._left = _CHECK_EVERY


IDLE.interpreter.budget = _Unlimited()


@contextmanager
def separate_budget(seconds: float, *, within: bool = False) -> Iterator[None]:
    """Use a separate budget, in processor time, for work that is done even if the target's budget has run out.

    Work that is done `within` the target's budget ends with it, too: on a busy machine, processor time takes longer.
    """
    here = interpreter()
    outer = here.budget
    here.budget = Budget(seconds, clock=time.process_time, outer=outer if within else None)
    try:
        yield
    finally:
        here.budget = outer


@contextmanager
def share(fraction: float) -> Iterator[None]:
    """Use at most a share of the time that is left: what comes later has the rest, even if this runs out."""
    here = interpreter()
    outer = here.budget
    here.budget = outer.part(fraction)
    try:
        yield
    finally:
        here.budget = outer


def current() -> Budget:
    """Return the budget of the analysis in progress."""
    return interpreter().budget


def tick() -> None:
    """Count one step of the current budget."""
    CURRENT.get().interpreter.budget.tick()


def build(elements: int) -> None:
    """Count the elements of a value that is built at once."""
    interpreter().budget.build(elements)
