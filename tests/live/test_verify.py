"""`cutaway verify`."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

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
    assert main(["verify", f"{PROBES}::{probe}", *given, "--format", "json"]) == 0
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
