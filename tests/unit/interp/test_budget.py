"""The budget of an analysis, and what there is in its place outside of any."""

from __future__ import annotations

from contextlib import suppress

import pytest

from cutaway.core.size.dim import symbol
from cutaway.core.unknown import Exhausted
from cutaway.interp.run.budget import Budget, current
from cutaway.solve.constraint import Literals
from cutaway.solve.effort import Unsolved


def test_a_budget_that_has_run_out_stays_so() -> None:
    budget = Budget(steps=10)
    with pytest.raises(Exhausted, match="step budget"):
        budget.build(1 << 20)
    with pytest.raises(Exhausted, match="step budget"):
        budget.tick()


def test_nothing_runs_out_outside_of_an_analysis() -> None:
    """A process that lives long, as that of the tests does, has taken many steps and much memory."""
    for _ in range(3):
        with suppress(Exhausted):
            current().exhaust("the memory budget ran out")
        current().build(1 << 60)
        current().tick()
    with suppress(Unsolved):
        Literals().solve("less", symbol("H") * symbol("W"), 100)
    assert Literals().solve("equal", symbol("H") * symbol("W"), 6)
