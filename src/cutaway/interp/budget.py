"""Limits on what a target may cost: steps, depth, time, and the size of what it builds."""

from __future__ import annotations

import time

from cutaway.core.unknown import Undecidable, Unknown

STEPS = 20_000_000  # calls and loop iterations
DEPTH = 400  # nested calls of the target
ELEMENTS = 1 << 22  # of one sequence or string that the target builds in one operation
BITS = 1 << 14  # of one integer
_CHECK_EVERY = 1 << 12


class Exhausted(Undecidable):
    """A budget ran out: nothing more of this target is interpreted."""


class Budget:
    """What is left; `tick` is called at each call and each loop iteration."""

    __slots__ = ("_deadline", "_left", "_steps", "reason")

    def __init__(self, seconds: float | None = None, steps: int = STEPS) -> None:
        self._steps = steps
        self._left = min(steps, _CHECK_EVERY)
        self._deadline = None if seconds is None else time.monotonic() + seconds
        self.reason: str | None = None

    def tick(self) -> None:
        """Count one step."""
        self._left -= 1
        if self._left < 0:
            self._renew()

    def _renew(self) -> None:
        self._steps -= _CHECK_EVERY
        if self._steps <= 0:
            self.exhaust("the step budget ran out")
        if self._deadline is not None and time.monotonic() > self._deadline:
            self.exhaust("the time budget ran out")
        self._left = _CHECK_EVERY

    def exhaust(self, reason: str) -> None:
        """Stop the interpretation for good."""
        self.reason = reason
        self._left = self._steps = 0
        raise Exhausted(Unknown(reason))


_budget = Budget()


def install(budget: Budget) -> Budget:
    """Make `budget` the current one and return the one it replaces."""
    global _budget
    previous, _budget = _budget, budget
    return previous


def tick() -> None:
    """Count one step of the current budget."""
    _budget.tick()
