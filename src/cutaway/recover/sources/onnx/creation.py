"""Tensors that are made: constants, ranges, shapes of others; and parts that are written into a tensor."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

from cutaway.core.contents import Stored
from cutaway.recover.graph import Input, Literal, Numbers, count
from cutaway.recover.sources.onnx.elementwise import DTYPES
from cutaway.recover.sources.onnx.registry import Call, operator

_CODES = {"float32": "f", "int64": "q", "int32": "i", "bool": "?", "float64": "d", "float16": "e", "uint8": "B"}
_PIECE = 1 << 20


@operator("Constant")
def constant(call: Call) -> None:
    """A tensor of the file."""
    for value in call.operation.attributes.values():
        if isinstance(value, Stored):
            call.constant(value)
            return
    call.unsupported("it has no tensor")


@operator("Shape")
def shape_of(call: Call) -> None:
    """The sizes of a tensor."""
    start, end = call.get("start", 0), call.get("end")
    call.emit("shape_of", call.name(), start=start, end=end)


@operator("Size")
def size_of(call: Call) -> None:
    """How many elements a tensor has."""
    call.emit("torch.tensor", Literal(0), call.name(), data=Input(1), method="numel")


@operator("ConstantOfShape")
def filled(call: Call) -> None:
    """A tensor of one number."""
    shape = call.graph.shape(call.operation.outputs[0])
    stored = call.get("value")
    dtype = stored.dtype if isinstance(stored, Stored) else "float32"
    number = _first(stored) if isinstance(stored, Stored) else 0.0
    if number is None:
        call.unsupported("its number can't be read")
    if shape is None or call.numbers(0) is None:
        call.emit("torch.full", call.name(), size=Numbers(0), fill_value=number, dtype=dtype)
        return
    elements = count(shape)
    if elements is not None and dtype in _CODES:
        # It may be a weight of a layer, as in files whose weights were left out.
        one = struct.pack(f"<{_CODES[dtype]}", number)
        sizes = tuple(int(size) for size in shape)
        call.constant(Stored("", dtype, sizes, lambda: _repeated(one, elements)))
        return
    call.emit("torch.full", Literal(tuple(shape)), Literal(number), dtype=dtype)


def _repeated(one: bytes, times: int) -> Iterator[bytes]:
    while times > 0:
        yield one * min(times, _PIECE)
        times -= _PIECE


def _first(stored: Stored) -> Any:
    content = b"".join(stored.pieces()) if stored.pieces is not None else b""
    code = _CODES.get(stored.dtype)
    return struct.unpack_from(f"<{code}", content)[0] if code and content else None


@operator("Range")
def numbers(call: Call) -> None:
    """Numbers from one to another."""
    parts = [call.numbers(place) for place in range(3)]
    if any(part is None for part in parts):
        names = [call.name(place) for place in range(3)]
        limits: Any = {name: Numbers(place, only=True) for place, name in enumerate(("start", "end", "step"))}
        call.emit("torch.arange", *names, **limits, dtype=call.fact(0).dtype)
        return
    start, limit, step = (part[0] for part in parts if part)
    arguments = [Literal(limit)] if start == 0 and step == 1 else [Literal(start), Literal(limit)]
    if step != 1:
        arguments.append(Literal(step))
    call.emit("torch.arange", *arguments, dtype=call.fact(0).dtype)


@operator("EyeLike")
def identity(call: Call) -> None:
    """A matrix with ones on a diagonal."""
    shape, diagonal = call.fact().shape, call.get("k", 0)
    if shape is None:
        call.unsupported("its shape is not known")
    dtype = DTYPES.get(call.get("dtype", 0), call.fact().dtype)
    if not diagonal:
        call.emit("torch.eye", *(Literal(size) for size in shape), dtype=dtype)
        return
    ones = call.temporary("torch.ones_like", call.name(), shape=shape, dtype=dtype)
    call.emit("torch.triu", call.temporary("torch.tril", ones, shape=shape, diagonal=diagonal), diagonal=diagonal)


@operator("OneHot")
def one_hot(call: Call) -> None:
    """A one at the place that a number says."""
    depth, values = call.numbers(1), call.numbers(2)
    if depth is None or values is None or list(map(float, values)) != [0.0, 1.0] or call.get("axis", -1) != -1:
        call.unsupported("its values are not 0 and 1, or not in the last dimension")
    dtype = call.fact(2).dtype
    whole = call.temporary("F.one_hot", call.name(), shape=None, num_classes=int(depth[0]))
    call.emit(".to", whole, dtype=dtype)


@operator("NonZero")
def non_zero(call: Call) -> None:
    """Where a tensor is not zero."""
    places = call.temporary("torch.nonzero", call.name())
    call.emit(".transpose", places, dims=(0, 1))


_REDUCTIONS = {"add": "sum", "mul": "prod", "min": "amin", "max": "amax"}


@operator("ScatterElements Scatter")
def scatter(call: Call) -> None:
    """Elements written to places by an index."""
    reduction = call.get("reduction", "none")
    names = call.name(0), call.places(1, call.axis(0)), call.name(2)
    if reduction == "none":
        call.emit("torch.scatter", *names, dim=call.axis(0), index=Input(1), src=Input(2))
    elif reduction in _REDUCTIONS:
        kind = _REDUCTIONS[reduction]
        call.emit("torch.scatter_reduce", *names, dim=call.axis(0), index=Input(1), src=Input(2), reduce=kind)
    else:
        call.unsupported(f"its reduction is {reduction}")


@operator("ScatterND")
def scatter_nd(call: Call) -> None:
    """Slices written to places by an index of the first dimensions."""
    reduction = call.get("reduction", "none")
    index = call.fact(1).shape
    if index is None or not isinstance(index[-1], int) or reduction not in ("none", "add"):
        call.unsupported("how many dimensions its index has is not known, or it reduces in another way")
    parts = call.temporary(".unbind", call.name(1), dim=-1)
    config: dict[str, Any] = {"accumulate": True} if reduction == "add" else {}
    call.emit("torch.index_put", call.name(0), parts, call.name(2), **config)


@operator("GatherND")
def gather_nd(call: Call) -> None:
    """Slices by an index of the first dimensions."""
    index = call.fact(1).shape
    if index is None or not isinstance(index[-1], int) or call.get("batch_dims", 0):
        call.unsupported("how many dimensions its index has is not known, or some are batches")
    parts = call.temporary(".unbind", call.name(1), dim=-1)
    call.emit("getitem", call.name(0), parts, index=Input(1))
