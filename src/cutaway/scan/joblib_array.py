"""Bytes and arrays in pickles: what calls make of bytes, and the numbers that joblib puts between instructions."""

from __future__ import annotations

import io
import math
import re
from dataclasses import dataclass
from typing import Any, BinaryIO

from cutaway.formats import pickle_machine
from cutaway.formats.pickle_instructions import Skipped
from cutaway.formats.pickle_machine import Made, Name
from cutaway.scan.streams import Window

_LARGEST = 256 << 20
_PLAIN = re.compile(r"[<>|=]?([biufcSUVmM?])(\d*)(\[\w+\])?")
_ENCODINGS = ("latin1", "latin-1", "ascii", "utf-8")
_DEEPEST = 6


def content(value: Any, file: BinaryIO) -> Any:
    """Return the bytes that a value stands for, as a file; None where that is not known."""
    if isinstance(value, (bytes, bytearray)):
        return io.BytesIO(value)
    if isinstance(value, Skipped):
        return Window(file, value.start, value.length)
    if not isinstance(value, Made) or not isinstance(value.maker, Name) or not value.arguments:
        return None
    first = value.arguments[0]
    if str(value.maker) == "_codecs.encode" and (value.arguments[1:] or ("utf-8",))[0] in _ENCODINGS:
        text = _text(first, file)
        encoding = str((value.arguments[1:] or ("utf-8",))[0])
        return None if text is None else io.BytesIO(text.encode(encoding, "replace"))
    if str(value.maker) in ("builtins.bytes", "builtins.bytearray", "__builtin__.bytearray"):
        numbers = pickle_machine.members(first)
        if numbers and all(type(each) is int and 0 <= each < 256 for each in numbers):
            return io.BytesIO(bytes(numbers))
        return content(first, file)
    return None


def _text(value: Any, file: BinaryIO) -> str | None:
    if isinstance(value, Skipped) and value.length <= _LARGEST:
        return Window(file, value.start, value.length).read().decode("utf-8", "replace")
    return value if isinstance(value, str) else None


@dataclass(frozen=True, slots=True)
class Array:
    """An array in the stream: the bytes that it takes, and whether padding is before them."""

    size: int
    is_aligned: bool
    has_objects: bool


def described(value: Made) -> Array | None:
    """Return what the state of a wrapper says of its array; None where it is not understood."""
    state = pickle_machine.entries(value.state) or {}
    kind, shape = state.get("dtype"), state.get("shape")
    if not isinstance(shape, (tuple, list)) or not all(type(each) is int and each >= 0 for each in shape):
        return None
    codes = list(_codes(kind, 0))
    if "?" in codes or not codes:
        return None
    if any(code.lstrip("<>|=").startswith("O") for code in codes):
        return Array(0, False, True)
    plain = _PLAIN.fullmatch(codes[0])
    if plain is None:
        return None
    width = int(plain[2] or 1) * (4 if plain[1] == "U" else 1)
    size = math.prod(shape) * width
    return Array(size, state.get("numpy_array_alignment_bytes") is not None, False) if size < 1 << 50 else None


def _codes(kind: Any, depth: int) -> Any:
    """Yield the codes of an element type and of the fields in it, `?` for what is none."""
    if not isinstance(kind, Made) or depth > _DEEPEST or str(kind.maker) != "numpy.dtype" or not kind.arguments:
        yield "?"
        return
    yield kind.arguments[0] if isinstance(kind.arguments[0], str) else "?"
    state = kind.state if isinstance(kind.state, tuple) else ()
    if len(state) > 2 and isinstance(state[2], tuple):  # an array in each element
        yield from _codes(state[2][0] if state[2] else None, depth + 1)
    if len(state) > 4:
        for field in (pickle_machine.entries(state[4]) or {}).values():
            yield from _codes(field[0] if isinstance(field, tuple) and field else None, depth + 1)


def skip(file: BinaryIO, array: Array) -> None:
    """Pass over the numbers of an array."""
    if array.is_aligned:
        padding = file.read(1)
        file.seek(padding[0] if padding else 0, 1)
    file.seek(array.size, 1)
