"""Trainings: loops that do the same again and again, of which some steps say all that can be told."""

from __future__ import annotations

from cutaway.core import session
from cutaway.core.unknown import Unknown

STEPS = 100  # of one line


def count_step(what: str) -> None:
    """End the loop around a line that has taken a step of training often enough."""
    here = session.current()
    place = here.place()
    counts = here.state.setdefault("steps", {})
    counts[place] = counts.get(place, 0) + 1
    if counts[place] > STEPS:
        here.assume(f"a loop goes on as it began after {STEPS} {what}", place)
        here.loop_exit = Unknown("how a training ends is not known", place)
