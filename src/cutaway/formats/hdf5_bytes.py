"""Bounded reading of an HDF5 file: numbers and blocks at addresses, each checked before it is believed."""

from __future__ import annotations

import os
from typing import BinaryIO

LARGEST_BLOCK = 32 << 20
MOST_BYTES = 96 << 20
MOST_READS = 300_000
"""Bytes of one block, bytes and blocks in all, beyond which a file is not followed."""


class Damaged(ValueError):
    """A file that is not what its format demands; the message says where."""


class Window:
    """A part of a file, of which blocks are read."""

    def __init__(self, file: BinaryIO, start: int = 0, size: int | None = None) -> None:
        if size is None:
            file.seek(0, os.SEEK_END)
            size = file.tell() - start
        self.file, self.start, self.size = file, start, size
        self.base = 0
        self.offset_width = self.length_width = 8
        self._bytes = self._reads = 0

    def read(self, address: int, count: int) -> bytes:
        """Return a block of metadata."""
        at = self.base + address
        if count > LARGEST_BLOCK or at < 0 or at + count > self.size:
            raise Damaged(f"byte {at}: a block of {count:,} bytes goes beyond the end of the file")
        self._bytes += count
        self._reads += 1
        if self._bytes > MOST_BYTES or self._reads > MOST_READS:
            raise Damaged("its structure is larger than that of a network's weights can be")
        self.file.seek(self.start + at)
        block = self.file.read(count)
        if len(block) < count:
            raise Damaged(f"byte {at}: the file is cut off")
        return block

    def cursor(self, address: int, count: int) -> Cursor:
        """Return what reads the numbers of a block one after the other."""
        return Cursor(self.read(address, count), self, address)

    def up_to(self, address: int, count: int) -> Cursor:
        """Return a cursor over a block that may end with the file."""
        return self.cursor(address, max(0, min(count, self.size - self.base - address)))


class Cursor:
    """A place in a block."""

    def __init__(self, data: bytes, window: Window, address: int = 0) -> None:
        self.data, self.window, self.address, self.at = data, window, address, 0

    def take(self, count: int) -> bytes:
        """Return the next bytes."""
        if count < 0 or self.at + count > len(self.data):
            raise Damaged(f"byte {self.address + self.at}: {count:,} more bytes were expected")
        self.at += count
        return self.data[self.at - count : self.at]

    def number(self, width: int) -> int:
        """Return the next unsigned number."""
        return int.from_bytes(self.take(width), "little")

    def offset(self) -> int:
        """Return the next address."""
        return self.number(self.window.offset_width)

    def length(self) -> int:
        """Return the next length."""
        return self.number(self.window.length_width)

    def expect(self, signature: bytes) -> None:
        """Require that a structure begins here."""
        found = self.take(len(signature))
        if found != signature:
            raise Damaged(f"byte {self.address}: {signature.decode()} was expected")

    @property
    def rest(self) -> int:
        """How many bytes are left."""
        return len(self.data) - self.at


def is_undefined(address: int, window: Window) -> bool:
    """Tell whether an address says that there is nothing."""
    return address == (1 << 8 * window.offset_width) - 1
