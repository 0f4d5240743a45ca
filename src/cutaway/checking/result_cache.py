"""The results of `check` on disk: one file for all of a run, reused for each file on which nothing has changed.

As in `cache.py`, a result is reused only if every file that was read for it is the same, byte for byte, and every question
that was asked of the file system has the same answer. Many results depend on the same files, so these are compared once.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from cutaway.cache import cutaway_version, digest, digest_of, folder, key
from cutaway.core import disk
from cutaway.core.problem import CheckedFile
from cutaway.isolation.files import mark_used, write_entry
from cutaway.report.problem_json import MalformedProblems, file_from, file_to

Depends = Mapping[str, Any]
"""What a result depends on: `answers` and `contents`, as `file_check.py` returns them."""


class CheckCache:
    """The results of earlier runs with the same options, and those of this one."""

    def __init__(self, *request: object) -> None:
        self._key = key("check", *request)
        name = digest("\0".join(self._key).encode(errors="replace"))
        self._path = os.path.join(folder(), f"check-{name}.json")
        self._answers: list[list[Any]] = []
        self._contents: list[list[str]] = []
        self._numbers: dict[str, int] = {}
        self._entries: dict[str, dict[str, Any]] = {}
        self._changed = False

    def read(self) -> dict[str, CheckedFile]:
        """Return the results that still hold, by path."""
        try:
            with open(self._path, "rb") as file:
                document = json.loads(file.read())
            if document["key"] != self._key or document["made_by"] != cutaway_version():
                return {}
            holds = [disk.ask(*query) == answer for *query, answer in document["answers"]]
            same = [_is_same(path, expected) for path, expected in document["contents"]]
            results: dict[str, CheckedFile] = {}
            for path, entry in document["entries"].items():
                if all(holds[at] for at in entry["answers"]) and all(same[at] for at in entry["contents"]):
                    results[path] = file_from(entry["file"])
                    answers = [document["answers"][at] for at in entry["answers"]]
                    contents = [document["contents"][at] for at in entry["contents"]]
                    self._enter(path, entry["file"], answers, contents)
            self._changed = len(results) != len(document["entries"])
            mark_used(self._path)
            return results
        except (OSError, ValueError, KeyError, TypeError, IndexError, RecursionError, MalformedProblems):
            return {}  # missing or damaged

    def add(self, path: str, file: CheckedFile, depends: Depends) -> None:
        """Keep a result, also one that the time limit, which is part of the request, has cut short."""
        if depends and os.path.isfile(path):
            self._enter(path, file_to(file), depends["answers"], list(map(list, depends["contents"].items())))
            self._changed = True

    def write(self) -> None:
        """Store all results, where possible."""
        if not self._changed:
            return
        document = {
            "key": self._key,
            "made_by": cutaway_version(),
            "answers": self._answers,
            "contents": self._contents,
            "entries": self._entries,
        }
        with suppress(ValueError, RecursionError):
            write_entry(json.dumps(document).encode(), self._path)

    def _enter(self, path: str, file: Any, answers: Iterable[Any], contents: Iterable[Any]) -> None:
        self._entries[path] = {
            "file": file,
            "answers": [self._number(list(answer), self._answers) for answer in answers],
            "contents": [self._number(list(content), self._contents) for content in contents],
        }

    def _number(self, item: list[Any], table: list[Any]) -> int:
        """Return the number of an item in a table, which it is added to if it is not there."""
        name = json.dumps([table is self._answers, item])
        if name not in self._numbers:
            self._numbers[name] = len(table)
            table.append(item)
        return self._numbers[name]


def _is_same(path: str, expected: str) -> bool:
    try:
        return digest_of(path) == expected
    except OSError:
        return False
