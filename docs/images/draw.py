"""Draw the pictures of the terminal beside this file: `python docs/images/draw.py`.

Each is what the command in its first line really prints, colours included, as an SVG.
"""

from __future__ import annotations

import io
import os
import re
import shlex
from contextlib import redirect_stdout
from html import escape
from pathlib import Path
from unittest import mock

from cutaway import cli

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
COMMANDS = {
    "encoder.svg": "cutaway show examples/encoder.py::Encoder --input ids=2x128:int64 --input mask=2x128:bool",
    "broken.svg": "cutaway show examples/broken.py::Broken --input 1x1x28x28",
}
COLUMNS = 100

_CELL, _LINE, _EDGE = 8.4, 18.0, 18.0
_FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace"
_BACK, _PLAIN = "#0d1117", "#e6edf3"
_COLOURS = {"31": "#ff7b72", "32": "#7ee787", "33": "#e3b341", "36": "#79c0ff", "2": "#8b949e"}
_ESCAPE = re.compile(r"\x1b\[([\d;]*)m")


class _Screen(io.StringIO):
    """A stream that says it is a terminal, so that colours are written to it."""

    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True


def printed(command: str) -> str:
    """Return what a command prints to a terminal in colour."""
    screen = _Screen()
    before = os.getcwd()
    os.chdir(ROOT)
    try:
        with mock.patch.dict(os.environ, {"COLUMNS": str(COLUMNS), "TERM": "xterm"}), redirect_stdout(screen):
            os.environ.pop("NO_COLOR", None)
            cli.main(shlex.split(command)[1:])
    finally:
        os.chdir(before)
    return screen.getvalue()


def draw(command: str, text: str) -> str:
    """Return an SVG of a terminal that shows a command and its output."""
    lines = [f"\x1b[32m$\x1b[0m {command}", "", *text.rstrip().splitlines()]
    width = 2 * _EDGE + _CELL * max(len(_ESCAPE.sub("", line)) for line in lines)
    height = 2 * _EDGE + _LINE * len(lines)
    pieces = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}">',
        f'<rect width="100%" height="100%" rx="8" fill="{_BACK}"/>',
        f'<g font-family="{escape(_FONT)}" font-size="14" fill="{_PLAIN}" xml:space="preserve">',
    ]
    for row, line in enumerate(lines):
        pieces += _words(line, _EDGE + _LINE * (row + 0.75))
    return "\n".join([*pieces, "</g>", "</svg>", ""])


def _words(line: str, y: float) -> list[str]:
    """Place the pieces of a line by their columns, whatever the font that they are shown in."""
    drawn, column, style = [], 0, ""
    for index, part in enumerate(_ESCAPE.split(line)):
        if index % 2:
            style = part
            continue
        for word in re.finditer(r"\S+(?: \S+)*", part):
            colour = f' fill="{_COLOURS[style]}"' if style in _COLOURS else ""
            weight = ' font-weight="bold"' if style == "1" else ""
            x, length = _EDGE + _CELL * (column + word.start()), _CELL * len(word.group())
            place = f'x="{x:.1f}" y="{y:.1f}" textLength="{length:.1f}"'
            drawn.append(f"<text {place}{colour}{weight}>{escape(word.group(), quote=False)}</text>")
        column += len(part)
    return drawn


def main() -> None:
    """Draw every picture."""
    for name, command in COMMANDS.items():
        (HERE / name).write_text(draw(command, printed(command)), encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main()
