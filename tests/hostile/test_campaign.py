"""A short part of the campaign: generated and mutated programs do nothing to the host."""

from __future__ import annotations

import random
from pathlib import Path

from benchmarks.hostile.campaign import mutated, outcome, real_sources, sources_of_inventory
from tests.hostile.apart import apart

_CASES = Path(__file__).parents[1] / "cases"
_SOME = 40
"""One program of so many is run."""


def test_programs_of_the_inventory_have_no_effect() -> None:
    sources = apart(sources_of_inventory, seconds=200)
    assert len(sources) > 200
    assert {at: outcome(sources[at]) for at in range(0, len(sources), _SOME)} == dict.fromkeys(
        range(0, len(sources), _SOME), "nothing"
    )


def test_mutated_programs_have_no_effect() -> None:
    chance = random.Random(1)
    sources = [mutated(chance.choice(real_sources(_CASES)), chance) for _ in range(10)]
    assert {outcome(source) for source in sources} == {"nothing"}
