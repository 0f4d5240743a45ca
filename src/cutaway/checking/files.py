"""The files below some paths that may have something to check: Python, notebooks, Markdown."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from fnmatch import fnmatch

from cutaway.checking.ignored_paths import Ignored
from cutaway.core.error import CutawayError
from cutaway.syntax import markdown, notebook

_ENDINGS = (".py", notebook.ENDING, *markdown.ENDINGS)
_SKIPPED = frozenset(("node_modules", "site-packages", "__pycache__", "__pypackages__"))
_ENVIRONMENT = "pyvenv.cfg"
_LARGEST = 4 << 20  # bytes of a file that is looked into


def checked_files(paths: Iterable[str], excluded: Iterable[str], mention: re.Pattern[bytes]) -> list[str]:
    """Return the files below folders that mention a framework, and those that are named, each once, in order.

    What `.gitignore` leaves out, environments, and hidden folders are not looked into.
    """
    found: dict[str, None] = {}
    excluded = list(excluded)
    for path in paths:
        if os.path.isdir(path):
            for file in _below(path, _above(path)):
                if not _is_excluded(file, excluded) and _mentions(file, mention):
                    found.setdefault(file)
        elif os.path.exists(path):
            if not path.endswith(_ENDINGS):
                raise CutawayError(f"{path}: is not a Python file, a notebook or a Markdown document")
            found.setdefault(os.path.normpath(path))
        else:
            raise CutawayError(f"{path}: no such file or folder")
    return list(found)


def _above(folder: str) -> Ignored:
    """Return the ignore files of the repository that a folder is in, above the folder itself."""
    parents: list[str] = []
    parent = os.path.abspath(folder)
    while not os.path.exists(os.path.join(parent, ".git")):
        above = os.path.dirname(parent)
        if above == parent:
            return Ignored()
        parents.append(parent)
        parent = above
    ignored = Ignored()
    for each in reversed([*parents[1:], parent] if parents else []):
        ignored = ignored.below(each)
    return ignored


def _below(folder: str, ignored: Ignored) -> Iterator[str]:
    waiting: list[tuple[str, Ignored | None]] = [(folder, ignored)]  # with None, a file
    while waiting:
        path, above = waiting.pop()
        if above is None:
            yield os.path.normpath(path)
        else:
            waiting.extend(reversed(list(_inside(path, above.below(path)))))


def _inside(folder: str, ignored: Ignored) -> Iterator[tuple[str, Ignored | None]]:
    """Yield the files of a folder, each with None, and the folders in it."""
    try:
        with os.scandir(folder) as listing:
            entries = sorted(listing, key=lambda entry: entry.name)
    except OSError:
        return
    if any(entry.name == _ENVIRONMENT for entry in entries):
        return
    for entry in entries:
        is_folder = entry.is_dir(follow_symlinks=False)
        if entry.name.startswith(".") or entry.is_symlink() or ignored.leaves_out(entry.path, is_folder):
            continue
        if is_folder:
            if entry.name not in _SKIPPED:
                yield entry.path, ignored
        elif entry.name.endswith(_ENDINGS) and entry.is_file():  # to open a pipe would wait for its other end
            yield entry.path, None


def _is_excluded(path: str, patterns: list[str]) -> bool:
    parts = path.replace(os.sep, "/")
    return any(
        fnmatch(parts, pattern) or fnmatch(parts, f"*/{pattern}") or _is_in(parts, pattern) for pattern in patterns
    )


def _is_in(path: str, folder: str) -> bool:
    return f"/{folder.strip('/')}/" in f"/{path}"


def _mentions(path: str, mention: re.Pattern[bytes]) -> bool:
    try:
        with open(path, "rb") as file:
            return mention.search(file.read(_LARGEST)) is not None
    except OSError:
        return False
