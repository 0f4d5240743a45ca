"""Every rule is documented, and finds what its failing example has and nothing in its working example."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from cutaway.checking.file_check import check_file
from cutaway.core.fault_code import FaultCode
from cutaway.rules.catalogue import documentation, modules, rules

EXAMPLES = re.compile(
    r"^Fails:\n\n```python\n(?P<fails>.*?)^```\n\nWorks:\n\n```python\n(?P<works>.*?)^```$", re.M | re.S
)


def codes(program: str, folder: Path) -> list[str]:
    file = folder / "program.py"
    file.write_text(program, encoding="utf-8")
    checked = check_file(str(file))
    assert checked.note == ""
    return [problem.code for problem in checked.problems]


def example(code: str) -> re.Match[str]:
    found = EXAMPLES.search(modules()[code].__doc__ or "")
    assert found is not None, "a rule's docstring has a program that 'Fails:' and one that 'Works:'"
    return found


@pytest.mark.parametrize("code", [rule.code for rule in rules()])
def test_the_failing_example_has_the_problem(code: str, tmp_path: Path) -> None:
    assert codes(example(code)["fails"], tmp_path) == [code]


@pytest.mark.parametrize("code", [rule.code for rule in rules()])
def test_the_working_example_has_no_problem(code: str, tmp_path: Path) -> None:
    assert codes(example(code)["works"], tmp_path) == []


@pytest.mark.parametrize("code", [rule.code for rule in rules()])
def test_a_rule_is_described(code: str) -> None:
    entry = documentation()[code]
    assert re.fullmatch(r"[A-Z].*\.", entry.summary) and len(entry.summary) < 120


def test_no_code_is_used_twice() -> None:
    assert not {rule.code for rule in rules()} & {code.value for code in FaultCode}
