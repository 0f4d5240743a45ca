"""Parts of files, and what is compressed in them, as files: little of them is in memory at a time."""

from __future__ import annotations

import io
import os
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO

CHUNK = 1 << 20
MOST = 4 << 30
SECONDS = 60.0
"""Bytes and seconds after which nothing more is unpacked."""


class TooLarge(ValueError):
    """What is compressed is larger than is looked into."""


class Window(io.RawIOBase):
    """A part of a file."""

    def __init__(self, file: BinaryIO, start: int, size: int) -> None:
        super().__init__()
        end = file.seek(0, os.SEEK_END)
        self._file, self._start, self._size, self._at = file, start, max(0, min(size, end - start)), 0

    def read(self, count: int = -1) -> bytes:
        left = self._size - self._at
        count = left if count is None or count < 0 else min(count, left)
        if count <= 0:
            return b""
        self._file.seek(self._start + self._at)
        content = self._file.read(count)
        self._at += len(content)
        return content

    def readline(self, size: int | None = -1) -> bytes:
        return _line(self, size)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        base = {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: self._size}[whence]
        self._at = max(0, base + offset)
        return self._at

    def tell(self) -> int:
        return self._at

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True


class Unpacked(io.RawIOBase):
    """What is compressed in a file; going back unpacks it again from the beginning."""

    def __init__(self, file: BinaryIO, make: Callable[[], Any], mark: bytes = b"") -> None:
        """`mark` is what each stream begins with, where several may follow each other."""
        super().__init__()
        self._file, self._make, self._mark = file, make, mark
        self._deadline = time.monotonic() + SECONDS
        self._restart()

    def _restart(self) -> None:
        self._file.seek(0)
        self._unpacker = self._make()
        self._rest, self._data, self._at, self._begin = b"", b"", 0, 0  # _begin is where _data begins

    def _more(self) -> bool:
        """Unpack the next piece; return whether there is one."""
        if self._begin + len(self._data) > MOST or time.monotonic() > self._deadline:
            raise TooLarge("what is compressed is larger than is looked into")
        self._begin += len(self._data)
        self._data = b""
        while not self._data:
            if self._unpacker.eof and not self._next_stream():
                return False
            needs = getattr(self._unpacker, "needs_input", True)
            given = (self._rest or self._file.read(CHUNK)) if needs else b""
            if needs and not given:
                return False
            self._data = self._unpacker.decompress(given, CHUNK)
            self._rest = getattr(self._unpacker, "unconsumed_tail", b"") if needs else self._rest
        return True

    def _next_stream(self) -> bool:
        """Go on with what follows the end of a stream, as the loaders do; return whether there is anything."""
        following = self._unpacker.unused_data or self._file.read(CHUNK)
        if not self._mark or not following.startswith(self._mark):
            return False
        self._unpacker = self._make()
        self._rest = following
        return True

    def read(self, count: int = -1) -> bytes:
        wanted = MOST if count is None or count < 0 else count
        parts = []
        while wanted > 0:
            inside = self._at - self._begin
            if inside >= len(self._data):
                if not self._more():
                    break
                continue
            part = self._data[inside : inside + wanted]
            parts.append(part)
            self._at += len(part)
            wanted -= len(part)
        return b"".join(parts)

    def readline(self, size: int | None = -1) -> bytes:
        return _line(self, size)

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        if whence == os.SEEK_END:
            while self._more():
                continue
            self._at = self._begin + len(self._data)
            return self._at
        at = max(0, offset + (self._at if whence == os.SEEK_CUR else 0))
        if at < self._begin:
            self._restart()
        while at > self._begin + len(self._data) and self._more():
            continue
        self._at = at
        return at

    def tell(self) -> int:
        return self._at

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True


def _line(file: Any, size: int | None) -> bytes:
    """Read up to the end of a line."""
    limit = MOST if size is None or size < 0 else size
    parts, found = [], 0
    while found < limit:
        at = file.tell()
        piece = file.read(min(256, limit - found))
        end = piece.find(b"\n") + 1
        if end:
            file.seek(at + end)
            parts.append(piece[:end])
            break
        if not piece:
            break
        parts.append(piece)
        found += len(piece)
    return b"".join(parts)


def inflated(file: BinaryIO) -> Unpacked:
    """Return the content of a member of a zip archive."""
    return Unpacked(file, lambda: zlib.decompressobj(-15))


def chunks(file: Any, overlap: int = 1 << 12) -> Iterator[bytes]:
    """Yield all of a file in pieces; each begins with the end of the one before."""
    file.seek(0)
    before, count = b"", 0
    deadline = time.monotonic() + SECONDS
    while piece := file.read(8 * CHUNK):
        yield before + piece
        before = piece[-overlap:]
        count += len(piece)
        if count > MOST or time.monotonic() > deadline:
            raise TooLarge("it is larger than is looked into")
