"""Lines of source around places, for a reader who wants to see them in their context."""

from __future__ import annotations

import os
from typing import Any

from cutaway.core import disk
from cutaway.core.pattern import pattern
from cutaway.core.place import Place

AROUND = 4
"""Lines before and after a place."""

LONGEST_LINE = 200
_LARGEST_FILE = 16 << 20
_INSTALLED = pattern(r".*[/\\](?:site|dist)-packages[/\\]")


def short_path(path: str) -> str:
    """Return a path as a reader looks for it: from the working folder, or from where packages are installed."""
    here = os.path.join(os.getcwd(), "")
    return path[len(here) :] if path.startswith(here) else _INSTALLED.sub("", path)


class SourceLines:
    """Places that are cited, and the lines around them."""

    def __init__(self) -> None:
        self._cited: dict[str, set[int]] = {}
        self._names: dict[str, str] = {}

    def cite(self, place: Place) -> list[Any]:
        """Return a place as `[file, line]`, under the file's short name."""
        name = self._names.setdefault(place.file, short_path(place.file))
        if place.line:
            self._cited.setdefault(place.file, set()).add(place.line)
        return [name, place.line]

    def excerpts(self) -> dict[str, dict[str, str]]:
        """Return the lines around all places that were cited, by file and number; files that can't be read are left out."""
        return {self._names[file]: _lines(file, numbers) for file, numbers in self._cited.items()}


def _lines(file: str, numbers: set[int]) -> dict[str, str]:
    if not file.endswith(".py"):
        return {}
    try:
        content = disk.content(file, _LARGEST_FILE)
    except (OSError, ValueError):
        return {}
    lines = content.decode("utf-8", "replace").splitlines()
    wanted = {line for number in numbers for line in range(number - AROUND, number + AROUND + 1)}
    return {str(number): lines[number - 1][:LONGEST_LINE] for number in sorted(wanted) if 1 <= number <= len(lines)}
