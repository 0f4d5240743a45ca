"""`check --fix`: what fixes insert into files."""

from __future__ import annotations

import ast
import os
from collections.abc import Iterable, Sequence

from cutaway.core.error import CutawayError
from cutaway.core.problem import CheckedFile, Edit, Problem
from cutaway.core.record import replace
from cutaway.isolation.files import write_file
from cutaway.syntax import source


def apply_fixes(files: Sequence[CheckedFile]) -> tuple[list[CheckedFile], int]:
    """Fix what can be fixed in some files; return them with the problems that are left, and how many were fixed."""
    checked = {os.path.abspath(file.path) for file in files}
    problems = [problem for file in files for problem in file.problems if problem.fix is not None]
    problems = [problem for problem in problems if os.path.abspath(problem.file) in checked]
    fixed: set[Problem] = set()
    for path in dict.fromkeys(problem.file for problem in problems):
        fixed.update(_fixed(path, [problem for problem in problems if problem.file == path]))
    remaining = [replace(file, problems=tuple(each for each in file.problems if each not in fixed)) for file in files]
    return remaining, len(fixed)


def _fixed(path: str, problems: list[Problem]) -> list[Problem]:
    """Write a file with its fixes, and return the problems that are gone; one whose fix breaks the syntax stays."""
    content = source.content(path)
    done: list[Problem] = []
    for problem in problems:
        edits = [edit for each in (*done, problem) if each.fix is not None for edit in each.fix.edits]
        if _is_valid(edited(content, edits)):
            done.append(problem)
    if done:
        changed = edited(content, [edit for each in done if each.fix is not None for edit in each.fix.edits])
        try:
            write_file(changed, path)
        except OSError as error:
            raise CutawayError(f"{path}: can't be written ({error.strerror})") from None
    return done


def edited(content: bytes, edits: Iterable[Edit]) -> bytes:
    """Return a text with insertions; later ones are made first, so that places stay right."""
    lines = content.splitlines(keepends=True)
    for edit in sorted(dict.fromkeys(edits), key=lambda each: (each.line, each.column), reverse=True):
        line = lines[edit.line - 1]
        lines[edit.line - 1] = line[: edit.column] + edit.text.encode() + line[edit.column :]
    return b"".join(lines)


def _is_valid(content: bytes) -> bool:
    try:
        ast.parse(content)
    except (SyntaxError, ValueError):
        return False
    return True
