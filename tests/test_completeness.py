"""Results that are incomplete: every command says so, and `--strict` makes it an exit code."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutaway import cli

HEAD = """import torch
from torch import nn
{imports}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(4, 8)

    def forward(self, x):
        {body}
"""
COMPLETE = HEAD.format(imports="", body="return self.fc1(x)")
UNKNOWN = HEAD.format(imports="import missing", body="return missing.scaled(self.fc1(x))")
FAULTY = HEAD.format(imports="", body="return self.fc1(x).veiw(-1)")
COMMANDS = [["show"], ["unique"], ["ops"], ["fingerprint"], ["ops", "--format", "csv"], ["ops", "--format", "pytest"]]


def run(
    arguments: list[str], source: str, folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str]:
    monkeypatch.chdir(folder)
    (folder / "model.py").write_text(source)
    command, *options = arguments
    code = cli.main([command, "model.py", "--input", "2x4", "--no-cache", *options])
    said = capsys.readouterr()
    return code, said.out + said.err


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
@pytest.mark.parametrize(
    ("source", "strict", "code"),
    [(COMPLETE, False, 0), (COMPLETE, True, 0), (UNKNOWN, False, 0), (UNKNOWN, True, 1), (FAULTY, False, 1)],
    ids=["complete", "complete-strict", "unknown", "unknown-strict", "faulty"],
)
def test_the_exit_code(command, source, strict, code, tmp_path, monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    arguments = [*command, "--strict"] if strict else command
    assert run(arguments, source, tmp_path, monkeypatch, capsys)[0] == code


@pytest.mark.parametrize("command", COMMANDS[1:], ids=" ".join)
@pytest.mark.parametrize(
    ("source", "reason"),
    [(UNKNOWN, "incomplete: 1 unknown: model.py:3: module missing"), (FAULTY, "incomplete: 1 fault: model.py:11")],
    ids=["unknown", "faulty"],
)
def test_an_inventory_says_that_it_is_incomplete(command, source, reason, tmp_path, monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    assert reason in run(command, source, tmp_path, monkeypatch, capsys)[1]


@pytest.mark.parametrize("command", COMMANDS[1:], ids=" ".join)
def test_a_complete_one_does_not(command, tmp_path, monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    assert "incomplete:" not in run(command, COMPLETE, tmp_path, monkeypatch, capsys)[1]


def test_a_fault_before_there_are_operations(tmp_path, monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    source = HEAD.format(imports="", body="return self.fc2(x)")
    code, said = run(["ops"], source, tmp_path, monkeypatch, capsys)
    assert code == 1
    assert "'Net' has no attribute 'fc2'; did you mean 'fc1'?" in said


def test_both_networks_of_a_comparison_are_checked(tmp_path, monkeypatch, capsys) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").write_text(UNKNOWN)
    (tmp_path / "b.py").write_text(UNKNOWN)
    arguments = ["diff", "a.py", "b.py", "--input", "2x4", "--no-cache"]
    assert (cli.main(arguments), cli.main([*arguments, "--strict"])) == (0, 1)
    assert "Net is incomplete" in capsys.readouterr().err
