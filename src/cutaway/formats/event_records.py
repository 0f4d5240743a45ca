"""Files of records with checksums, as TensorBoard keeps its events: length, checksum, data, checksum."""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterator

_HEAD, _TAIL = 12, 4
LARGEST = 1 << 31


class Damaged(ValueError):
    """A record that is cut off or not what was written; the message says where."""


def is_records(head: bytes) -> bool:
    """Tell whether a file that begins like this holds records."""
    return len(head) >= _HEAD and struct.unpack("<I", head[8:12])[0] == checksum(head[:8])


def read(data: bytes) -> Iterator[bytes]:
    """Yield each record, or raise `Damaged`."""
    at = 0
    while at < len(data):
        head = data[at : at + _HEAD]
        if len(head) < _HEAD:
            raise Damaged(f"byte {at}: a record is cut off")
        size, check = struct.unpack("<QI", head)
        if check != checksum(head[:8]) or size > LARGEST:
            raise Damaged(f"byte {at}: no record begins here")
        record = data[at + _HEAD : at + _HEAD + size]
        end = data[at + _HEAD + size : at + _HEAD + size + _TAIL]
        if len(record) < size or len(end) < _TAIL:
            raise Damaged(f"byte {at}: a record is cut off")
        if struct.unpack("<I", end)[0] != checksum(record):
            raise Damaged(f"byte {at}: a record is damaged: its checksum does not fit")
        yield record
        at += _HEAD + size + _TAIL


def written(record: bytes) -> bytes:
    """Return a record with its length and checksums."""
    size = struct.pack("<Q", len(record))
    return size + struct.pack("<I", checksum(size)) + record + struct.pack("<I", checksum(record))


def checksum(data: bytes) -> int:
    """Return the masked CRC-32C."""
    table = _table()
    crc = 0xFFFFFFFF
    for byte in data:
        crc = crc >> 8 ^ table[(crc ^ byte) & 0xFF]
    crc ^= 0xFFFFFFFF
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


@functools.cache
def _table() -> tuple[int, ...]:
    table = []
    for byte in range(256):
        crc = byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
        table.append(crc)
    return tuple(table)
