"""The instructions of a pickle, read as Python's own unpickler reads them; large strings of bytes are passed over."""

from __future__ import annotations

import codecs
import os
import pickletools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

_OPCODES = {opcode.code.encode("latin-1"): opcode for opcode in pickletools.opcodes}
LARGE = 1 << 20
"""Bytes from which on the content of a string is not read."""
_HEAD = 2048


@dataclass(frozen=True, slots=True)
class Skipped:
    """A string of bytes that is too long to be read: its length, where it begins, and its first bytes."""

    length: int
    start: int = 0
    head: bytes = b""


def instructions(file: BinaryIO) -> Iterator[tuple[str, Any, int]]:
    """Yield name, argument and position of each instruction up to STOP; the file is left behind the last one."""
    while True:
        position = file.tell()
        code = file.read(1)
        if not code:
            raise EOFError("it does not end")
        opcode = _OPCODES.get(code)
        if opcode is None:
            raise ValueError(f"there is no instruction {code!r}")
        name = opcode.name
        if name in _READERS:
            argument = _READERS[name](file)
        else:
            argument = None if opcode.arg is None else opcode.arg.reader(file)  # type: ignore[arg-type]
        yield name, argument, position
        if name == "STOP":
            return


def _line(file: BinaryIO) -> bytes:
    line = file.readline(LARGE)
    if not line.endswith(b"\n"):
        raise ValueError("a line does not end")
    return line[:-1]


def _sized(width: int, decode: str | None) -> Callable[[BinaryIO], Any]:
    """Return a reader of a length of so many bytes, and a string of that length."""

    def read(file: BinaryIO) -> Any:
        size = file.read(width)
        if len(size) < width:
            raise ValueError("the length of a string is cut off")
        length = int.from_bytes(size, "little")
        if length >= LARGE:
            start = file.tell()
            if start + length > _end(file):
                raise ValueError(f"a string of {length:,} bytes is cut off")
            head = file.read(_HEAD)
            file.seek(start + length)
            return Skipped(length, start, head)
        content = file.read(length)
        if len(content) < length:
            raise ValueError(f"a string of {length:,} bytes is cut off")
        return content if decode is None else content.decode(decode, "surrogatepass" if decode == "utf-8" else "strict")

    return read


def _end(file: BinaryIO) -> int:
    at = file.tell()
    end = file.seek(0, os.SEEK_END)
    file.seek(at)
    return end


def _number(file: BinaryIO) -> Any:
    text = _line(file)
    if text in (b"00", b"01"):
        return text == b"01"
    return _whole(text)


def _long(file: BinaryIO) -> int:
    return _whole(_line(file).removesuffix(b"L"))


def _whole(text: bytes) -> int:
    words = text.decode("latin-1").strip().rstrip("\0")
    try:
        return int(words, 0)
    except ValueError:
        return int(words)


def _quoted(file: BinaryIO) -> str:
    text = _line(file).strip()
    if len(text) < 2 or text[:1] != text[-1:] or text[:1] not in (b'"', b"'"):
        raise ValueError("a string is not in quotes")
    return codecs.escape_decode(text[1:-1])[0].decode("latin-1")  # type: ignore[attr-defined,no-any-return]


def _pair(file: BinaryIO) -> tuple[str, str]:
    return _line(file).decode("utf-8"), _line(file).decode("utf-8")


_READERS: dict[str, Callable[[BinaryIO], Any]] = {
    "BINSTRING": _sized(4, "latin-1"),
    "SHORT_BINSTRING": _sized(1, "latin-1"),
    "BINUNICODE": _sized(4, "utf-8"),
    "SHORT_BINUNICODE": _sized(1, "utf-8"),
    "BINUNICODE8": _sized(8, "utf-8"),
    "BINBYTES": _sized(4, None),
    "SHORT_BINBYTES": _sized(1, None),
    "BINBYTES8": _sized(8, None),
    "BYTEARRAY8": _sized(8, None),
    "STRING": _quoted,
    "INT": _number,
    "LONG": _long,
    "GLOBAL": _pair,
    "INST": _pair,
    "PERSID": lambda file: _line(file).decode("utf-8"),
    "GET": lambda file: int(_line(file)),
    "PUT": lambda file: int(_line(file)),
}
