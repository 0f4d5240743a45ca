"""Problems as JSON, as `check --format json` prints them and the cache stores them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from cutaway.core.place import Place
from cutaway.core.problem import CheckedFile, Edit, Extent, Fix, Problem, ProblemNote, Severity

FORMAT = "cutaway/problems/1"


class MalformedProblems(Exception):
    """A document that is not what `file_to` returns."""


def render(files: Sequence[CheckedFile]) -> str:
    """Return a document of all problems."""
    document = {"format": FORMAT, "files": [file_to(file) for file in files]}
    return json.dumps(document, indent=2) + "\n"


def file_to(file: CheckedFile) -> dict[str, Any]:
    """Return a file and its problems as data."""
    return {"path": file.path, "note": file.note, "problems": [_problem_to(each) for each in file.problems]}


def _problem_to(problem: Problem) -> dict[str, Any]:
    extent = problem.extent
    return {
        "code": problem.code,
        "severity": problem.severity.value,
        "message": problem.message,
        "file": problem.file,
        "extent": None if extent is None else [extent.line, extent.column, extent.end_line, extent.end_column],
        "notes": [_note_to(note) for note in problem.notes],
        "fix": None if problem.fix is None else _fix_to(problem.fix),
    }


def _fix_to(fix: Fix) -> dict[str, Any]:
    return {"title": fix.title, "insertions": [[edit.line, edit.column, edit.text] for edit in fix.edits]}


def _note_to(note: ProblemNote) -> dict[str, Any]:
    place = note.place
    return {"text": note.text, "file": place.file if place else None, "line": place.line if place else None}


def file_from(document: Any) -> CheckedFile:
    """Return the file that `file_to` was given."""
    try:
        problems = tuple(_problem_from(each) for each in document["problems"])
        return CheckedFile(_text(document["path"]), problems, _text(document["note"]))
    except (KeyError, TypeError, ValueError, IndexError) as error:
        raise MalformedProblems(str(error)) from None


def _problem_from(document: Any) -> Problem:
    extent = document["extent"]
    return Problem(
        _text(document["code"]),
        Severity(document["severity"]),
        _text(document["message"]),
        _text(document["file"]),
        None if extent is None else Extent(*(_number(each) for each in extent)),
        tuple(_note_from(note) for note in document["notes"]),
        None if document["fix"] is None else _fix_from(document["fix"]),
    )


def _fix_from(document: Any) -> Fix:
    edits = (Edit(_number(line), _number(column), _text(text)) for line, column, text in document["insertions"])
    return Fix(_text(document["title"]), tuple(edits))


def _note_from(document: Any) -> ProblemNote:
    place = None if document["file"] is None else Place(_text(document["file"]), _number(document["line"]))
    return ProblemNote(_text(document["text"]), place)


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise ValueError(f"{value!r} is not a string")
    return value


def _number(value: Any) -> int:
    if not isinstance(value, int):
        raise ValueError(f"{value!r} is not a number")
    return value
