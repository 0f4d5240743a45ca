"""What a terminal can show (its width, colours, characters) and text made to fit it."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterable, Mapping
from typing import TextIO, TypeAlias

from cutaway.core.record import dataclass

PIPED_WIDTH = 120
"""Columns of an output that is no terminal."""

STYLES = {"strong": "1", "faint": "2", "fault": "31", "good": "32", "doubt": "33", "kind": "36"}

Segment: TypeAlias = "tuple[str, str]"
"""A piece of text and the name of its style; an empty name is plain."""


@dataclass(frozen=True, slots=True)
class Glyphs:
    """The characters of trees, arrows and ellipses."""

    branch: str
    last: str
    through: str
    rule: str
    arrow: str
    ellipsis: str
    at_least: str


UNICODE = Glyphs("├─ ", "└─ ", "│  ", "─", "→", "…", "≥")
ASCII = Glyphs("|- ", "`- ", "|  ", "-", "->", "...", ">=")


@dataclass(frozen=True, slots=True)
class Terminal:
    """How to write to a stream."""

    width: int
    colour: bool
    unicode: bool

    @property
    def glyphs(self) -> Glyphs:
        """The characters that its encoding has."""
        return UNICODE if self.unicode else ASCII


def detect(stream: TextIO, environment: Mapping[str, str] = os.environ) -> Terminal:
    """Return what a stream can show. Colour needs a terminal, or `FORCE_COLOR`, and no `NO_COLOR`."""
    tty = stream.isatty()
    forced = environment.get("FORCE_COLOR", "") not in ("", "0")
    colour = (forced or (tty and environment.get("TERM") != "dumb")) and not environment.get("NO_COLOR")
    try:
        "".join((*UNICODE.branch, *UNICODE.last, UNICODE.through, UNICODE.arrow, UNICODE.ellipsis)).encode(
            getattr(stream, "encoding", None) or "ascii"
        )
        unicode = True
    except (UnicodeEncodeError, LookupError):
        unicode = False
    return Terminal(_width(stream, tty, environment), colour, unicode)


def _width(stream: TextIO, tty: bool, environment: Mapping[str, str]) -> int:
    columns = environment.get("COLUMNS", "")
    if columns.isdigit() and int(columns):
        return int(columns)
    if not tty:
        return PIPED_WIDTH
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


def printable(text: str, terminal: Terminal) -> str:
    """Return text of the target that is safe to print: control characters are shown, not obeyed."""
    if text.isascii() and text.isprintable():
        return text
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in text)
    return shown if terminal.unicode else shown.encode("ascii", "backslashreplace").decode()


def columns(text: str) -> int:
    """Return how many columns a text takes."""
    return len(text) if text.isascii() else _wide_columns(text)


@functools.lru_cache(maxsize=4096)
def _wide_columns(text: str) -> int:
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def span(segments: Iterable[Segment]) -> int:
    """Return how many columns pieces of text take."""
    total = 0
    for text, _ in segments:
        total += len(text) if text.isascii() else _wide_columns(text)
    return total


def clip(segments: Iterable[Segment], width: int, ellipsis: str) -> list[Segment]:
    """Cut text to a width; an ellipsis stands for what is lost."""
    whole = list(segments)
    if span(whole) <= width:
        return whole
    room = max(width - len(ellipsis), 0)
    kept: list[Segment] = []
    for text, style in whole:
        if columns(text) > room:
            while text and columns(text) > room:
                text = text[:-1]
            kept.append((text + ellipsis[:width], style))
            break
        kept.append((text, style))
        room -= columns(text)
    return kept


def paint(segments: Iterable[Segment], colour: bool) -> str:
    """Join pieces of text, in colour or plain."""
    if not colour:
        return "".join(text for text, _ in segments)
    return "".join(f"\x1b[{STYLES[style]}m{text}\x1b[0m" if style and text else text for text, style in segments)


_OPERATORS = "*,/="


def wrap(text: str, first: int, rest: int) -> list[str]:
    """Break text into lines of at most `first`, then `rest` columns; a longer word is broken too, after an operator if possible."""
    lines: list[str] = []
    line = ""
    for word in text.split():
        while True:
            room = max(rest if lines else first, 8)
            if columns(line) + bool(line) + columns(word) <= room:
                line = f"{line} {word}" if line else word
                break
            if line:
                lines.append(line)
                line = ""
            elif columns(word) > room:
                end = max(word.rfind(sign, room // 2, room) for sign in _OPERATORS) + 1 or room
                lines.append(word[:end])
                word = word[end:]
    return [*lines, line] if line or not lines else lines
