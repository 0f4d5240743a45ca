"""What compressed files begin with: those that are unpacked, and those that are named because nothing here unpacks them."""

from __future__ import annotations

import bz2
import lzma
import zlib
from collections.abc import Callable
from typing import Any, BinaryIO

from cutaway.scan.streams import Unpacked, Window

_R = "R, whose promises and byte code it may have"
_CLOSED = {
    b"7z\xbc\xaf\x27\x1c": "7z",
    b"Rar!\x1a\x07": "RAR",
    b"\x04\x22\x4d\x18": "LZ4",
    b"\x02\x21\x4c\x18": "LZ4",
    b"\x28\xb5\x2f\xfd": "Zstandard",
    b"\x37\xa4\x30\xec": "Zstandard",
    b"\xff\x06\0\0sNaPpY": "Snappy",
    b"\x1f\x9d": "compress",
    b"\x1f\xa0": "compress",
    b"LZIP\1": "lzip",
    b"LRZI": "lrzip",
    b"\x89LZO\0": "LZO",
    b"MSCF\0\0\0\0": "CAB",
    b"!<arch>\n": "ar",
    b"070701": "cpio",
    b"070702": "cpio",
    b"070707": "cpio",
    b"xar!": "XAR",
    b"hsqs": "SquashFS",
    b"X\n\0\0\0": _R,
    b"B\n\2\0\0\0": _R,
    b"B\n\3\0\0\0": _R,
    b"RDX2\n": _R,
    b"RDX3\n": _R,
    b"RDA3\n": _R,
    b"\xac\xed\0\5": "Java's serialization",
}
_SKIPPABLE = b"\x2a\x4d\x18"
_STREAMS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(31),
    b"BZh": bz2.BZ2Decompressor,
    b"\xfd7zXZ": lzma.LZMADecompressor,
}
_OLD_JOBLIB, _OLD_JOBLIB_HEAD = b"ZF0x", 2 + 19
_DAMAGED = (zlib.error, lzma.LZMAError, EOFError, OSError, ValueError)
_MOST_PROPERTIES = 225


def closed(head: bytes) -> str | None:
    """Return what a file is packed with, if that is not looked into."""
    if head[1:4] == _SKIPPABLE and 0x50 <= head[0] <= 0x5F:
        return "Zstandard"
    return next((name for magic, name in _CLOSED.items() if head.startswith(magic)), None)


def is_packed(head: bytes) -> bool:
    """Tell whether bytes may begin something that is packed."""
    return closed(head) is not None or _unpacker(head) is not None


def unpacked(file: BinaryIO, head: bytes) -> Any:
    """Return what is compressed in a file, as a file; None where nothing is."""
    maker = _unpacker(head)
    if maker is None:
        return None
    mark, make = maker
    given: Any = file
    if mark == _OLD_JOBLIB:
        end = file.seek(0, 2)
        given = Window(file, _OLD_JOBLIB_HEAD, end)
    stream: Any = Unpacked(given, make, mark if mark in _STREAMS else b"")
    try:
        found = stream.read(1)
    except _DAMAGED:
        found = b""
    stream.seek(0) if found else file.seek(0)
    return stream if found else None


def _unpacker(head: bytes) -> tuple[bytes, Callable[[], Any]] | None:
    """Return what unpacks a file, and what each of its streams begins with; some formats have no mark, but a plausible head."""
    for magic, make in _STREAMS.items():
        if head.startswith(magic):
            return magic, make
    if head.startswith(_OLD_JOBLIB):
        return _OLD_JOBLIB, zlib.decompressobj
    if len(head) < 2:
        return None
    if head[0] & 15 == 8 and head[0] >> 4 < 8 and (head[0] << 8 | head[1]) % 31 == 0 and not head[1] & 0x20:
        return b"", zlib.decompressobj
    if len(head) > 13 and head[0] < _MOST_PROPERTIES and _is_lzma(head):
        return b"", lzma.LZMADecompressor
    return None


def _is_lzma(head: bytes) -> bool:
    """Tell whether bytes are a head of LZMA: the size of its window is a power of two, or the mean of two of them."""
    window, size = int.from_bytes(head[1:5], "little"), int.from_bytes(head[5:13], "little")
    plain = window & (window - 1) == 0 or (window % 3 == 0 and (window // 3) & (window // 3 - 1) == 0)
    return window >= 1 << 12 and plain and (size == (1 << 64) - 1 or size < 1 << 40) and head[13] == 0
