"""The files of a repository that may define networks, or build some."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress

from cutaway.core import disk
from cutaway.core.pattern import pattern
from cutaway.syntax import notebook, source

_SKIPPED = frozenset(("node_modules", "site-packages", "build", "dist", "test", "tests", "testing", "docs"))
_ENVIRONMENT = "pyvenv.cfg"
_NETWORK = pattern(
    rb"^[ \t\"]*class\s+\w+\s*\(\s*[\w.]|\bSequential\s*\(|__main__|\.backward\s*\(|\.fit\s*\(|\bModel\s*\(",
    re.MULTILINE,
)


def network_files(folder: str, frameworks: re.Pattern[bytes]) -> list[str]:
    """Return the files below a folder that mention a framework, and a class, a network or an entry point.

    Tests, documentation, environments and hidden folders are left out.
    """
    return [path for path in _code_files(folder) if _may_have_networks(path, frameworks)]


def _code_files(folder: str) -> Iterator[str]:
    waiting = [(path, is_folder) for path, is_folder in reversed(_inside(folder))]
    while waiting:
        path, is_folder = waiting.pop()
        if is_folder:
            with suppress(OSError):  # it may not be read, or its path is too long
                waiting.extend(reversed(_inside(path)))
        else:
            yield path


def _inside(folder: str) -> list[tuple[str, bool]]:
    """Return the files and folders in a folder, and whether each is a folder."""
    names = disk.names(folder)
    if _ENVIRONMENT in names:
        return []
    entries: list[tuple[str, bool]] = []
    for name in names:
        path = os.path.join(folder, name)
        if disk.is_link(path) or name.startswith("."):
            continue
        if disk.is_folder(path):
            entries += [(path, True)] if name not in _SKIPPED else []
        elif name.endswith((".py", notebook.ENDING)) and not name.startswith("test_") and name != "setup.py":
            entries.append((path, False))
    return entries


def _may_have_networks(path: str, frameworks: re.Pattern[bytes]) -> bool:
    try:
        text = source.content(path)
    except source.SourceError:  # it is too large, or can't be read
        return False
    return frameworks.search(text) is not None and (notebook.is_notebook(path) or _NETWORK.search(text) is not None)
