"""The line that says what a slow command is doing."""

from __future__ import annotations

import io

import pytest

from cutaway.core import progress
from cutaway.core.progress import ERASE, Progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [0.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


def test_a_quick_command_writes_nothing(clock: list[float]) -> None:
    terminal, shown = Terminal(), Progress()
    shown.show_on(terminal)
    clock[0] = 0.9
    shown.tick()
    shown.clear()
    assert terminal.getvalue() == ""


def test_a_slow_command_says_what_it_does_and_clears_it(clock: list[float]) -> None:
    terminal, shown = Terminal(), Progress()
    shown.show_on(terminal)
    shown.doing = "reading net"
    clock[0] = 3.2
    shown.tick()
    shown.tick()
    assert terminal.getvalue() == f"{ERASE}reading net (3 s)"
    shown.clear()
    assert terminal.getvalue().endswith(ERASE)


def test_a_pipe_gets_nothing(clock: list[float]) -> None:
    pipe, shown = io.StringIO(), Progress()
    shown.show_on(pipe)
    clock[0] = 60.0
    shown.tick()
    assert pipe.getvalue() == ""


def test_a_name_can_not_command_the_terminal(clock: list[float]) -> None:
    terminal, shown = Terminal(), Progress()
    shown.show_on(terminal)
    shown.doing = "\x1b]0;title\x07" + "x" * 500
    clock[0] = 2.0
    shown.tick()
    line = terminal.getvalue()[len(ERASE) :]
    assert line.isprintable() and len(line) < 80
