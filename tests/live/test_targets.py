"""Targets that are run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

import cutaway

ROOT = Path(__file__).resolve().parents[2]
NET = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self, width=4):
        super().__init__()
        self.fc = nn.Linear(width, width * 2)
    def forward(self, x):
        return self.fc(x)

def make(width):
    return Net(width)

def wrong():
    raise ValueError("no such file as weights.bin")

def nothing():
    return 3
"""


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = tmp_path / "net.py"
    path.write_text(NET)
    return str(path)


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    return subprocess.run(
        [sys.executable, "-m", "cutaway", *arguments], env=environment, capture_output=True, text=True, timeout=120
    )


def test_a_class(file: str) -> None:
    (seen,) = cutaway.show(f"{file}::Net", input="2x4", live=True)
    assert seen.outputs[0].shape == (2, 8)
    assert dict(seen.modules[0].config) == {"width": 4}
    assert seen.modules[1].source is not None and seen.modules[1].source.line == 8


def test_a_call(file: str) -> None:
    (seen,) = cutaway.show(f"{file}::make(3)", input="2x3", live=True)
    assert dict(seen.modules[0].config) == {"width": 3}
    assert seen.name == "make(3)"


def test_a_name_that_a_module_makes_when_it_is_asked_for(tmp_path: Path) -> None:
    lazy = "def __getattr__(name):\n    if name == 'Lazy':\n        return Net\n    raise AttributeError(name)\n"
    (tmp_path / "lazy.py").write_text(NET + lazy)
    (seen,) = cutaway.show(f"{tmp_path}/lazy.py::Lazy(width=5)", input="1x5", live=True)
    assert seen.outputs[0].shape == (1, 10)


def test_all_networks_of_a_file(file: str) -> None:
    assert [seen.name for seen in cutaway.show(file, live=True)] == ["Net"]


def test_a_file_of_the_same_name_elsewhere(file: str, tmp_path: Path) -> None:
    cutaway.show(f"{file}::Net", live=True)
    other = tmp_path / "other"
    other.mkdir()
    (other / "net.py").write_text(NET.replace("width * 2", "width * 3"))
    (seen,) = cutaway.show(f"{other}/net.py::Net", input="2x4", live=True)
    assert seen.outputs[0].shape == (2, 12)
    assert "net" not in sys.modules


def test_the_command_says_that_it_runs_the_target(file: str) -> None:
    done = run("show", "--live", f"{file}::Net", "--input", "2x4", "--format", "tree")
    assert done.returncode == 0 and "running the code of" in done.stderr
    assert "the target's code was run" in done.stdout


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        ("wrong()", "raised ValueError: no such file as weights.bin"),
        ("nothing()", "it gives an int, not a torch.nn.Module"),
        ("make", "make needs arguments: name a call, as in 'make(width=...)'"),
        ("missing", "missing is not defined there; there are Net, make, wrong, nothing"),
    ],
)
def test_what_can_not_be_run(file: str, expression: str, message: str) -> None:
    done = run("show", "--live", f"{file}::{expression}")
    assert done.returncode == 2 and message in done.stderr
    if "raised" in message:
        assert f'File "{file}", line 16, in wrong' in done.stderr and "cutaway/" not in done.stderr


def test_sizes_are_numbers_where_a_network_runs(file: str) -> None:
    with pytest.raises(cutaway.CutawayError, match="needs numbers for all sizes"):
        cutaway.show(f"{file}::Net", input="Bx4", live=True)


PROBES = str(Path(__file__).with_name("probes.py"))


def how(seen: cutaway.Architecture) -> str:
    return next(note.text for note in seen.assumptions if "operations" in note.text)


def test_operations_by_export() -> None:
    (seen,) = cutaway.show(f"{PROBES}::Several", input=["1x4", "1x3"], live=True, via="export")
    assert how(seen) == "operations are those of torch.export.export"
    assert [op.op for op in seen.ops] == ["aten.cat.default", "aten.linear.default"]
    assert [op.module for op in seen.ops] == ["", "join"]
    assert [value.name for value in seen.ops[1].inputs][1:] == ["join.weight", "join.bias"]
    assert seen.modules[1].calls[0].outputs == ((1, 2),)


def test_a_network_that_can_not_be_exported_is_seen_by_its_calls() -> None:
    (seen,) = cutaway.show(f"{PROBES}::Record", input="1x4", live=True, via="export")
    assert "the calls of torch's functions" in how(seen) and "torch.export.export raised" in how(seen)
    assert [op.op for op in seen.ops] == ["torch.nn.functional.linear"] * 2


def test_modules_alone() -> None:
    (seen,) = cutaway.show(f"{PROBES}::Record", input="1x4", live=True, via="hooks")
    assert seen.ops == () and "by hooks" in how(seen)
    assert seen.outputs[0].shape == (1, 2)


def test_operations_by_onnx() -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("onnxscript")
    (seen,) = cutaway.show(f"{PROBES}::Functional", input="1x3x8x8", live=True, via="onnx")
    assert [op.op for op in seen.ops][:3] == ["onnx.Conv", "onnx.Relu", "onnx.MaxPool"]
    assert seen.ops[0].outputs[0].shape == (1, 4, 8, 8) and seen.ops[0].attributes["pads"] == [1, 1, 1, 1]
