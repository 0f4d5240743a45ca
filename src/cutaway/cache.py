"""Results on disk, which are reused while everything that they depend on is unchanged.

An entry is named after the request, and holds the digests of all files that the analysis read and the answers to
all other queries about the file system (`core/disk.py`). It is reused only where each of them is the same,
byte for byte, and the same version of Cutaway wrote it. Entries are JSON; each is written completely or not at all, so
that processes can share them, and any of them can be deleted at any time.

Whole results are stored, not syntax trees: no file format loads a syntax tree as fast as the parser
builds it from the source.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from cutaway import __version__
from cutaway.core import disk
from cutaway.core.architecture import Architecture
from cutaway.core.import_path import DROPPED
from cutaway.isolation.channel import CHANNEL, ENTRY, ENTRY_USED
from cutaway.isolation.files import mark_used, write_entry
from cutaway.syntax.project import active_environments

VARIABLE = "CUTAWAY_CACHE"
_LARGEST_SOURCE = 1 << 25
MIN_SECONDS = 0.5  # a shorter analysis is repeated

Key = list[str]


def folder() -> str:
    """Return the folder of the entries: as the environment says, or the user's cache folder."""
    configured = os.environ.get(VARIABLE)
    if configured:
        return configured
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "cutaway")


def key(*request: object) -> Key:
    """Return what a result depends on besides the file system: the request, the working folder, and Python."""
    return [*map(repr, request), os.getcwd(), sys.version, *active_environments(), *DROPPED, "", *sys.path]


def find(request: Key) -> tuple[Architecture, ...] | None:
    """Return the cached result, if it is still valid."""
    path = entry_path(request)
    try:
        with open(path, "rb") as file:
            import json

            from cutaway.report.json import loads  # late: only a cached result is read

            head = json.loads(file.readline())
            if head["key"] != request or head["made_by"] != cutaway_version() or not _is_unchanged(head):
                return None
            architectures = loads(file.read())
        if CHANNEL.sealed:
            CHANNEL.send(ENTRY_USED, path)
        else:
            mark_used(path)
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # missing or damaged
        return None
    return architectures


def store(request: Key, recording: disk.Recording, result: Sequence[Architecture]) -> None:
    """Store a result, where possible; a folder that can't be written to stores nothing."""
    if not recording.repeatable:
        return
    import json

    from cutaway.report.json import dumps  # late: only a new result is written

    head = {
        "key": request,
        "made_by": cutaway_version(),
        "answers": [[*query, answer] for query, answer in recording.answers.items()],
        "contents": {path: digest(content) for path, content in recording.contents.items()},
    }
    path = entry_path(request)
    with suppress(ValueError, RecursionError):
        text = json.dumps(head).encode() + b"\n" + dumps(result).encode()
        if not CHANNEL.sealed:
            write_entry(text, path)
        elif path in CHANNEL.entries:
            CHANNEL.send(ENTRY, os.fsencode(path) + b"\0" + text)  # to the parent, which was told the path


def entry_path(request: Key) -> str:
    """Return the file of a result. It is named after all of the request: no other request can be given its content."""
    name = digest("\0".join(request).encode(errors="replace"))
    return os.path.join(folder(), f"{name}.json")


def _is_unchanged(head: dict[str, object]) -> bool:
    answers, contents = head["answers"], head["contents"]
    assert isinstance(answers, list) and isinstance(contents, dict)
    return all(disk.ask(*query) == answer for *query, answer in answers) and all(
        digest_of(path) == digest for path, digest in contents.items()
    )


def digest_of(path: str) -> str:
    return digest(disk.content(path, _LARGEST_SOURCE))


def digest(content: bytes) -> str:
    try:
        from _blake2 import blake2b  # hashlib, which imports OpenSSL as well, takes longer to import than to use
    except ImportError:
        from hashlib import blake2b

    return blake2b(content, digest_size=20).hexdigest()


def cutaway_version() -> str:
    """Return which Cutaway this is: its version, and the sizes and times of its files."""
    top = os.path.dirname(os.path.abspath(__file__))
    files = []
    for place, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            status = os.stat(os.path.join(place, name))
            files.append(f"{place}/{name} {status.st_size} {status.st_mtime_ns}")
    return f"{__version__} {digest(chr(10).join(sorted(files)).encode())}"
