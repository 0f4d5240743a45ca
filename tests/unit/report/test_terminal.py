"""What a stream can show is found out, and text is made to fit."""

from __future__ import annotations

import io
from typing import Any

import pytest

from cutaway.report.terminal import Terminal, clip, columns, detect, paint, printable, wrap

PLAIN = Terminal(80, False, True)


class Screen(io.TextIOWrapper):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def screen(encoding: str = "utf-8") -> Any:
    return Screen(io.BytesIO(), encoding=encoding)


def test_a_terminal_has_colour() -> None:
    assert detect(screen(), {"TERM": "xterm", "COLUMNS": "100"}) == Terminal(100, True, True)


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_colour_can_be_refused(environment: dict[str, str]) -> None:
    assert not detect(screen(), environment).colour


def test_an_empty_no_color_refuses_nothing() -> None:
    assert detect(screen(), {"NO_COLOR": ""}).colour


def test_a_pipe_is_wide_and_plain() -> None:
    assert detect(io.TextIOWrapper(io.BytesIO(), encoding="utf-8"), {}) == Terminal(120, False, True)


@pytest.mark.parametrize(
    ("encoding", "unicode"), [("utf-8", True), ("cp437", False), ("ascii", False), ("latin-1", False)]
)
def test_guides_need_an_encoding_that_has_them(encoding: str, unicode: bool) -> None:
    assert detect(screen(encoding), {}).unicode is unicode


def test_a_stream_without_an_encoding_gets_ascii() -> None:
    assert not detect(io.StringIO(), {}).unicode


def test_a_terminal_without_a_size_has_80_columns() -> None:
    assert detect(screen(), {}).width == 80


def test_control_characters_of_the_target_are_shown_and_not_obeyed() -> None:
    assert printable("a\x1b[31mb\nc", PLAIN) == "a\\x1b[31mb\\nc"
    assert printable("\u202eright to left", PLAIN) == "\\u202eright to left"
    assert printable("\ud800", PLAIN) == "\\ud800"


def test_ascii_terminals_get_ascii() -> None:
    assert printable("größe", Terminal(80, False, False)) == "gr\\xf6\\xdfe"
    assert printable("größe", PLAIN) == "größe"


def test_wide_characters_take_two_columns() -> None:
    assert [columns("abc"), columns("模型"), columns("e\u0301"), columns("├─ ")] == [3, 4, 1, 3]


@pytest.mark.parametrize(("width", "text"), [(8, "ab: Conv"), (7, "ab: Co…"), (4, "ab:…"), (1, "…"), (0, "")])
def test_clip(width: int, text: str) -> None:
    assert paint(clip([("ab", ""), (": ", ""), ("Conv", "kind")], width, "…"), False) == text


def test_paint() -> None:
    assert paint([("a", ""), ("b", "fault"), ("", "kind")], True) == "a\x1b[31mb\x1b[0m"


def test_wrap_breaks_between_words_and_within_long_ones() -> None:
    assert wrap("one two three four", 8, 10) == ["one two", "three four"]
    assert wrap("x" * 25, 10, 10) == ["x" * 10, "x" * 10, "x" * 5]
    assert wrap("", 10, 10) == [""]
