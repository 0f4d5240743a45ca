"""`cutaway verify`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

import cutaway
from cutaway.cli import main

PROBES = str(Path(__file__).with_name("probes.py"))


@pytest.mark.parametrize(
    ("probe", "inputs"),
    [
        ("Keywords", ["tokens=2x5:int64"]),
        ("Tied", ["2x5:int64"]),
        ("Twice", ["1x3x32x32"]),
        ("Branch", ["1x4"]),
        ("Record", ["1x4"]),
        ("Halfway", ["1x4"]),
        ("Recurrent", ["2x5x6"]),
        ("Functional", ["1x3x8x8"]),
        ("Several", ["1x4", "1x3"]),
        ("Hidden", ["1x4"]),
    ],
)
def test_nothing_is_wrong(probe: str, inputs: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    given = [word for text in inputs for word in ("--input", text)]
    assert main(["verify", f"{PROBES}::{probe}", *given, "--format", "json"]) == (probe == "Halfway")  # it has a fault
    found = json.loads(capsys.readouterr().out)
    assert found["counts"]["tree"]["equal"] and found["counts"]["weights"]["equal"]
    if probe not in ("Branch", "Halfway"):
        assert found["facts"] == []


def test_a_wrong_fact_is_told(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    from cutaway.live import show as live

    real = live.show

    def other(*args: Any, **kwargs: Any) -> Any:
        (found,) = real(*args, **kwargs)
        return (replace(found, outputs=(replace(found.outputs[0], shape=(1, 3)),)),)

    monkeypatch.setattr(live, "show", other)
    assert main(["verify", f"{PROBES}::Several", "--input", "1x4", "--input", "1x3"]) == 1
    shown = capsys.readouterr().out
    assert "Wrong (1)\n  outputs: outputs:  1x2 float32, is  1x3 float32" in shown


def test_both_paths_find_the_same_words(capsys: pytest.CaptureFixture[str]) -> None:
    target = str(Path(__file__).with_name("vocabulary.py"))
    assert main(["verify", f"{target}::Vocabulary", "--input", "2x3x4", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["facts"] == []
    assert found["counts"]["operations"]["equal"] > 70 and found["counts"]["attributes"]["equal"] > 100


@pytest.mark.parametrize("via", ["export", "onnx"])
@pytest.mark.parametrize(("name", "shape"), [("Functional", "1x3x8x8"), ("Recurrent", "2x5x6"), ("Twice", "1x3x16x16")])
def test_exported_graphs_bear_witness(via: str, name: str, shape: str, capsys: pytest.CaptureFixture[str]) -> None:
    if via == "onnx":
        pytest.importorskip("onnx")
        pytest.importorskip("onnxscript")
    assert main(["verify", f"{PROBES}::{name}", "--input", shape, "--via", via, "--format", "json"]) == 0
    counted = json.loads(capsys.readouterr().out)["counts"]["operations"]
    assert counted["equal"] > 0 and not counted.get("unknown")


def test_a_witness_in_other_words_finds_what_is_wrong() -> None:
    from cutaway.knowledge.base.op_aliases import common
    from cutaway.passes.compare import WRONG, compare

    (static,) = cutaway.show(f"{PROBES}::Twice", input="1x3x16x16")
    (live,) = cutaway.show(f"{PROBES}::Twice", input="1x3x16x16", live=True, via="export")
    fewer = replace(static, ops=static.ops[1:])
    wrong = [fact for fact in compare(fewer, live, common) if fact.verdict == WRONG]
    assert [(fact.kind, fact.subject, fact.detail) for fact in wrong] == [
        ("operations", "convolution", "missing 1 times: makes 1x3x8x8")
    ]
