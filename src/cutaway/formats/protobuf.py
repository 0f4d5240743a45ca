"""The wire format of Protocol Buffers: messages as field numbers and values, without any schema."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5


class Malformed(ValueError):
    """Bytes that are no message; the message says at which of them."""


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


def varint(data: bytes, at: int) -> tuple[int, int]:
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


def _varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)
