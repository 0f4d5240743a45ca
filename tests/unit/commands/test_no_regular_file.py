"""Pipes, devices and links to nothing: no command waits for them, and none says that it has looked into them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cutaway import cli
from cutaway.checking.files import checked_files
from cutaway.knowledge.base.framework_names import CHECKED
from cutaway.scan.files import scan_file
from cutaway.scan.finding import UNREADABLE

needs_pipes = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")


@needs_pipes
def test_check_does_not_wait_for_a_pipe_in_a_folder(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.py")
    assert checked_files([str(tmp_path)], (), CHECKED) == []


@needs_pipes
def test_scan_does_not_vouch_for_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "model.pt")
    assert scan_file(str(tmp_path / "model.pt")).verdict == UNREADABLE


def test_scan_names_a_link_to_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    os.symlink(tmp_path / "gone", tmp_path / "model.pt")
    assert cli.main(["scan", str(tmp_path)]) == 2
    assert "can't be read: a link to nothing" in capsys.readouterr().out


def test_scan_of_an_empty_folder_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["scan", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "there are no files in it\n"


def test_scan_counts_verdicts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("a.txt", "b.txt"):
        (tmp_path / name).write_text("text")
    assert cli.main(["scan", str(tmp_path)]) == 0
    assert capsys.readouterr().out == "2 files (runs nothing: 2)\n"
