"""The judge of soundness itself: what counts as stated, which runs a result is about, and what is excused."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest
import torch

from benchmarks.soundness.generator import generate
from benchmarks.soundness.judge import Verdict, judge
from benchmarks.soundness.minimise import minimised, settled
from benchmarks.soundness.program import DATA, Decision, Program
from benchmarks.soundness.truth import runs
from cutaway import Architecture, observe
from cutaway.core.architecture import Condition, Diagnostic, Module, Note
from cutaway.core.size.parser import read_size

SOURCE = """
import os
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Linear(4, 4))
        if os.environ.get("DEEP"):
            self.body.append(nn.ReLU())

    def forward(self, x):
        return self.body(x)
"""
ENVIRONMENT = Decision('os.environ.get("DEEP")', (None, "1"))
PROGRAM = Program({"model.py": SOURCE}, (ENVIRONMENT,))


def shallow() -> Architecture:
    """What is true where the variable is not set."""
    return _observed(SOURCE.replace('os.environ.get("DEEP")', "False"))


def _observed(source: str) -> Architecture:
    names: dict[str, Any] = {"__name__": "model"}
    exec(source, names)
    return observe(names["Net"](), torch.zeros(2, 4))


def verdict(result: Architecture, program: Program = PROGRAM) -> Verdict:
    return judge(program, result, runs(program))


def with_module(result: Architecture, path: str, **changes: Any) -> Architecture:
    modules = tuple(dataclasses.replace(m, **changes) if m.path == path else m for m in result.modules)
    return dataclasses.replace(result, modules=modules)


def kinds(found: Verdict) -> set[str]:
    return {one.kind for one in found.wrong}


def test_a_program_runs_once_for_each_way() -> None:
    first, second = runs(PROGRAM)
    assert ("module", "body.1") not in first.facts
    assert second.facts["module", "body.1"] == "ReLU"


def test_what_is_true_is_right_and_all_of_it_is_stated() -> None:
    program = settled(PROGRAM, 0, None)
    found = verdict(shallow(), program)
    assert found.wrong == []
    assert found.stated == found.common


def test_a_layer_that_some_runs_have_is_missed() -> None:
    assert "module" in kinds(verdict(shallow()))


NOT_SET = "the environment variables that the program asks for are not set"


def test_an_assumption_that_is_listed_excuses_nothing() -> None:
    found = verdict(dataclasses.replace(shallow(), assumptions=(Note(NOT_SET),)))
    assert "module" in kinds(found)
    assert found.assumed == []


def test_what_is_marked_as_assumed_is_excused() -> None:
    found = verdict(with_module(shallow(), "body", assumed=(NOT_SET,)))
    assert "module" not in kinds(found)
    assert "module" in {one.kind for one in found.assumed}


def test_a_mark_excuses_nothing_beside_it() -> None:
    assert "module" in kinds(verdict(with_module(shallow(), "body.0", assumed=(NOT_SET,))))


TWICE = """
import os
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 4)

    def forward(self, x):
        x = self.body(x)
        return self.body(x) if os.environ.get("DEEP") else x
"""


def test_calls_operations_and_their_total_are_excused_by_the_mark_of_the_call_around_them() -> None:
    program = Program({"model.py": TWICE}, (ENVIRONMENT,))
    result = _observed(TWICE.replace('os.environ.get("DEEP")', "False"))
    assert kinds(verdict(result, program)) == {"call", "op", "total"}
    (call,) = result.modules[0].calls
    marked = with_module(result, "", calls=(dataclasses.replace(call, assumed=(NOT_SET,)),))
    assert kinds(verdict(marked, program)) == set()


def test_an_incomplete_module_excuses_what_is_missing_below_it() -> None:
    result = with_module(shallow(), "body", complete=False)
    assert "module" not in kinds(verdict(result))


def test_an_incomplete_module_does_not_excuse_its_siblings() -> None:
    result = with_module(shallow(), "body.0", complete=False)
    assert "module" in kinds(verdict(result))


def test_what_is_listed_below_an_incomplete_module_is_stated() -> None:
    result = with_module(shallow(), "", complete=False)
    extra = Module("head", "Linear", "torch.nn.modules.linear.Linear")
    assert "module" in kinds(verdict(dataclasses.replace(result, modules=(*result.modules, extra))))


def test_a_condition_in_the_words_of_a_decision_is_decided_as_the_run_decides_it() -> None:
    source = SOURCE.replace('os.environ.get("DEEP")', "True")
    text = 'os.environ.get("DEEP")'
    deep = with_module(_observed(source), "body.1", condition=text)
    right = dataclasses.replace(deep, conditions=(Condition(text, "environment"),))
    assert "module" not in kinds(verdict(right))
    wrong = with_module(right, "body.1", condition=f"not ({text})")
    assert "module" in kinds(verdict(wrong))


def test_a_size_that_depends_on_a_condition_is_evaluated() -> None:
    source = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        x = self.fc(x)
        if x[0, 0] > 0:
            x = torch.cat([x, x], dim=1)
        return x
"""
    program = Program({"model.py": source}, (Decision("x[0, 0] > 0", nature=DATA),))
    result = _observed(source.replace("x[0, 0] > 0", "False"))
    (output,) = result.outputs
    for size, expected in (("4*[x[0, 0] > 0] + 4", False), ("4 - 4*[x[0, 0] > 0]", True)):
        changed = dataclasses.replace(output, shape=(2, read_size(size)))
        stated = dataclasses.replace(result, outputs=(changed,), ops=(), conditions=(Condition("x[0, 0] > 0", "data"),))
        assert ("output" in kinds(verdict(stated, program))) is expected


def test_a_total_that_differs_in_some_run_is_wrong() -> None:
    source = SOURCE.replace("nn.ReLU()", "nn.Linear(4, 4)")
    program = Program({"model.py": source}, (ENVIRONMENT,))
    assert "total" in kinds(verdict(_observed(source.replace('os.environ.get("DEEP")', "False")), program))


def test_a_fault_means_that_a_run_raises() -> None:
    result = dataclasses.replace(shallow(), diagnostics=(Diagnostic("some-fault", "it fails"),))
    assert "fault" in kinds(verdict(result))
    raising = Program({"model.py": SOURCE.replace("self.body.append(nn.ReLU())", "raise ValueError")}, (ENVIRONMENT,))
    assert "fault" not in kinds(verdict(result, raising))


def test_a_failure_of_every_run_that_nothing_reports_is_missed() -> None:
    program = Program({"model.py": SOURCE.replace("return self.body(x)", "return self.head(x)")}, (ENVIRONMENT,))
    assert verdict(shallow(), program).missed


def test_a_wrong_program_is_made_small() -> None:
    padded = SOURCE.replace("    def forward", "    def unused(self):\n        return 1\n\n    def forward")
    program = Program({"model.py": padded}, (ENVIRONMENT,))

    def has_both_ways(smaller: Program) -> bool:
        facts = [run.facts.get(("module", "body.1")) for run in runs(smaller) if run.returned]
        return len(set(facts)) == 2

    small = minimised(program, has_both_ways)
    assert "unused" not in small.text()
    assert "self.body.append(nn.ReLU())" in small.text()


@pytest.mark.parametrize("seed", range(40))
def test_a_generated_program_returns_in_some_run(seed: int) -> None:
    program = generate(seed)
    assert generate(seed) == program
    assert any(run.returned for run in runs(program))
