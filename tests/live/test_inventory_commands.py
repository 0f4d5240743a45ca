"""`cutaway unique` and `cutaway ops`."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from pathlib import Path

import pytest

from cutaway.cli import main

PROBES = str(Path(__file__).with_name("probes.py"))
FUNCTIONAL = [f"{PROBES}::Functional", "--input", "1x3x8x8"]


def output(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert main(arguments) == code
    return capsys.readouterr().out


def test_unique_modules_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(capsys, "unique", f"{PROBES}::Recurrent", "--input", "2x5x6")
    assert "mod_001  LSTM" in text and "4 unique modules of 4" in text


@pytest.mark.parametrize("more", [[], ["--live"]], ids=["static", "live"])
def test_unique_modules_as_json(capsys: pytest.CaptureFixture[str], more: list[str]) -> None:
    if more:
        pytest.importorskip("torch")
    document = json.loads(
        output(capsys, "unique", f"{PROBES}::Twice", "--input", "1x3x32x32", "--format", "json", *more)
    )
    assert document["metadata"]["load_fn_location"] == f"{PROBES}:Twice"
    assert [call["output_shapes"] for call in document["modules"][1]["calls"]] == [["1x3x16x16"], ["1x3x8x8"]]


def test_operations_as_csv(capsys: pytest.CaptureFixture[str]) -> None:
    rows = list(csv.DictReader(io.StringIO(output(capsys, "ops", *FUNCTIONAL, "--format", "csv"))))
    assert rows[0]["op_name"] == "torch.conv2d" and rows[0]["inputs"] == "1x3x8x8;4x3x3x3"
    assert json.loads(rows[0]["attributes"])["padding"] == 1
    assert rows[0]["sources"].endswith("probes.py:129")


def test_operations_of_several_networks_are_ranked(capsys: pytest.CaptureFixture[str]) -> None:
    text = output(
        capsys, "ops", f"{PROBES}::Record", f"{PROBES}::Halfway", "--input", "1x4", code=1
    )  # Halfway has a fault
    assert text.splitlines()[1].split() == ["torch.nn.functional.linear", "2", "of", "2", "3", "2"]


@pytest.mark.parametrize("probe", ["Functional", "Several", "Record", "Tied"])
def test_operations_as_tests_that_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str], probe: str) -> None:
    pytest.importorskip("torch")
    inputs = {"Functional": ["1x3x8x8"], "Several": ["1x4", "1x3"], "Record": ["1x4"], "Tied": ["2x5:int64"]}[probe]
    given = [word for shape in inputs for word in ("--input", shape)]
    path = tmp_path / "test_ops.py"
    path.write_text(output(capsys, "ops", f"{PROBES}::{probe}", *given, "--format", "pytest"))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 0 and "skipped" not in done.stdout, done.stdout


def test_a_backend_that_can_not_do_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tomllib")
    table = tmp_path / "npu.toml"
    table.write_text('name = "npu"\n[ops."torch.*"]\n[ops."torch.conv2d".attributes]\npadding = [0]\n')
    text = output(capsys, "ops", *FUNCTIONAL, "--backend", str(table), code=1)
    assert "padding 1 is not among [0]" in text and "1 of 7 unique operations can't be done by npu" in text
    table.write_text('[ops."torch.*"]\n')
    assert "0 of 7" in output(capsys, "ops", *FUNCTIONAL, "--backend", str(table))


def test_a_table_that_can_not_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("tomllib")
    table = tmp_path / "npu.toml"
    table.write_text("[ops\n")
    output(capsys, "ops", *FUNCTIONAL, "--backend", str(table), code=2)
    output(capsys, "ops", *FUNCTIONAL, "--backend", str(tmp_path / "none.toml"), code=2)


def test_a_file_with_several_networks(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["unique", PROBES]) == 2
    assert "networks in it; name one of Keywords, Tied" in capsys.readouterr().err
