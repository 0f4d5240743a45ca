"""`cutaway diff` and `cutaway fingerprint`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cutaway.cli import main

PROBES = str(Path(__file__).with_name("probes.py"))


def out(capsys: pytest.CaptureFixture[str], *arguments: str, code: int) -> str:
    assert main(arguments) == code
    return capsys.readouterr().out


def test_source_and_running_network(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    target = f"{PROBES}::Recurrent"
    assert "no difference" in out(capsys, "diff", target, f"live:{target}", "--input", "2x5x6", code=0)


def test_a_saved_description(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = [f"{PROBES}::Several", "--input", "1x4", "--input", "1x3"]
    saved = str(tmp_path / "before.json")
    out(capsys, "show", *target, "--format", "json", "--output", saved, code=0)
    assert "no difference" in out(capsys, "diff", saved, *target, code=0)


def test_forms_of_a_difference(capsys: pytest.CaptureFixture[str]) -> None:
    pair = ["diff", f"{PROBES}::Record", f"{PROBES}::Halfway", "--input", "1x4"]
    text = out(capsys, *pair, code=1)
    assert "> body -> first (Linear)" in text or "- body (Linear)" in text
    assert "parameters" in text and "->" in text
    document = json.loads(out(capsys, *pair, "--format", "json", code=1))
    assert document["different"] and document["effects"]["parameters"] == {"before": 58, "after": 54}
    assert "| parameters | 58 | 54 | -4, -6.9% |" in out(capsys, *pair, "--format", "markdown", code=1)


def test_a_fingerprint_is_the_same_static_and_live(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("torch")
    target = ["fingerprint", f"{PROBES}::Functional", "--input", "1x3x8x8"]
    assert out(capsys, *target, code=0) == out(capsys, *target, "--live", code=0)


def test_what_can_not_be_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "bad.json").write_text("{}")
    out(capsys, "diff", str(tmp_path / "bad.json"), PROBES, code=2)
    out(capsys, "diff", str(tmp_path / "none.json"), PROBES, code=2)
    out(capsys, "diff", PROBES, PROBES, code=2)
