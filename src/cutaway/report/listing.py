"""The networks of many files, one in a line: its file and name, its class, its parameters, how much of it is known."""

from __future__ import annotations

import os
from collections.abc import Sequence

from cutaway.core.architecture import Architecture
from cutaway.core.record import dataclass
from cutaway.passes.provenance import Provenance
from cutaway.report import figures

_WIDEST = 24  # characters of a formula
_HEADINGS = ("network", "class", "parameters", "known")


@dataclass(frozen=True, slots=True)
class File:
    """A file, its networks, and why there is none where that may be of interest."""

    path: str
    networks: tuple[Architecture, ...] = ()
    reason: str = ""


def render(folder: str, files: Sequence[File]) -> str:
    """Return a line for each network of a folder, and for each file that may have some but can't be shown."""
    rows = [_row(each) for file in files for each in file.networks]
    count = sum(bool(file.networks) for file in files)
    counts = f"{len(rows)} network{'s' * (len(rows) != 1)} in {count} file{'s' * (count != 1)}"
    lines = [f"{folder}  {counts}"]
    if rows:
        table = [_HEADINGS, *rows]
        widths = [max(len(row[column]) for row in table) for column in range(len(_HEADINGS))]
        lines += ["", *(_line(row, widths) for row in table)]
        lines += ["", f"to see one: cutaway show {_quoted(rows[0][0])}"]
    unread = [file for file in files if file.reason]
    if unread:
        lines += ["", f"Not shown ({len(unread)})", *(f"  {file.reason}" for file in unread)]
    return "\n".join(lines) + "\n"


def _row(network: Architecture) -> tuple[str, ...]:
    known = Provenance(network).counted()
    percent = 100 if known.unknown == 0 else min(99, int(known.share * 100))
    kind = network.modules[0].class_name if network.modules else ""
    parameters = network.totals.parameters
    text = "?" if parameters is None else figures.count_quantity(parameters)
    text = text if len(text) <= _WIDEST else text[: _WIDEST - 3] + "..."
    path = os.path.normpath(network.target.partition("::")[0])
    return f"{path}::{network.name}", kind, text, f"{percent}%"


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    name, kind, parameters, known = row
    cells = name.ljust(widths[0]), kind.ljust(widths[1]), parameters.rjust(widths[2]), known.rjust(widths[3])
    return "  ".join(cells).rstrip()


def _quoted(target: str) -> str:
    return f'"{target}"' if any(letter in target for letter in " ()'*&;") else target
