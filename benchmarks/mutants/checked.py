"""What `cutaway check` says of a program whose fault is known: where, and as a benchmark prints it."""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.core.problem import CheckedFile, Problem


def lines_of(problems: Iterable[Problem]) -> set[int]:
    """Return the lines of problems and of their notes."""
    listed = list(problems)
    notes = (note.place.line for problem in listed for note in problem.notes if note.place is not None)
    return {problem.line for problem in listed}.union(notes)


def print_problems(checked: CheckedFile) -> None:
    """Print all that is said of a program."""
    for problem in checked.problems:
        print(f"    {problem.line}: {problem.severity.value} [{problem.code}] {problem.message}")
    if checked.note:
        print(f"    {checked.note}")
