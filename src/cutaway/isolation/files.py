"""Files that are written whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress

MAX_CACHE_BYTES = 256 << 20


def write_file(content: bytes, path: str) -> None:
    """Write a file beside its place, and move it there; raise `OSError` where that is not possible. Folders are created."""
    path = os.path.realpath(path)
    if os.path.exists(path) and not os.path.isfile(path):
        with open(path, "wb") as device:  # such as /dev/null, which must not be replaced
            device.write(content)
        return
    mode = os.stat(path).st_mode & 0o777 if os.path.exists(path) else 0o666 & ~_umask()
    os.makedirs(os.path.dirname(path), exist_ok=True)
    beside = os.path.join(os.path.dirname(path), f".{os.urandom(6).hex()}.tmp")
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
    try:
        with open(descriptor, "wb") as file:
            file.write(content)
        os.chmod(beside, mode)
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_entry(content: bytes, path: str) -> None:
    """Write an entry of the cache, where possible, and delete the least recently used ones if all are too large."""
    folder = os.path.dirname(path)
    with suppress(OSError):
        os.makedirs(folder, mode=0o700, exist_ok=True)
        _make_room(folder, MAX_CACHE_BYTES - len(content))
        write_file(content, path)


def mark_used(path: str) -> None:
    """Note that an entry of the cache was used."""
    with suppress(OSError):
        os.utime(path)


def _make_room(folder: str, size: int) -> None:
    entries = []
    for entry in os.scandir(folder):
        with suppress(OSError):
            entries.append((entry.stat().st_mtime, entry.stat().st_size, entry.path))
    total = sum(bytes for _, bytes, _ in entries)
    for _, bytes, path in sorted(entries):
        if total <= size:
            return
        with suppress(OSError):
            os.unlink(path)
        total -= bytes
