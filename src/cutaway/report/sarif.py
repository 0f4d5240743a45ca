"""Problems as SARIF 2.1.0, which code scanning services and editors read."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import quote

from cutaway.core.place import Place
from cutaway.core.problem import CheckedFile, Extent, Problem, Severity

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
_LEVELS = {Severity.ERROR: "error", Severity.WARNING: "warning", Severity.HINT: "note"}


def render(files: Sequence[CheckedFile], version: str, help_texts: Mapping[str, tuple[str, str]]) -> str:
    """Return a log of one run; `help_texts` has the summary and the documentation of each code."""
    problems = [problem for file in files for problem in file.problems]
    codes = sorted({problem.code for problem in problems})
    rules = [_rule(code, *help_texts.get(code, (code, code))) for code in codes]
    notifications = [{"level": "note", "message": {"text": _plain(file.note)}} for file in files if file.note]
    run: dict[str, Any] = {
        "tool": {"driver": {"name": "Cutaway", "version": version, "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(problem, codes.index(problem.code)) for problem in problems],
    }
    if notifications:
        run["invocations"] = [{"executionSuccessful": True, "toolExecutionNotifications": notifications}]
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _rule(code: str, summary: str, text: str) -> dict[str, Any]:
    return {"id": code, "shortDescription": {"text": summary}, "help": {"text": text, "markdown": text}}


def _result(problem: Problem, index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": problem.code,
        "ruleIndex": index,
        "level": _LEVELS[problem.severity],
        "message": {"text": _plain(problem.message)},
        "locations": [{"physicalLocation": _location(problem.file, problem.extent)}],
    }
    related = [_related(note.text, note.place) for note in problem.notes if note.place is not None]
    return {**result, "relatedLocations": related} if related else result


def _related(text: str, place: Place | None) -> dict[str, Any]:
    assert place is not None, "notes without a place are left out"
    extent = Extent(place.line, 1, place.line, 1) if place.line else None
    return {"message": {"text": _plain(text)}, "physicalLocation": _location(place.file, extent)}


def _quoted(path: str) -> str:
    return quote(path, errors="surrogateescape")  # the bytes of a name that is not encoded in UTF-8


def _plain(text: str) -> str:
    """Return a message without what readers take for a link, or for a place of an argument."""
    return text.replace("](", "] (").encode("utf-8", "replace").decode()


def _location(file: str, extent: Extent | None) -> dict[str, Any]:
    path = file.replace(os.sep, "/")
    location: dict[str, Any] = {
        "artifactLocation": {"uri": f"file://{_quoted(path)}" if os.path.isabs(file) else _quoted(path)}
    }
    if extent is not None:
        location["region"] = {
            "startLine": extent.line,
            "startColumn": extent.column,
            "endLine": extent.end_line,
            "endColumn": extent.end_column,
        }
    return location
