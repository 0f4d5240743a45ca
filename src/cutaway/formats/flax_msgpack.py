"""Parameters of flax in msgpack: nested maps, whose arrays are an extension of it; the numbers are passed over."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any, BinaryIO

from cutaway.core.architecture import Architecture
from cutaway.core.dtype import KINDS
from cutaway.core.error import CutawayError, one_line
from cutaway.formats import weights
from cutaway.formats.pickled_tensor import Stored

_ARRAY, _NUMBER, _SCALAR = 1, 2, 3
"""The extensions of flax: an array, a complex number, and a scalar of numpy."""
_CHUNKED = "__msgpack_chunked_array__"
_DEEPEST = 64
_LONGEST = 1 << 16
_MOST = 2_000_000


class _Malformed(ValueError):
    """Bytes that are no msgpack; the message says where."""


def sniff(head: bytes) -> bool:
    """Tell whether a file begins with a map whose first key is a word."""
    if not head or not (0x81 <= head[0] <= 0x8F or head[0] == 0xDE):
        return False
    rest = head[1:] if head[0] != 0xDE else head[3:]
    if not rest or not 0xA1 <= rest[0] <= 0xBF:
        return False
    key = rest[1 : 1 + (rest[0] & 0x1F)]
    return len(key) == rest[0] & 0x1F and key.replace(b"_", b"a").isalnum()


def read(file: BinaryIO, path: str) -> list[Architecture]:
    """Read the arrays of a file."""
    try:
        value = _Reader(file).value()
        if not isinstance(value, dict):
            raise _Malformed("byte 0: it is no map")
        named = dict(_named(value, ""))
    except (_Malformed, RecursionError) as error:
        raise CutawayError(f"{path}: {one_line(str(error))}") from None
    if not named:
        raise CutawayError(f"{path}: it is msgpack without arrays, with {', '.join(map(one_line, list(value)[:8]))}")
    return [weights.architecture(named, name=os.path.basename(path), target=path, framework="flax")]


def _named(value: dict[str, Any], path: str) -> Iterator[tuple[str, Stored]]:
    for key, each in value.items():
        full = f"{path}/{key}" if path else key
        if isinstance(each, Stored):
            yield full, each
        elif isinstance(each, dict):
            chunked = _chunked(each)
            if chunked is not None:
                yield full, chunked
            else:
                yield from _named(each, full)


def _chunked(value: dict[str, Any]) -> Stored | None:
    """Return the array that is kept in several parts, because it is large."""
    if _CHUNKED not in value or not isinstance(value.get("shape"), dict):
        return None
    sizes = [size for _, size in sorted(value["shape"].items())]
    parts = value.get("chunks")
    dtypes = [part.dtype for part in parts.values() if isinstance(part, Stored)] if isinstance(parts, dict) else []
    if not all(type(size) is int and size >= 0 for size in sizes):
        raise _Malformed("the sizes of an array are no whole numbers")
    return Stored(tuple(sizes), dtypes[0] if dtypes else None, None)


class _Reader:
    """Reads msgpack from a file; strings of bytes are passed over."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._size = file.seek(0, os.SEEK_END)
        file.seek(0)
        self._count = 0

    def _take(self, count: int) -> bytes:
        content = self._file.read(count) if count <= _LONGEST else b""
        if len(content) < count:
            raise _Malformed(f"byte {self._file.tell()}: {count:,} bytes were expected")
        return content

    def _skip(self, count: int) -> None:
        if self._file.tell() + count > self._size:
            raise _Malformed(f"byte {self._file.tell()}: {count:,} bytes were expected")
        self._file.seek(count, 1)

    def _number(self, code: str) -> Any:
        return struct.unpack(f">{code}", self._take(struct.calcsize(code)))[0]

    def value(self, depth: int = 0) -> Any:
        """Read one value: strings of bytes are None, arrays of numpy are `Stored`."""
        self._count += 1
        if depth > _DEEPEST or self._count > _MOST:
            raise _Malformed(f"byte {self._file.tell()}: it is nested too deeply, or too long")
        first = self._take(1)[0]
        if first <= 0x7F or first >= 0xE0:
            return first if first <= 0x7F else first - 256
        if first <= 0x8F:
            return self._map(first & 0x0F, depth)
        if first <= 0x9F:
            return self._list(first & 0x0F, depth)
        if first <= 0xBF:
            return self._text(first & 0x1F)
        if first in _CONSTANTS:
            return _CONSTANTS[first]
        if first in _NUMBERS:
            return self._number(_NUMBERS[first])
        if first in _SIZED:
            kind, code = _SIZED[first]
            return getattr(self, f"_{kind}")(self._number(code), depth)
        if first in _FIXED:
            return self._extension(_FIXED[first], depth)
        raise _Malformed(f"byte {self._file.tell() - 1}: there is no type {first}")

    def _map(self, count: int, depth: int) -> dict[str, Any]:
        found = {}
        for _ in range(count):
            key = self.value(depth + 1)
            found[key if isinstance(key, str) else str(key)] = self.value(depth + 1)
        return found

    def _list(self, count: int, depth: int) -> list[Any]:
        return [self.value(depth + 1) for _ in range(count)]

    def _text(self, count: int, _depth: int = 0) -> str:
        return self._take(count).decode("utf-8", "replace")

    def _bytes(self, count: int, _depth: int = 0) -> None:
        self._skip(count)

    def _extension(self, count: int, depth: int) -> Any:
        kind = self._number("b")
        end = self._file.tell() + count
        made = None
        if kind in (_ARRAY, _SCALAR):
            parts = self.value(depth + 1)
            if isinstance(parts, list) and len(parts) == 3 and isinstance(parts[0], list):
                sizes = [size for size in parts[0] if type(size) is int and size >= 0]
                dtype = parts[1] if isinstance(parts[1], str) and parts[1] in KINDS else None
                made = Stored(tuple(sizes), dtype, None) if len(sizes) == len(parts[0]) else None
        self._file.seek(0)
        self._skip(end)
        return made


_CONSTANTS = {0xC0: None, 0xC2: False, 0xC3: True}
_NUMBERS = {
    0xCA: "f",
    0xCB: "d",
    0xCC: "B",
    0xCD: "H",
    0xCE: "I",
    0xCF: "Q",
    0xD0: "b",
    0xD1: "h",
    0xD2: "i",
    0xD3: "q",
}
_SIZED = {
    0xC4: ("bytes", "B"), 0xC5: ("bytes", "H"), 0xC6: ("bytes", "I"), 0xC7: ("extension", "B"),
    0xC8: ("extension", "H"), 0xC9: ("extension", "I"), 0xD9: ("text", "B"), 0xDA: ("text", "H"), 0xDB: ("text", "I"),
    0xDC: ("list", "H"), 0xDD: ("list", "I"), 0xDE: ("map", "H"), 0xDF: ("map", "I"),
}  # fmt: skip
_FIXED = {0xD4: 1, 0xD5: 2, 0xD6: 4, 0xD7: 8, 0xD8: 16}
