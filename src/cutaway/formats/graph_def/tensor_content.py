"""The numbers of tensors in a graph, and of variables in the checkpoint beside it, as bytes that are read when they are needed."""

from __future__ import annotations

import math
import os
import struct
from collections.abc import Callable, Iterator
from typing import Any

from cutaway.core.contents import Stored
from cutaway.core.error import CutawayError
from cutaway.formats.graph_def.messages import dtype, number, numbers, parse, shape
from cutaway.formats.protobuf import Malformed

_CODES = {
    "float32": "f", "float64": "d", "float16": "e", "bfloat16": "H", "int64": "q", "int32": "i", "int16": "h", "int8": "b",
    "uint8": "B", "uint16": "H", "uint32": "I", "uint64": "Q", "bool": "?",
}  # fmt: skip
_LISTED = {
    "float32": 5,
    "float64": 6,
    "int64": 10,
    "bool": 11,
    "float16": 13,
    "bfloat16": 13,
    "uint32": 16,
    "uint64": 17,
}
"""The fields that list numbers one by one; other whole numbers are in field 7."""
_MOST_LISTED = 1 << 24
_FEW = 1024
_PIECE = 1 << 22


def stored(name: str, data: Any) -> Stored | None:
    """Return a TensorProto; None where it has no shape, or an element type that has no numbers."""
    fields = parse(data)
    kind = dtype(number(fields, 1))
    told = shape(fields[2][-1]) if 2 in fields else ()
    if told is None or kind not in _CODES or any(size is None for size in told):
        return None
    sizes = tuple(size for size in told if size is not None)
    return Stored(name, kind, sizes, lambda: _bytes(name, fields, kind, math.prod(sizes)))


def _bytes(name: str, fields: dict[int, list[Any]], kind: str, count: int) -> Iterator[bytes]:
    """Yield the bytes of a tensor: they are there in one piece, or its numbers are listed, and the last one is repeated."""
    width = struct.calcsize(f"<{_CODES[kind]}")
    content = [value for value in fields.get(4, ()) if not isinstance(value, int)]
    if content and len(content[-1]):
        if len(content[-1]) != count * width:
            raise CutawayError(f"{name}: a tensor of {count} numbers has {len(content[-1])} bytes")
        for at in range(0, len(content[-1]), _PIECE):
            yield bytes(content[-1][at : at + _PIECE])
        return
    if kind in ("float32", "float64"):
        given = b"".join(bytes(each) for each in fields.get(_LISTED[kind], ()) if not isinstance(each, int))
        given = given[: len(given) // width * width]
    else:
        code = "H" if kind in ("float16", "bfloat16") else _CODES[kind]
        listed = numbers(fields, _LISTED.get(kind, 7), min(count, _MOST_LISTED))
        try:
            given = struct.pack(f"<{len(listed)}{code}", *listed)
        except struct.error:
            raise CutawayError(f"{name}: its numbers are not of type {kind}") from None
    given = given[: count * width]
    yield given
    last = given[-width:] or bytes(width)
    missing = count - len(given) // width
    block = _PIECE // width
    while missing > 0:
        yield last * min(missing, block)
        missing -= block


def few_numbers(tensor: Stored) -> tuple[Any, ...] | None:
    """Return the numbers of a small tensor; None where they are many, or can't be read."""
    count = math.prod(tensor.shape)
    code = _CODES.get(tensor.dtype)
    if count > _FEW or code is None or tensor.pieces is None or tensor.dtype == "bfloat16":
        return None
    try:
        content = b"".join(tensor.pieces())
    except (CutawayError, Malformed):
        return None
    return tuple(struct.unpack(f"<{count}{code}", content)) if len(content) == count * struct.calcsize(code) else None


def in_shard(path: str, name: str, start: int, length: int) -> Callable[[], Iterator[bytes]]:
    """Return a function that yields the bytes of a tensor in a file of a checkpoint."""

    def pieces() -> Iterator[bytes]:
        try:
            with open(path, "rb") as file:
                file.seek(start)
                left = length
                while left > 0:
                    piece = file.read(min(left, _PIECE))
                    if not piece:
                        return
                    left -= len(piece)
                    yield piece
        except OSError as error:
            raise CutawayError(
                f"{os.path.basename(path)}: the numbers of {name} can't be read ({error.strerror})"
            ) from None

    return pieces
