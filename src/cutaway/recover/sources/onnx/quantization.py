"""Whole numbers that stand for real ones by a scale and an offset; stored ones become real, with their scales."""

from __future__ import annotations

import math
import struct
from typing import Any

from cutaway.core.contents import Stored
from cutaway.recover.graph import Literal, Operand, Tensor
from cutaway.recover.sources.emission import shortest
from cutaway.recover.sources.onnx.registry import Call, operator

_LIMITS = {"int8": (-128, 127), "uint8": (0, 255), "int16": (-32768, 32767), "uint16": (0, 65535)}
_CODES = {"int8": "b", "uint8": "B", "int32": "i", "int16": "h", "uint16": "H"}
_MOST = 1 << 26


def _scale(call: Call, place: int) -> Operand:
    """Return the scale: a number, or a tensor whose shape fits the dimension that it belongs to."""
    numbers = call.numbers(place)
    if numbers is not None and len(numbers) == 1:
        return Literal(shortest(numbers[0]))
    rank, axis = call.known_rank(), call.get("axis", 1)
    size = (call.fact(place).shape or (None,))[0]
    if call.rank(place) != 1 or not isinstance(size, int) or call.get("block_size", 0):
        call.unsupported("its scales are not one for each place of a dimension")
    shape = [1] * rank
    shape[axis] = size
    tensor = call.tensor(place)
    if tensor is None:
        return call.temporary(".reshape", call.name(place), shape=shape, sizes=tuple(shape))
    name = f"{call.name(place)}:{'x'.join(map(str, shape))}"
    call.graph.tensors[name] = tensor.reshaped(*shape)
    call.graph.facts[name] = type(call.fact())(tuple(shape), tensor.dtype)
    return name


def _offset(call: Call, place: int) -> Operand:
    if not call.has(place):
        return Literal(0)
    numbers = call.numbers(place)
    if numbers is not None and all(number == numbers[0] for number in numbers) and numbers:
        return Literal(int(numbers[0]))
    return _scale(call, place)


@operator("QuantizeLinear")
def quantize(call: Call) -> None:
    """Real numbers to whole ones."""
    dtype = call.fact(2).dtype or "uint8"
    if dtype not in _LIMITS or call.fact().dtype != "float32":
        call.unsupported(f"from {call.fact().dtype} to {dtype}")
    shape = call.fact().shape
    value = call.temporary("/", call.name(), _scale(call, 1), shape=shape)
    value = call.temporary("torch.round", value, shape=shape)
    offset = _offset(call, 2)
    if offset != Literal(0):
        value = call.temporary("+", value, offset, shape=shape)
    low, high = _LIMITS[dtype]
    value = call.temporary("torch.clamp", value, shape=shape, min=low, max=high)
    call.emit(".to", value, dtype=dtype)


@operator("DequantizeLinear")
def dequantize(call: Call) -> None:
    """Whole numbers to real ones; a stored tensor is one of real numbers from then on."""
    stored = _real(call)
    if stored is not None:
        constant = call.graph.tensors[call.name()].constant
        call.graph.tensors[call.operation.outputs[0]] = Tensor(stored, constant=constant)
        return
    if call.fact(1).dtype != "float32":
        call.unsupported(f"its scale is {call.fact(1).dtype}")
    shape = call.fact().shape
    value = call.temporary(".to", call.name(), shape=shape, dtype="float32")
    offset = _offset(call, 2)
    if offset != Literal(0):
        value = call.temporary("-", value, offset, shape=shape)
    call.emit("*", value, _scale(call, 1))


def _real(call: Call) -> Stored | None:
    """Return a stored tensor of whole numbers as real ones; None where something of it is computed."""
    tensor, scales, offsets = call.tensor(0), call.tensor(1), call.tensor(2)
    if tensor is None or tensor.changes or scales is None or (call.has(2) and offsets is None):
        return None
    shape = tensor.shape
    if tensor.dtype not in _CODES or math.prod(shape) > _MOST or scales.dtype != "float32" or call.get("block_size", 0):
        return None
    axis = call.get("axis", 1)
    axis += len(shape) if axis < 0 else 0

    def pieces() -> Any:
        values = numbers_of(tensor.stored)
        scale = numbers_of(scales.stored)
        offset = numbers_of(offsets.stored) if offsets is not None else [0]
        inner = math.prod(shape[axis + 1 :]) if len(scale) > 1 else 1
        size = shape[axis] if len(scale) > 1 else 1
        result = []
        for place, value in enumerate(values):
            at = place // inner % size
            result.append((value - offset[at % len(offset)]) * scale[at])
        yield struct.pack(f"<{len(result)}f", *result)

    return Stored(tensor.stored.name or call.operation.outputs[0], "float32", shape, pieces)


def numbers_of(stored: Stored) -> tuple[Any, ...]:
    """Return the numbers of a stored tensor."""
    content = b"" if stored.pieces is None else b"".join(stored.pieces())
    code = {**_CODES, "float32": "f"}[stored.dtype]
    count = math.prod(stored.shape)
    return struct.unpack_from(f"<{count}{code}", content)
