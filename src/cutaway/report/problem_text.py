"""Problems as text: each with its place, its code and a frame of the code, or one in a line."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core import disk
from cutaway.core.notebook_line import stored_line
from cutaway.core.problem import CheckedFile, Extent, Problem, ProblemNote, Severity
from cutaway.report.terminal import STYLES, Terminal, printable

_STYLES = {Severity.ERROR: "fault", Severity.WARNING: "doubt", Severity.HINT: "kind"}
_AROUND = 2  # lines of code above a problem
_MOST_LINES = 8
_LARGEST_FILE = 16 << 20
_NOTEBOOK = ".ipynb"


def render(files: Sequence[CheckedFile], terminal: Terminal, count: int) -> str:
    """Return all problems with frames of the code, and a summary; `count` is how many files were checked."""
    sources: dict[str, list[str]] = {}
    parts = [_full(problem, terminal, sources) for file in files for problem in file.problems]
    notes = [f"note: {printable(file.note, terminal)}\n" for file in files if file.note]
    return "\n".join([*parts, *(["".join(notes)] if notes else []), summary(files, count) + "\n"])


def concise(files: Sequence[CheckedFile], terminal: Terminal, count: int) -> str:
    """Return a line for each problem."""
    lines = [
        f"{_place(problem, terminal)}: {_painted(problem.severity.value, _STYLES[problem.severity], terminal)}"
        f"[{problem.code}] {printable(problem.message, terminal)}"
        for file in files
        for problem in file.problems
    ]
    lines += [f"note: {printable(file.note, terminal)}" for file in files if file.note]
    return "".join(f"{line}\n" for line in [*lines, summary(files, count)])


def summary(files: Sequence[CheckedFile], count: int) -> str:
    """Return how many problems there are."""
    counts = [
        f"{number} {severity.value}{'s' * (number != 1)}"
        for severity in Severity
        if (number := sum(problem.severity is severity for file in files for problem in file.problems))
    ]
    checked = f"{count} file{'s' * (count != 1)} checked"
    return f"{checked}: {', '.join(counts)}" if counts else f"{checked}: no problems found"


def _place(problem: Problem, terminal: Terminal) -> str:
    extent, file = problem.extent, printable(problem.file, terminal)
    return file if extent is None else f"{file}:{extent.line}:{extent.column}"


def _painted(text: str, style: str, terminal: Terminal) -> str:
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m" if terminal.colour else text


def _full(problem: Problem, terminal: Terminal, sources: dict[str, list[str]]) -> str:
    style = _STYLES[problem.severity]
    arrow = "-->"
    head = f"{_painted(f'{problem.severity.value}[{problem.code}]', style, terminal)} {printable(problem.message, terminal)}"
    extent = problem.extent
    lines = _source(problem.file, sources)
    if extent is None or extent.line > len(lines) or not lines[extent.line - 1].strip():
        return "\n".join([head, f" {arrow} {_place(problem, terminal)}", *_notes(problem.notes, 1, terminal), ""])
    width = len(str(min(extent.end_line, extent.line + _MOST_LINES)))
    bar = " " * width + " |"
    frame = [head, f"{' ' * width}{arrow} {_place(problem, terminal)}", bar]
    first = max(1, extent.line - _AROUND)
    while first < extent.line and not lines[first - 1].strip():
        first += 1
    for number in range(first, extent.line):
        frame.append(_numbered(number, width, lines))
    for number in range(extent.line, min(extent.end_line, extent.line + _MOST_LINES, len(lines)) + 1):
        frame.append(_numbered(number, width, lines))
        marks = _marks(lines[number - 1], number, extent)
        if marks.strip():
            frame.append(f"{bar} {_painted(marks, style, terminal)}")
    fix = [f"{' ' * width} = fix: {problem.fix.title}, as --fix does"] if problem.fix is not None else []
    return "\n".join([*frame, bar, *_notes(problem.notes, width, terminal), *fix, ""])


def _numbered(number: int, width: int, lines: list[str]) -> str:
    return f"{number:>{width}} | {_expanded(lines[number - 1])}".rstrip()


def _expanded(line: str) -> str:
    return "".join(letter if letter.isprintable() else "    " if letter == "\t" else "?" for letter in line)


def _marks(line: str, number: int, extent: Extent) -> str:
    first = extent.column - 1 if number == extent.line else len(line) - len(line.lstrip())
    last = extent.end_column - 1 if number == extent.end_line else len(line.rstrip())
    return " " * len(_expanded(line[:first])) + "^" * max(len(_expanded(line[first:last])), 1)


def _notes(notes: Sequence[ProblemNote], width: int, terminal: Terminal) -> list[str]:
    texts = [f"{note.place}: {note.text}" if note.place else note.text for note in notes]
    return [f"{' ' * width} = {printable(text, terminal)}" for text in texts]


def _source(file: str, sources: dict[str, list[str]]) -> list[str]:
    """Return the lines of code of a file as it is on disk."""
    if file not in sources:
        try:
            lines = disk.content(file, _LARGEST_FILE).decode("utf-8", "replace").splitlines()
            sources[file] = [stored_line(line) or "" for line in lines] if file.endswith(_NOTEBOOK) else lines
        except (OSError, ValueError):
            sources[file] = []
    return sources[file]
