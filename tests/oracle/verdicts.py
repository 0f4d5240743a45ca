"""What the tests make of outcomes: failures and unknowns that no exclusion explains."""

from __future__ import annotations

from collections.abc import Iterable

from .check import FAIL, UNKNOWN, Outcome
from .exclusions import UNKNOWNS, excluded


def failures(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return the failures that are not excluded."""
    return [outcome for outcome in outcomes if outcome.verdict == FAIL and not excluded(outcome)]


def unexplained_unknowns(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Return what stays unknown with all numbers given, for rows that have no reason to."""
    return [outcome for outcome in outcomes if outcome.verdict == UNKNOWN and outcome.call.name not in UNKNOWNS]


def explain(outcomes: list[Outcome]) -> str:
    """Write the first few outcomes for a person to read."""
    lines = [f"{len(outcomes)} calls of {len({o.call.name for o in outcomes})} rows"]
    for outcome in outcomes[:6]:
        lines += [f"  {outcome.verdict}: {outcome.call}  [{outcome.call.source}]"]
        lines += [f"      {detail}" for detail in outcome.details]
    return "\n".join(lines)
