"""Results kept on disk, and given back while everything that they were made from is as it was.

An entry is named after what was asked for, and holds the digests of all files that the analysis read and its answers to
all other questions about the file system (`core/disk.py`). It is given back only where each of them is the same,
byte for byte, and this Cutaway is the one that made it. Entries are JSON; each is written whole or not at all, so
that processes can share them, and any of them can be deleted at any time.

Kept are whole results, not syntax trees: nothing that a file could hold becomes a syntax tree as fast as the parser
makes one from the source.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from cutaway import __version__
from cutaway.core import disk
from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError

VARIABLE = "CUTAWAY_CACHE"
WORTH_SECONDS = 0.5  # of an analysis; a shorter one is done again
_MOST_BYTES = 256 << 20

Key = list[str]


def folder() -> str:
    """Return the folder of the entries: what the environment says, or the user's folder for such."""
    given = os.environ.get(VARIABLE)
    if given:
        return given
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~")
    elif sys.platform == "darwin":
        base = os.path.expanduser("~/Library/Caches")
    else:
        base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "cutaway")


def key(*asked: object) -> Key:
    """Return what a result depends on beside the file system: what was asked, from where, and by which Python."""
    return [*map(repr, asked), os.getcwd(), sys.version, *sys.path]


def find(asked: Key) -> tuple[Architecture, ...] | None:
    """Return the result that was kept, if it would come out again."""
    path = _path(asked)
    try:
        with open(path, "rb") as file:
            import json

            from cutaway.report.json import loads  # late: only a cached result is read

            head = json.loads(file.readline())
            if head["key"] != asked or head["made_by"] != _stamp() or not _is_unchanged(head):
                return None
            found = loads(file.read())
        os.utime(path)  # it is in use
    except (OSError, ValueError, KeyError, TypeError, RecursionError):  # none, or damaged
        return None
    return found


def keep(asked: Key, recording: disk.Recording, result: Sequence[Architecture]) -> None:
    """Keep a result, where it can be kept; a folder that can't be written to keeps nothing."""
    if not recording.repeatable:
        return
    import json

    # late: only a new result is written
    from cutaway.commands.output import write
    from cutaway.report.json import dumps

    head = {
        "key": asked,
        "made_by": _stamp(),
        "answers": [[*question, answer] for question, answer in recording.answers.items()],
        "contents": {path: _digest(content) for path, content in recording.contents.items()},
    }
    with suppress(OSError, CutawayError, ValueError, RecursionError):
        text = json.dumps(head).encode() + b"\n" + dumps(result).encode()
        os.makedirs(folder(), mode=0o700, exist_ok=True)
        _make_room(len(text))
        write(text, _path(asked))


def _path(asked: Key) -> str:
    import zlib  # two keys of one name take turns: the entry says which it is for

    name = zlib.crc32("\0".join(asked).encode(errors="replace"))
    return os.path.join(folder(), f"{name:08x}.json")


def _is_unchanged(head: dict[str, object]) -> bool:
    answers, contents = head["answers"], head["contents"]
    assert isinstance(answers, list) and isinstance(contents, dict)
    return all(disk.ask(*question) == answer for *question, answer in answers) and all(
        _digest_of(path) == digest for path, digest in contents.items()
    )


def _digest_of(path: str) -> str:
    with open(path, "rb") as file:
        return _digest(file.read())


def _digest(content: bytes) -> str:
    import hashlib

    return hashlib.blake2b(content, digest_size=20).hexdigest()


def _stamp() -> str:
    """Return which Cutaway this is: its version, and its files as they lie there."""
    top = os.path.dirname(os.path.abspath(__file__))
    files = []
    for place, folders, names in os.walk(top):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            told = os.stat(os.path.join(place, name))
            files.append(f"{place}/{name} {told.st_size} {told.st_mtime_ns}")
    return f"{__version__} {_digest(chr(10).join(sorted(files)).encode())}"


def _make_room(size: int) -> None:
    """Delete the entries that were not used for longest, where all together are too much."""
    entries = []
    for entry in os.scandir(folder()):
        with suppress(OSError):
            entries.append((entry.stat().st_mtime, entry.stat().st_size, entry.path))
    total = size + sum(bytes for _, bytes, _ in entries)
    for _, bytes, path in sorted(entries):
        if total <= _MOST_BYTES:
            return
        with suppress(OSError):
            os.unlink(path)
        total -= bytes
