"""The file system as an analysis sees it: every query goes through here, so that it can be repeated later.

A `Recording` holds the queries and their answers. As long as all answers stay the same, the analysis
would give the same result, which is what `cutaway/cache.py` relies on.
"""

from __future__ import annotations

import errno
import itertools
import os
import re
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from cutaway.core import context
from cutaway.core.context import CURRENT

_LARGEST_METADATA = 4 << 20

Query = tuple[str, ...]
"""The name of one of the functions below, and its arguments."""


class Recording:
    """The queries of one analysis, and whether repeating them can show that nothing has changed."""

    __slots__ = ("answers", "contents", "repeatable")

    def __init__(self) -> None:
        self.answers: dict[Query, Any] = {}
        self.contents: dict[str, bytes] = {}
        self.repeatable = True


@contextmanager
def recorded() -> Iterator[Recording]:
    """Record queries; one that is repeated gets the same answer."""
    recording = Recording()
    with context.installed(CURRENT.get().derived(recording=recording)):
        yield recording


def content(path: str, most: int) -> bytes:
    """Return the bytes of a regular file; raise `OSError` for one that is larger, and for a pipe, which might never end."""
    descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
    with open(descriptor, "rb") as file:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "not a regular file", path)
        data = file.read(most + 1)
    if len(data) > most:
        raise OSError(errno.EFBIG, f"larger than {most:,} bytes", path)
    return data


def unrepeatable() -> None:
    """Note that the result depends on something that can't be queried again: a pipe, or how fast the machine is."""
    recording = CURRENT.get().recording
    if recording is not None:
        recording.repeatable = False


def was_read(path: str, content: bytes) -> None:
    """Record the content of a file."""
    recording = CURRENT.get().recording
    if recording is not None:
        recording.contents[path] = content


def ask(*query: str) -> Any:
    """Answer a query, and record the answer."""
    recording = CURRENT.get().recording
    if recording is None:
        return _QUERIES[query[0]](*query[1:])
    answers = recording.answers
    if query not in answers:
        answers[query] = _QUERIES[query[0]](*query[1:])
    return answers[query]


def is_file(path: str) -> bool:
    """Tell whether there is a file at a path."""
    return ask("is_file", path)  # type: ignore[no-any-return]


def is_folder(path: str) -> bool:
    """Tell whether there is a folder at a path."""
    return ask("is_folder", path)  # type: ignore[no-any-return]


def exists(path: str) -> bool:
    """Tell whether there is anything at a path."""
    return ask("exists", path)  # type: ignore[no-any-return]


def is_link(path: str) -> bool:
    """Tell whether a path is a symbolic link."""
    return ask("is_link", path)  # type: ignore[no-any-return]


def real_path(path: str) -> str:
    """Return a path without symbolic links."""
    return ask("real_path", path)  # type: ignore[no-any-return]


def names(folder: str, *endings: str) -> list[str]:
    """Return the sorted names in a folder, or those with one of the endings; raise `OSError` as the system does."""
    entries = ask("names", folder, *endings)
    if entries is None:
        try:
            os.listdir(folder)  # raises what it raised before
        except ValueError as error:  # no path has such a character
            raise FileNotFoundError(errno.ENOENT, str(error), folder) from None
        return []
    return list(entries)


def matching(pattern: str, recursive: bool) -> list[str]:
    """Return the sorted paths that match a shell pattern."""
    return list(ask("matching", pattern, "recursive" if recursive else ""))


def version(distribution: str, folder: str) -> str | None:
    """Return the version of a distribution that is installed in a folder, None where it is not."""
    return ask("version", distribution, folder)  # type: ignore[no-any-return]


def requirements(distribution: str, folder: str) -> tuple[list[str], list[str]] | None:
    """Return the distributions that one which is installed in a folder says it imports: always, and only for some uses.

    It is None where that is not known.
    """
    known = ask("requirements", distribution, folder)
    return None if known is None else (list(known[0]), list(known[1]))


def imported_names(distribution: str, folder: str) -> list[str] | None:
    """Return the names of what can be imported of a distribution: none where it is not installed in a folder, None where
    it does not list them."""
    known = ask("imported_names", distribution, folder)
    return None if known is None else list(known)


def _names(folder: str, *endings: str) -> list[str] | None:
    try:
        entries = os.listdir(folder)
    except (OSError, ValueError):
        return None
    return sorted(entry for entry in entries if not endings or entry.endswith(endings))


def _matching(pattern: str, recursive: str) -> list[str]:
    import glob

    return sorted(glob.iglob(pattern, recursive=bool(recursive)))


def _version(distribution: str, folder: str) -> str | None:
    declared = _metadata(distribution, folder, "Version")
    if declared:
        return declared[0]
    if not ask("names", folder, ".egg-info", ".egg", ".dist-info"):
        return None
    from importlib.metadata import distributions  # late: it takes longer to import than most programs to be read

    return next((installed.version for installed in distributions(name=distribution, path=[folder])), None)


def _requirements(distribution: str, folder: str) -> list[list[str]] | None:
    declared = _metadata(distribution, folder, "Requires-Dist")
    if declared is None:
        return None
    names: tuple[set[str], set[str]] = set(), set()
    for each in declared:
        is_optional = "extra" in each.partition(";")[2]
        names[is_optional].add(re.split(r"[^\w.-]", each, maxsplit=1)[0].replace("-", "_").lower())
    certain, optional = names
    return [sorted(certain), sorted(optional - certain)]


def _imported_names(distribution: str, folder: str) -> list[str] | None:
    home = _home_of(distribution, folder)
    if home is None:
        return []
    try:
        listed = content(os.path.join(folder, home, "RECORD"), _LARGEST_METADATA).decode("utf-8", "replace")
    except OSError:
        return None
    tops = {line.partition(",")[0].partition("/")[0].partition(".")[0] for line in listed.splitlines()}
    return sorted(tops - {"", home.partition(".")[0]})


def _home_of(distribution: str, folder: str) -> str | None:
    """Return the folder with what is declared of a distribution, None where it is not installed."""
    entries = ask("names", folder, ".dist-info") or []
    name = distribution.replace("-", "_").lower()
    return next((entry for entry in entries if entry.partition("-")[0].lower() == name), None)


def _metadata(distribution: str, folder: str, field: str) -> list[str] | None:
    """Return the values of a field that a distribution declares, None where it is not installed in a folder."""
    home = _home_of(distribution, folder)
    if home is None:
        return None
    try:
        text = content(os.path.join(folder, home, "METADATA"), _LARGEST_METADATA).decode("utf-8", "replace")
    except OSError:
        return None
    declared = itertools.takewhile(str.strip, text.splitlines())
    return [line.partition(":")[2].strip() for line in declared if line.startswith(f"{field}:")]


_QUERIES: dict[str, Callable[..., Any]] = {
    "is_file": os.path.isfile,
    "is_folder": os.path.isdir,
    "exists": os.path.exists,
    "is_link": os.path.islink,
    "real_path": os.path.realpath,
    "names": _names,
    "matching": _matching,
    "version": _version,
    "requirements": _requirements,
    "imported_names": _imported_names,
}
