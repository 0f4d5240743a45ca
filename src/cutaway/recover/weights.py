"""Weights under the names of recovered code, written as a safetensors file one tensor at a time."""

from __future__ import annotations

import json
import math
from array import array
from collections.abc import Iterator, Mapping
from typing import BinaryIO

from cutaway.core.error import CutawayError
from cutaway.recover.graph import Change, Tensor, changed_shape

_NAMES = {
    "float32": "F32", "float64": "F64", "float16": "F16", "bfloat16": "BF16", "int64": "I64", "int32": "I32", "int16": "I16",
    "int8": "I8", "uint8": "U8", "uint16": "U16", "uint32": "U32", "uint64": "U64", "bool": "BOOL",
}  # fmt: skip
_WIDTHS = {
    "float32": 4, "float64": 8, "float16": 2, "bfloat16": 2, "int64": 8, "int32": 4, "int16": 2, "int8": 1, "uint8": 1,
    "uint16": 2, "uint32": 4, "uint64": 8, "bool": 1,
}  # fmt: skip
_CODES = {1: "B", 2: "H", 4: "I", 8: "Q"}
_ALIGNMENT = 8


def write_weights(file: BinaryIO, weights: Mapping[str, Tensor]) -> None:
    """Write weights to a file; the bytes of one tensor at most are in memory at a time."""
    header: dict[str, object] = {}
    offset = 0
    for name, tensor in weights.items():
        if tensor.dtype not in _WIDTHS:
            raise CutawayError(f"{name}: its element type, {tensor.dtype}, can't be written")
        if tensor.stored.pieces is None:
            raise CutawayError(f"{name}: the numbers of {tensor.stored.name} can't be read: {tensor.stored.problem}")
        size = math.prod(tensor.shape) * _WIDTHS[tensor.dtype]
        shape = list(tensor.shape)
        header[name] = {"dtype": _NAMES[tensor.dtype], "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    file.write(len(text).to_bytes(8, "little") + text)
    for name, tensor in weights.items():
        written = 0
        for piece in tensor_bytes(tensor):
            file.write(piece)
            written += len(piece)
        if written != math.prod(tensor.shape) * _WIDTHS[tensor.dtype]:
            raise CutawayError(
                f"{name}: the file has {written} bytes of {tensor.stored.name}, which has more or fewer elements"
            )


def tensor_bytes(tensor: Tensor) -> Iterator[bytes]:
    """Yield the bytes of a tensor after its changes."""
    assert tensor.stored.pieces is not None
    width = _WIDTHS[tensor.dtype]
    total = math.prod(tensor.stored.shape) * width
    pieces = _limited(tensor.stored.pieces(), total)
    moves = [change for change in tensor.changes if change.kind != "reshape"]
    if not moves:
        yield from pieces
        return
    content: array[int] = array(_CODES[width])
    content.frombytes(b"".join(pieces))
    if len(content) * width != total:
        return
    shape = tensor.stored.shape
    for change in tensor.changes:
        content = _changed(content, shape, change)
        shape = changed_shape(shape, change)
    yield content.tobytes()


def _limited(pieces: Iterator[bytes], total: int) -> Iterator[bytes]:
    for piece in pieces:
        if total <= 0:
            return
        yield piece[:total]
        total -= len(piece)


def _changed(content: array[int], shape: tuple[int, ...], change: Change) -> array[int]:
    if change.kind == "permute":
        return _permuted(content, shape, change.arguments)
    if change.kind == "slice":
        axis, start, stop = change.arguments
        inner = math.prod(shape[axis + 1 :])
        outer = math.prod(shape[:axis])
        row = shape[axis] * inner
        result = array(content.typecode)
        for place in range(outer):
            result += content[place * row + start * inner : place * row + stop * inner]
        return result
    if change.kind == "pick":
        (ranges,) = change.arguments
        inner = math.prod(shape[1:])
        result = array(content.typecode)
        for start, stop in ranges:
            result += content[start * inner : stop * inner]
        return result
    return content


def _permuted(content: array[int], shape: tuple[int, ...], order: tuple[int, ...]) -> array[int]:
    """Return elements with the dimensions in another order; the last dimension is copied as a whole, with a stride."""
    strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
    result = array(content.typecode)
    *outer, last = order
    count, stride = shape[last], strides[last]

    def copy(axes: list[int], start: int) -> None:
        nonlocal result
        if not axes:
            result += content[start : start + (count - 1) * stride + 1 : stride] if count else content[:0]
            return
        for place in range(shape[axes[0]]):
            copy(axes[1:], start + place * strides[axes[0]])

    copy(outer, 0)
    return result
