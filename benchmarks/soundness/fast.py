"""The fast part: some generated programs, each a test, none of which may state anything wrong; and the cases.

It is collected where it is named: `pytest benchmarks/soundness/fast.py`.
"""

from __future__ import annotations

import pytest

from benchmarks.soundness.analysis import verdict_on
from benchmarks.soundness.cases import FILE, Case, cases, outcome
from benchmarks.soundness.generator import generate
from benchmarks.soundness.judge import agrees

SEEDS = range(90_000, 90_060)
LEAST_STATED = 0.93


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_stated_of_a_generated_program_holds_in_every_run(seed: int) -> None:
    verdict = verdict_on(generate(seed))
    assert verdict.crash is None
    assert [str(one) for one in verdict.wrong] == []


def test_most_of_what_all_runs_have_in_common_is_stated() -> None:
    verdicts = [verdict_on(generate(seed)) for seed in SEEDS]
    common = sum(sum(verdict.common.values()) for verdict in verdicts)
    stated = sum(sum(verdict.stated.values()) for verdict in verdicts)
    assert stated >= LEAST_STATED * common


@pytest.mark.parametrize("case", list(cases(FILE.read_text())), ids=lambda case: case.name)
def test_a_case_holds(case: Case) -> None:
    text = outcome(verdict_on(case.program))
    assert text.startswith("holds"), text


def test_a_size_that_is_not_stated_agrees_with_any() -> None:
    assert agrees("output", ((2, None), "float32"), ((2, 7), "float32"))
    assert not agrees("output", ((2, None), "float32"), ((2, 7, 1), "float32"))
