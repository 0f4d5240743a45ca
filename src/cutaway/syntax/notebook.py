"""Notebooks as Python source: the code cells in order, without what is not Python in them.

Each line of code keeps the number of the line of the file that holds it, so that places lead there. Where a file does not
hold the code line by line, its lines are counted in the order of the cells.
"""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterator, Sequence

from cutaway.core.error import CutawayError
from cutaway.core.notebook_line import stored_line
from cutaway.core.pattern import pattern
from cutaway.core.record import dataclass

ENDING = ".ipynb"

_MAGIC = pattern(r"(\s*)(?:%|!|\?)|(\s*)[\w.]+\?{1,2}\s*$")
_ASSIGNED_MAGIC = pattern(r"(\s*[\w., ]+=\s*)([%!].*)")
_AROUND_CODE = ("%%time", "%%timeit", "%%capture", "%%prun")
"""Cell magics that run the code below them; others take it as something else."""


class NotebookError(CutawayError):
    """A file that is not a notebook with Python in it."""


@dataclass(frozen=True, slots=True)
class Notebook:
    """The source of a notebook, and the cells that are left out because they can't be parsed: line and reason."""

    source: bytes
    skipped: tuple[tuple[int, str], ...]


def is_notebook(path: str) -> bool:
    """Tell whether a path is that of a notebook."""
    return path.endswith(ENDING)


def read(content: bytes, path: str) -> Notebook:
    """Return the code of a notebook."""
    cells = list(_cells(content, path))
    places = _places(content, [lines for _, lines in cells])
    source: dict[int, str] = {}
    skipped: list[tuple[int, str]] = []
    for (is_code, lines), first in zip(cells, places):
        if not is_code:
            continue
        code, error = _python(lines)
        if error is not None:
            skipped.append((first + (error.lineno or 1) - 1, f"the cell is not Python: {error.msg}"))
        source.update({first + offset: line for offset, line in enumerate(code)})
    text = "\n".join(source.get(number, "") for number in range(1, max(source, default=0) + 1))
    return Notebook(f"{text}\n".encode() if text.strip() else b"", tuple(skipped))


def _cells(content: bytes, path: str) -> Iterator[tuple[bool, list[str]]]:
    """Yield of each cell whether it holds code, and its lines."""
    import json

    try:
        book = json.loads(content)
        language = book.get("metadata", {}).get("language_info", {}).get("name", "python")
        sheets = [book, *book.get("worksheets", ())]
        cells = [cell for sheet in sheets for cell in sheet.get("cells", ())]
        texts = [(cell.get("cell_type") == "code", cell.get("source", cell.get("input", ""))) for cell in cells]
        lines = [(is_code, "".join(text).split("\n")) for is_code, text in texts]
    except (ValueError, AttributeError, TypeError, RecursionError):
        raise NotebookError(f"{path}: is not a notebook: its JSON is damaged, or of another kind") from None
    if isinstance(language, str) and not language.lower().startswith(("python", "ipython")):
        raise NotebookError(f"{path}: is a notebook in {language}, not in Python")
    yield from lines


def _places(content: bytes, cells: Sequence[list[str]]) -> list[int]:
    """Return for each cell the line of the file that holds its first line."""
    stored = [stored_line(line) for line in content.decode("utf-8", "replace").split("\n")]
    places: list[int] = []
    at = 0
    for cell in cells:
        lines = cell[:-1] if cell[-1] == "" else cell  # the file has no line for what follows the last line break
        if not lines:
            places.append(at + 1)
            continue
        first = next((i for i in range(at, len(stored)) if stored[i : i + len(lines)] == lines), None)
        if first is None:
            return _in_order(cells)
        places.append(first + 1)
        at = first + len(lines)
    return places


def _in_order(cells: Sequence[list[str]]) -> list[int]:
    places, line = [], 1
    for lines in cells:
        places.append(line)
        line += len(lines)
    return places


def _python(lines: list[str]) -> tuple[list[str], SyntaxError | None]:
    """Return the lines of a cell without magics and shell commands; none, and the error, where they are not Python."""
    if _syntax_error(lines) is None:
        return lines, None
    if lines[0].startswith("%%"):
        if not lines[0].startswith(_AROUND_CODE):
            return [], None
        lines = ["", *lines[1:]]
    plain: list[str] = []
    continues = False
    for line in lines:
        magic, assigned = _MAGIC.match(line), _ASSIGNED_MAGIC.fullmatch(line)
        if continues:
            plain.append("")
        elif magic is not None:
            plain.append((magic[1] or magic[2] or "") + "pass")
        elif assigned is not None:
            plain.append(f"{assigned[1]}get_ipython().getoutput({assigned[2]!r})")
        else:
            plain.append(line)
            continue
        continues = line.rstrip().endswith("\\")
    error = _syntax_error(plain)
    return (plain, None) if error is None else ([], error)


def _syntax_error(lines: list[str]) -> SyntaxError | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse("\n".join(lines))
    except SyntaxError as error:
        return error
    except (ValueError, RecursionError, MemoryError) as error:
        return SyntaxError(str(error))
    return None
