"""Problems as commands of a GitHub workflow, which shows them beside the changed lines."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.problem import CheckedFile, Problem, Severity

_COMMANDS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "notice"}


def render(files: Sequence[CheckedFile]) -> str:
    """Return a command for each problem."""
    return "".join(f"{_command(problem)}\n" for file in files for problem in file.problems)


def _command(problem: Problem) -> str:
    fields = {"title": f"cutaway ({problem.code})", "file": problem.file}
    extent = problem.extent
    if extent is not None:
        fields.update(line=str(extent.line), endLine=str(extent.end_line))
        if extent.line == extent.end_line:
            fields.update(col=str(extent.column), endColumn=str(extent.end_column))
    notes = [f"\n{note.place}: {note.text}" if note.place else f"\n{note.text}" for note in problem.notes]
    listed = ",".join(f"{name}={_escaped(value, ':,')}" for name, value in fields.items())
    return f"::{_COMMANDS[problem.severity]} {listed}::{_escaped(problem.message + ''.join(notes))}"


def _escaped(text: str, more: str = "") -> str:
    text = text.replace("%", "%25")
    for letter in f"\r\n{more}":
        text = text.replace(letter, f"%{ord(letter):02X}")
    return text
