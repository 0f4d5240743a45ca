"""The wire format of Protocol Buffers: messages as field numbers and values, without any schema."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO, TypeAlias, overload

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_GROUP, _END_OF_GROUP = 3, 4


class Malformed(ValueError):
    """Bytes that are no message; the message says at which of them."""


class Pages:
    """The bytes of a large file: only the pages that something looks at are read, and only the last of them are kept.

    It is indexed and sliced as bytes are. A file is not mapped into memory: the wall around an analysis does not allow
    it, and a file that is cut short meanwhile would end the process.
    """

    __slots__ = ("_file", "_pages", "_size")

    def __init__(self, file: BinaryIO, size: int) -> None:
        self._file = file
        self._size = size
        self._pages: dict[int, bytes] = {}

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, place: int) -> int: ...

    @overload
    def __getitem__(self, place: slice) -> bytes: ...

    def __getitem__(self, place: int | slice) -> int | bytes:
        if isinstance(place, int):
            number = place >> _PAGE_BITS
            page = self._pages.get(number)
            if page is None:
                page = self._page(number)
            try:
                return page[place & _PAGE_MASK]
            except IndexError:
                raise Malformed(f"byte {place}: the file is cut short while it is read") from None
        start, end, _ = place.indices(self._size)
        if start >> _PAGE_BITS == (end - 1) >> _PAGE_BITS and start < end:
            first = start & ~_PAGE_MASK
            number = start >> _PAGE_BITS
            return (self._pages.get(number) or self._page(number))[start - first : end - first]
        self._file.seek(start)
        return self._file.read(max(end - start, 0))

    def _page(self, number: int) -> bytes:
        if len(self._pages) >= _MOST_PAGES:
            self._pages.clear()
        self._file.seek(number << _PAGE_BITS)
        page = self._pages[number] = self._file.read(1 << _PAGE_BITS)
        return page


class View:
    """A part of a large file, which is sliced as a `memoryview` is; a slice is read where it is small, or asked for as bytes."""

    __slots__ = ("_end", "_pages", "_start")

    def __init__(self, pages: Pages, start: int, end: int) -> None:
        self._pages = pages
        self._start = start
        self._end = end

    def __len__(self) -> int:
        return self._end - self._start

    def __bytes__(self) -> bytes:
        return self._pages[self._start : self._end]

    @overload
    def __getitem__(self, place: int) -> int: ...

    @overload
    def __getitem__(self, place: slice) -> View | memoryview: ...

    def __getitem__(self, place: int | slice) -> int | View | memoryview:
        if isinstance(place, int):
            return self._pages[self._start + place]
        start, end, _ = place.indices(len(self))
        start, end = self._start + start, self._start + max(start, end)
        return memoryview(self._pages[start:end]) if end - start <= _LOCAL else View(self._pages, start, end)


_PAGE_BITS = 14
_PAGE_MASK = (1 << _PAGE_BITS) - 1
_MOST_PAGES = 256

Buffer: TypeAlias = bytes | Pages
"""A file's bytes: those of a large one stay on disk until they are looked at."""

Span: TypeAlias = tuple[int, int]
"""Where the content of a field begins and ends in its buffer."""

_SMALL = 1 << 22
_LOCAL = 1 << 16


def opened(file: BinaryIO) -> Buffer:
    """Return the bytes of a file; of a large one, only those that are looked at are read, as long as it is open."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    return file.read() if size <= _SMALL else Pages(file, size)


def viewed(file: BinaryIO) -> memoryview | View:
    """Return the bytes of a file, whose slices are not copies; those of a large one stay on disk."""
    data = opened(file)
    return memoryview(data) if isinstance(data, bytes) else View(data, 0, len(data))


class Message:
    """The fields of a message in a buffer, by their numbers; what they contain is not looked at.

    The value of a field is a whole number, or the span of its bytes. A field of fixed width is a span as well. Spans
    refer to `data`, which is the message alone where it is small. A value in another form than a field has is passed over,
    as parsers do that know the schema.
    """

    __slots__ = ("data", "fields")

    def __init__(self, data: Buffer, span: Span | None = None) -> None:
        start, end = span or (0, len(data))
        if not isinstance(data, bytes) and end - start <= _LOCAL:
            data, start, end = data[start:end], 0, end - start
        self.data = data
        self.fields = _spans(data, start, end)

    def number(self, field: int, default: int = 0) -> int:
        """Return a whole number with its sign; the last one counts where there are several."""
        values = [value for value in self.fields.get(field, ()) if isinstance(value, int)]
        return signed(values[-1]) if values else default

    def numbers(self, field: int, most: int | None = None) -> list[int]:
        """Return whole numbers with their signs, packed or not; no more than `most` are read."""
        found: list[int] = []
        for value in self.fields.get(field, ()):
            if isinstance(value, int):
                found.append(signed(value))
                continue
            at, end = value
            while at < end and (most is None or len(found) < most):
                number, at = varint(self.data, at)
                found.append(signed(number))
        return found if most is None else found[:most]

    def fixed(self, field: int, code: str, most: int | None = None) -> list[float]:
        """Return numbers of fixed width, packed or not, by their code in `struct`."""
        width = struct.calcsize(code)
        found: list[float] = []
        for start, end in self.spans(field):
            count = (end - start) // width
            if most is not None:
                count = min(count, most - len(found))
            found += struct.unpack(f"<{count}{code}", self.data[start : start + count * width])
        return found

    def spans(self, field: int) -> list[Span]:
        """Return where the contents of a repeated field of bytes, texts or messages are."""
        return [value for value in self.fields.get(field, ()) if not isinstance(value, int)]

    def span(self, field: int) -> Span | None:
        """Return where the content of a field is; None where it is missing."""
        spans = self.spans(field)
        return spans[-1] if spans else None

    def messages(self, field: int) -> Iterator[Message]:
        """Yield the messages of a repeated field."""
        return (Message(self.data, span) for span in self.spans(field))

    def message(self, field: int) -> Message | None:
        """Return the message of a field; None where it is missing."""
        span = self.span(field)
        return None if span is None else Message(self.data, span)

    def text(self, field: int) -> str:
        """Return a text; empty where it is missing."""
        span = self.span(field)
        return "" if span is None else written(self.data, span)

    def texts(self, field: int) -> list[str]:
        """Return the texts of a repeated field."""
        return [written(self.data, span) for span in self.spans(field)]


LONGEST_TEXT = 1 << 20


def written(data: Buffer, span: Span) -> str:
    """Return a text of a buffer; bytes that are not UTF-8 are written as such."""
    start, end = span
    return data[start : min(end, start + LONGEST_TEXT)].decode("utf-8", "backslashreplace")


def _spans(data: Buffer, at: int, end: int) -> dict[int, list[Any]]:
    """Return the values of each field between two places: numbers, or spans."""
    found: dict[int, list[Any]] = {}
    value: Any
    while at < end:
        key = data[at]
        if key < 0x80:
            at += 1
        else:
            key, at = varint(data, at)
        kind = key & 7
        if kind == BYTES:
            if at >= end:
                raise Malformed(f"byte {at}: a field goes beyond the end")
            size = data[at]
            if size < 0x80:
                at += 1
            else:
                size, at = varint(data, at)
            value, at = (at, at + size), at + size
        elif kind == VARINT:
            value, at = varint(data, at)
        elif kind in (FIXED64, FIXED32):
            width = 8 if kind == FIXED64 else 4
            value, at = (at, at + width), at + width
        elif kind in (_GROUP, _END_OF_GROUP):
            raise Malformed(f"byte {at}: groups are not supported")
        else:
            raise Malformed(f"byte {at}: there is no wire type {kind}")
        number = key >> 3
        if at > end or not number:
            raise Malformed(f"byte {at}: a field goes beyond the end")
        if number in found:
            found[number].append(value)
        else:
            found[number] = [value]
    return found


def fields(data: bytes) -> Iterator[tuple[int, Any]]:
    """Yield the number and the value of each field: an int, or bytes."""
    at = 0
    value: Any
    while at < len(data):
        key, at = varint(data, at)
        number, kind = key >> 3, key & 7
        if kind == VARINT:
            value, at = varint(data, at)
        elif kind in (FIXED64, FIXED32):
            width = 8 if kind == FIXED64 else 4
            value, at = data[at : at + width], at + width
        elif kind == BYTES:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            raise Malformed(f"byte {at}: there is no wire type {kind}")
        if at > len(data) or not number:
            raise Malformed(f"byte {at}: a field goes beyond the end")
        yield number, value


def grouped(data: bytes) -> dict[int, list[Any]]:
    """Return the values of each field, in order."""
    found: dict[int, list[Any]] = {}
    for number, value in fields(data):
        found.setdefault(number, []).append(value)
    return found


def varint(data: Buffer, at: int) -> tuple[int, int]:
    """Return a number of variable width, and where the next thing begins."""
    value = shift = 0
    while True:
        if at >= len(data) or shift > 63:
            raise Malformed(f"byte {at}: a number does not end")
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at


def signed(value: int) -> int:
    """Return a number of 64 bits with its sign."""
    return value - (1 << 64) if value >= 1 << 63 else value


def number(field: int, value: int) -> bytes:
    """Write a whole number; zero, the default, is written too."""
    return _varint(field << 3 | VARINT) + _varint(value & ((1 << 64) - 1))


def text(field: int, value: str | bytes) -> bytes:
    """Write a text, bytes or a message."""
    content = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | BYTES) + _varint(len(content)) + content


def double(field: int, value: float) -> bytes:
    """Write a floating-point number of 64 bits."""
    return _varint(field << 3 | FIXED64) + struct.pack("<d", value)


def single(field: int, value: float) -> bytes:
    """Write a floating-point number of 32 bits."""
    return _varint(field << 3 | FIXED32) + struct.pack("<f", value)


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
