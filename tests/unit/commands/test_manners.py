"""What the command line does for people: a target alone, near misses, terminals of all kinds, completion."""

from __future__ import annotations

import io
import subprocess
import sys
from pathlib import Path

import pytest

from cutaway import cli

SOURCE = "import torch.nn as nn\nnet = nn.Sequential(nn.Linear(2, 3), nn.ReLU())\n"


@pytest.fixture
def target(tmp_path: Path) -> str:
    (tmp_path / "net.py").write_text(SOURCE)
    return str(tmp_path / "net.py")


def failure(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit):
        cli.main(arguments)
    return capsys.readouterr().err


def test_a_target_alone_is_shown(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([target, "--depth", "1"]) == 0
    assert "0: Linear" in capsys.readouterr().out


def test_a_near_command_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert "shwo is not a command or a target; did you mean show?" in failure(["shwo"], capsys)


def test_a_near_option_is_named(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean --format?" in failure(["show", target, "--formt", "json"], capsys)


@pytest.mark.parametrize(
    "options",
    [
        ["--format", "json", "--columns", "params"],
        ["--format", "svg", "--sort", "macs"],
        ["--format", "tree", "--by", "op"],
        ["--format", "html", "--depth", "2"],
        ["--compact"],
        ["--format", "csv", "--width", "80"],
    ],
)
def test_options_without_effect_are_refused(
    target: str, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["show", target, *options]) == 2
    assert "has no effect" in capsys.readouterr().err


def test_a_column_that_there_is_not(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "'colour' is not a column" in failure(["show", target, "--columns", "params,colour"], capsys)


def test_several_targets_are_rows(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", target, target, "--input", "1x2"]) == 0
    assert capsys.readouterr().out.count(target) == 2


def test_output_in_characters_that_the_terminal_has(
    target: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "other.py").write_text(
        SOURCE.replace("nn.ReLU()", "nn.ReLU(), nn.Linear(3, 4)").replace("net", "größe")
    )
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert cli.main(["diff", target, f"{tmp_path / 'other.py'}::größe"]) == 1
    sys.stdout.flush()
    assert b"gr\\xf6\\xdfe" in written.getvalue()


def test_colour_is_forced_and_refused(
    target: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("FORCE_COLOR", "1")
    cli.main(["show", target])
    assert "\x1b[" in capsys.readouterr().out
    cli.main(["show", target, "--no-color"])
    assert "\x1b[" not in capsys.readouterr().out


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["completion", shell]) == 0
    script = capsys.readouterr().out
    assert "mermaid" in script and "fingerprint" in script
    if shell == "bash":
        subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_view_writes_a_page(target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "pages" / "net.html"
    assert cli.main(["view", target, "--no-browser", "--format", "html", "--output", str(page)]) == 0
    assert capsys.readouterr().err.strip() == str(page)
    assert page.read_text(encoding="utf-8").startswith("<!doctype html>")


def test_memory(target: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["memory", target, "--input", "1x2", "--dtype", "fp32"]) == 0
    assert "training" in capsys.readouterr().out
    assert cli.main(["memory", target, "--input", "1x2", "--context", "5"]) == 2
    assert "--context needs" in capsys.readouterr().err
