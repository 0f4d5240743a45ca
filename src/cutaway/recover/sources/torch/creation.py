"""Tensors that are made: constants, ranges."""

from __future__ import annotations

import struct
from typing import Any

from cutaway.core.contents import Fact, Stored
from cutaway.core.size.dim import Dim
from cutaway.recover.graph import Literal, Tensor
from cutaway.recover.sources.torch.table import row
from cutaway.recover.sources.traced import Call

_CODES = {"float32": "f", "float64": "d", "float16": "e", "int8": "b", "uint8": "B", "bool": "?", "int16": "h", "int32": "i",
          "int64": "q"}  # fmt: skip


def _dtype(call: Call) -> str:
    dtype = call.op.outputs[0].dtype
    if dtype is None:
        call.unsupported("the element type is not known")
    return dtype


@row("zeros ones full new_zeros new_ones new_full zeros_like ones_like full_like empty new_empty empty_like", "like")
def filled(call: Call) -> None:
    """A tensor of one number."""
    kind = call.key.removeprefix("new_").removesuffix("_like")
    number = {"zeros": 0, "ones": 1, "empty": 0}.get(kind, call.get("fill_value"))
    dtype = _dtype(call)
    if not isinstance(number, (int, float, bool, Dim)):
        call.unsupported("the number is computed")
    if "float" in dtype and not isinstance(number, Dim):
        number = float(number)
    call.emit("torch.full", Literal(call.out_shape()), Literal(number), dtype=dtype)


@row("arange", "")
def numbers(call: Call) -> None:
    """Numbers from one to another."""
    start, end, step = call.get("start", 0), call.get("end"), call.get("step", 1)
    if end is None:
        start, end = 0, start
    if call.inputs or any(isinstance(each, str) for each in (start, end, step)):
        call.unsupported("its limits are computed")
    arguments = [Literal(end)] if start == 0 and step == 1 else [Literal(start), Literal(end)]
    if step != 1:
        arguments.append(Literal(step))
    call.emit("torch.arange", *arguments, dtype=_dtype(call))


@row("linspace", "")
def linspace(call: Call) -> None:
    """Numbers at the same distance from each other."""
    call.emit("torch.linspace", *(Literal(call.get(name)) for name in ("start", "end", "steps")), dtype=_dtype(call))


@row("eye", "")
def eye(call: Call) -> None:
    """A matrix with ones on its diagonal."""
    call.emit("torch.eye", *(Literal(size) for size in call.out_shape()), dtype=_dtype(call))


@row("tensor as_tensor scalar_tensor", "data")
def constant(call: Call) -> None:
    """A tensor of numbers that the program has."""
    if call.inputs:
        call.emit(".to", call.inputs[0], dtype=_dtype(call))
        return
    data = call.attributes.get("data", call.attributes.get("s"))
    values = list(_leaves(data))
    dtype, shape = _dtype(call), call.out_shape()
    if any(not isinstance(value, (int, float, bool, Dim)) for value in values):
        call.unsupported("its numbers are not known")
    if not shape or any(isinstance(value, Dim) for value in values) or dtype not in _CODES:
        call.emit("torch.tensor", Literal(data), dtype=dtype)
        return
    kind = float if "float" in dtype else bool if dtype == "bool" else int
    content = struct.pack(f"<{len(values)}{_CODES[dtype]}", *(kind(value) for value in values))
    name = call.outputs[0]
    sizes = tuple(int(size) for size in shape)
    call.graph.tensors[name] = Tensor(Stored(name, dtype, sizes, lambda: iter((content,))), constant=True)
    call.graph.facts[name] = Fact(sizes, dtype, tuple(values))


def _leaves(data: Any) -> Any:
    if isinstance(data, list):
        for each in data:
            yield from _leaves(each)
    else:
        yield data


@row("one_hot")
def one_hot(call: Call) -> None:
    """A one at the place that a number says."""
    call.emit("F.one_hot", call.name(), num_classes=call.get("num_classes"))


@row("meshgrid", "")
def meshgrid(call: Call) -> None:
    """The coordinates of a grid."""
    call.emit("torch.meshgrid", *call.inputs, indexing=call.get("indexing", "ij"))
