"""Trainings: loops that do the same again and again, of which some steps say all that can be told."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.program_state import Key
from cutaway.core.unknown import Unknown

_STEPS: Key[dict[Any, int]] = Key(dict)  # how often a training step was taken

STEPS = 100  # of one line


def count_step(what: str) -> None:
    """End the loop around a line that has taken a step of training often enough."""
    here = session.current()
    place = here.place()
    counts = _STEPS.get()
    counts[place] = counts.get(place, 0) + 1
    if counts[place] > STEPS:
        here.presume(f"a loop goes on as it began after {STEPS} {what}", place, doubt="how the training loop goes on")
        here.loop_exit = Unknown("how the training loop ends is not known", place)
