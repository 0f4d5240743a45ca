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
    names = disk.names(folder)
    if _ENVIRONMENT in names:
        return
    for name in names:
        path = os.path.join(folder, name)
        if disk.is_link(path) or name.startswith("."):
            continue
        if disk.is_folder(path):
            if name not in _SKIPPED:
                with suppress(PermissionError):
                    yield from _code_files(path)
        elif name.endswith((".py", notebook.ENDING)) and not name.startswith("test_") and name != "setup.py":
            yield path


def _may_have_networks(path: str, frameworks: re.Pattern[bytes]) -> bool:
    try:
        text = source.content(path)
    except source.SourceError:  # it is too large, or can't be read
        return False
    return frameworks.search(text) is not None and (notebook.is_notebook(path) or _NETWORK.search(text) is not None)
