"""A framework is added with no edit of the interpreter, of the shared values and rules, of passes or reports."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

PROGRAM = """\
import tinyjax
import tinyjax.nn
import tinyjax.numpy as jnp


class Dense(tinyjax.Module):
    def __init__(self, inputs, outputs):
        self.kernel = tinyjax.param((inputs, outputs))

    def __call__(self, x):
        return jnp.dot(x, self.kernel)


class Net(tinyjax.Module):
    def __init__(self, hidden=16):
        self.first = Dense(8, hidden)
        self.second = Dense(16, 4)

    def __call__(self, x):
        return self.second(tinyjax.nn.relu(self.first(x)))
"""

SHOW = """\
import sys
import cutaway.knowledge

cutaway.knowledge.__path__.append(sys.argv[1])
from cutaway.cli import main

sys.exit(main(["show", sys.argv[2], "--input", sys.argv[3], "--format", "json", "--no-cache"]))
"""


def shown(file: Path, expression: str, given: str) -> dict[str, Any]:
    folder = str(Path(__file__).parent / "third_framework")
    command = [sys.executable, "-c", SHOW, folder, f"{file}::{expression}", given]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout, done.stderr
    (found,) = json.loads(done.stdout)["architectures"]
    return found


def test_a_network_of_a_third_framework_is_shown(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(PROGRAM, encoding="utf-8")
    found = shown(file, "Net()", "Bx8")
    assert found["framework"] == "tinyjax"
    assert [module["path"] for module in found["modules"]] == ["", "first", "second"]
    assert [(weight["name"], weight["shape"]) for weight in found["weights"]] == [
        ("first.kernel", [8, 16]),
        ("second.kernel", [16, 4]),
    ]
    assert [(op["op"], op["module"]) for op in found["ops"]] == [
        ("tinyjax.numpy.dot", "first"),
        ("tinyjax.nn.relu", ""),
        ("tinyjax.numpy.dot", "second"),
    ]
    assert found["outputs"][0]["shape"] == ["B", 4]
    assert found["ops"][0]["macs"] == "128*B"
    assert not found["unknowns"]


def test_its_faults_are_found(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(PROGRAM, encoding="utf-8")
    found = shown(file, "Net(hidden=32)", "Bx8")
    (fault,) = found["diagnostics"]
    assert fault["code"] == "shape-mismatch"
    assert fault["place"].endswith("model.py:11")
