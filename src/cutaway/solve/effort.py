"""What questions about sizes may cost: they are paid from the budget of the analysis, and end unsolved when it has run out."""

from __future__ import annotations

from cutaway.core.context import CURRENT
from cutaway.core.unknown import Exhausted


class Unsolved(Exception):
    """A requirement is outside of what is solved; the message says why."""


_ELEMENTS = 8
"""How many elements of a sequence that is merely built take as long as one value of a function of sizes."""


def spend(values: int) -> None:
    """Count values that are computed one by one; raise `Unsolved` where there is no time left for them."""
    interpreter = CURRENT.get().interpreter
    if interpreter is None:  # sizes by themselves, outside of any analysis
        return
    try:
        interpreter.budget.build(_ELEMENTS * values)
    except Exhausted as exhausted:
        raise Unsolved(exhausted.unknown.reason) from None
