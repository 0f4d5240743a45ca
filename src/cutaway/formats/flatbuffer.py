"""The wire format of FlatBuffers: tables, vectors and texts at offsets, without any schema.

Every offset and count is compared with the length of the buffer before it is followed. Offsets lead forward, so tables
can't contain themselves, but several may lead to one table: how many are visited is bounded, too.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from cutaway.formats.protobuf import LONGEST_TEXT, Buffer, Span

_WIDTHS = {"?": 1, "b": 1, "B": 1, "h": 2, "H": 2, "i": 4, "I": 4, "q": 8, "Q": 8, "f": 4, "d": 8}
_FEWEST = 4096


class Damaged(ValueError):
    """Bytes that are no table; the message says at which of them."""


class Flatbuffer:
    """A buffer with a table at its root."""

    __slots__ = ("_visits", "data")

    def __init__(self, data: Buffer) -> None:
        self.data = data
        self._visits = len(data) // 4 + _FEWEST

    def root(self) -> Table:
        """Return the table that the first offset leads to."""
        return self.table(self.number(0, "I"))

    def table(self, at: int) -> Table:
        """Return the table at a place."""
        self._visits -= 1
        if self._visits < 0:
            raise Damaged(f"byte {at}: more tables are referred to than the file has room for")
        return Table(self, at)

    def number(self, at: int, code: str) -> Any:
        """Return the number at a place, by its code in `struct`."""
        end = at + _WIDTHS[code]
        if at < 0 or end > len(self.data):
            raise Damaged(f"byte {at}: it is beyond the end of the file")
        return struct.unpack(f"<{code}", self.data[at:end])[0]


class Table:
    """A table of a flatbuffer: its fields are found by their places in the schema."""

    __slots__ = ("at", "buffer", "size", "vtable")

    def __init__(self, buffer: Flatbuffer, at: int) -> None:
        self.buffer = buffer
        self.at = at
        self.vtable = at - buffer.number(at, "i")
        self.size = buffer.number(self.vtable, "H")

    def _place(self, field: int) -> int | None:
        """Return where a field is; None where it is missing."""
        entry = 4 + 2 * field
        if entry + 2 > self.size:
            return None
        offset = self.buffer.number(self.vtable + entry, "H")
        return self.at + offset if offset else None

    def number(self, field: int, code: str = "i", default: Any = 0) -> Any:
        """Return a number, by its code in `struct`."""
        place = self._place(field)
        return default if place is None else self.buffer.number(place, code)

    def _target(self, field: int) -> int | None:
        place = self._place(field)
        return None if place is None else place + self.buffer.number(place, "I")

    def table(self, field: int) -> Table | None:
        """Return a table; None where it is missing."""
        target = self._target(field)
        return None if target is None else self.buffer.table(target)

    def vector(self, field: int, width: int = 1) -> Span | None:
        """Return where the items of a vector begin, and how many there are; None where it is missing."""
        target = self._target(field)
        return None if target is None else self._items(target, width)

    def _items(self, target: int, width: int) -> Span:
        count = self.buffer.number(target, "I")
        if target + 4 + count * width > len(self.buffer.data):
            raise Damaged(f"byte {target}: a vector of {count} items goes beyond the end of the file")
        return target + 4, count

    def numbers(self, field: int, code: str = "i", most: int | None = None) -> list[Any] | None:
        """Return a vector of numbers; None where it is missing."""
        found = self.vector(field, _WIDTHS[code])
        if found is None:
            return None
        start, count = found
        count = count if most is None else min(count, most)
        return list(struct.unpack(f"<{count}{code}", self.buffer.data[start : start + count * _WIDTHS[code]]))

    def tables(self, field: int) -> Iterator[Table]:
        """Yield the tables of a vector."""
        start, count = self.vector(field, 4) or (0, 0)
        for at in range(start, start + 4 * count, 4):
            yield self.buffer.table(at + self.buffer.number(at, "I"))

    def text(self, field: int) -> str:
        """Return a text; empty where it is missing."""
        target = self._target(field)
        return "" if target is None else self._written(target)

    def texts(self, field: int) -> list[str]:
        """Return a vector of texts."""
        start, count = self.vector(field, 4) or (0, 0)
        return [self._written(at + self.buffer.number(at, "I")) for at in range(start, start + 4 * count, 4)]

    def _written(self, target: int) -> str:
        start, count = self._items(target, 1)
        return self.buffer.data[start : start + min(count, LONGEST_TEXT)].decode("utf-8", "backslashreplace")
