"""Rows on the samples of torch's own operator database."""

from __future__ import annotations

from collections import Counter

import pytest

from . import calls, rows
from .check import Call, Outcome, check
from .exclusions import OPS, UNKNOWNS, excluded
from .verdicts import explain, failures, unexplained_unknowns

rows.load()
LABELS = [label for label in calls.infos() if calls.names_of(label)]


def test_every_table_imports() -> None:
    assert not rows.BROKEN


@pytest.mark.parametrize("label", LABELS)
def test_samples(label: str) -> None:
    """Structure, shapes, dtypes, known numbers and written arguments agree with torch, and the FLOPs of a few calls."""
    seen: Counter[str] = Counter()
    outcomes = []
    for call in calls.from_op_db(label, limit=8):
        seen[call.name] += 1
        outcomes.append(check(call, flops=seen[call.name] <= 2))
    assert not failures(outcomes), explain(failures(outcomes))
    assert not unexplained_unknowns(outcomes), explain(unexplained_unknowns(outcomes))


@pytest.mark.parametrize("label", [label for label in LABELS if calls.infos()[label].error_inputs_func])
def test_errors(label: str) -> None:
    """Where torch raises, ours raises its like or returns; it never crashes."""
    outcomes = [check(call) for call in calls.errors_from_op_db(label)]
    assert not failures(outcomes), explain(failures(outcomes))


def _all_outcomes(name: str) -> list[Outcome]:
    def one(call: Call) -> Outcome:
        return check(call, flops=True)

    return [one(call) for call in calls.every_source(lambda other: other == name)]


@pytest.mark.parametrize("name", sorted(OPS))
def test_exclusion_is_still_needed(name: str) -> None:
    outcomes = _all_outcomes(name.removeprefix("flops "))
    assert any(o.verdict == "fail" and excluded(o) for o in outcomes), f"{name} passes: drop its exclusion"


@pytest.mark.parametrize("name", sorted(UNKNOWNS))
def test_unknown_is_still_needed(name: str) -> None:
    assert any(o.verdict == "unknown" for o in _all_outcomes(name)), f"{name} is never unknown: drop its entry"
