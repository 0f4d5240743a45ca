"""`--output`: a file that is there whole or not at all, and never in place of a device."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from cutaway import cli

NET = "from torch import nn\nnet = nn.Linear(4, 2)\n"


@pytest.fixture
def target(tmp_path: Path) -> str:
    path = tmp_path / "net.py"
    path.write_text(NET)
    return str(path)


def show(target: str, output: Path) -> int:
    return cli.main(["show", target, "--input", "1x4", "--output", str(output)])


def test_a_file_is_written(target: str, tmp_path: Path) -> None:
    assert show(target, tmp_path / "out.txt") == 0
    assert "Linear" in (tmp_path / "out.txt").read_text(encoding="utf-8")


def test_nothing_else_is_left_beside_it(target: str, tmp_path: Path) -> None:
    show(target, tmp_path / "out.txt")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["net.py", "out.txt"]


def test_the_mode_of_an_existing_file_stays(target: str, tmp_path: Path) -> None:
    output = tmp_path / "out.txt"
    output.touch(0o640)
    output.chmod(0o640)
    show(target, output)
    assert stat.S_IMODE(output.stat().st_mode) == 0o640


def test_a_link_keeps_pointing_to_the_file(target: str, tmp_path: Path) -> None:
    link = tmp_path / "link.txt"
    link.symlink_to(tmp_path / "real.txt")
    show(target, link)
    assert link.is_symlink() and "Linear" in (tmp_path / "real.txt").read_text(encoding="utf-8")


def test_a_pipe_is_written_to_and_not_replaced(target: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text(encoding="utf-8")))
    reader.start()
    show(target, pipe)
    reader.join(10)
    assert "Linear" in heard[0] and stat.S_ISFIFO(pipe.stat().st_mode)


def test_a_folder_that_is_not_there_is_created(target: str, tmp_path: Path) -> None:
    output = tmp_path / "new" / "folder" / "out.txt"
    assert show(target, output) == 0
    assert "Linear" in output.read_text(encoding="utf-8")


def test_a_folder_in_its_place(target: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert show(target, tmp_path) == 2
    assert capsys.readouterr().err == f"cutaway: {tmp_path}: can't be written (Is a directory)\n"
