"""Operators that make tensors: constants, ranges, random numbers, the shapes of other tensors."""

from __future__ import annotations

import math

from cutaway.core.size.dim import Dim, ceildiv, less, maximum, product
from cutaway.formats.graph.model import Tensor
from cutaway.formats.graph.value import MOST_NUMBERS, Call, Known, Out, one, stored
from cutaway.formats.onnx.messages import dtype_name
from cutaway.formats.onnx.operators.layout import sizes
from cutaway.formats.onnx.operators.registry import operator


@operator("Constant")
def constant(call: Call) -> Out:
    """A tensor that the file has."""
    for name, value in call.attributes.items():
        if isinstance(value, Tensor):
            return Out((stored(value),))
        if name in _CONSTANTS:
            dtype = _CONSTANTS[name]
            if isinstance(value, list):
                return one((len(value),), dtype, value if len(value) <= MOST_NUMBERS else None)
            return one((), dtype, [value])
    return one(None, None)


_CONSTANTS = {
    "value_int": "int64", "value_ints": "int64", "value_float": "float32", "value_floats": "float32",
    "value_string": "string", "value_strings": "string",
}  # fmt: skip


@operator("Shape")
def shape_of(call: Call) -> Out:
    """The sizes of a tensor, or of some of its dimensions."""
    shape = call.shape(0)
    start, end = call.integer("start", 0), call.integer("end", len(shape))
    part = shape[max(start, -len(shape)) if start < 0 else start : end]
    return one((len(part),), "int64", part)


@operator("Size")
def size_of(call: Call) -> Out:
    """How many elements a tensor has."""
    return one((), "int64", [product(call.shape(0))])


@operator("ConstantOfShape GivenTensorFill ConstantFill")
def filled(call: Call) -> Out:
    """A tensor of a shape, filled with one number."""
    if call.name == "GivenTensorFill" or not call.has(0):
        return one(call.integers("shape"), "float32")
    shape = sizes(call, 0)
    stated = call.tensor("value")
    value = Known((1,), "float32", (0.0,)) if stated is None else stored(stated)
    if call.name == "ConstantFill":
        value = Known((1,), dtype_name(call.integer("dtype", 1)))
    if shape is None:
        return one(None, value.dtype)
    count = product(shape)
    if value.numbers and isinstance(count, int) and 0 <= count <= 64:
        return one(shape, value.dtype, value.numbers[:1] * count)
    return one(shape, value.dtype)


@operator("Range")
def progression(call: Call) -> Out:
    """Numbers from a start to a limit, with a step."""
    start, limit, step = (call.number(place) for place in range(3))
    dtype = call.dtype() or call.dtype(1)
    if any(not isinstance(number, (int, float, Dim)) for number in (start, limit, step)):
        return one((call.fresh("count"),), dtype)
    if all(isinstance(number, int) for number in (start, limit, step)):
        count = len(range(start, limit, step)) if step else 0
        return one((count,), dtype, range(start, limit, step) if 0 < count <= MOST_NUMBERS else None)
    if any(isinstance(number, float) for number in (start, limit, step)):
        if all(isinstance(number, (int, float)) for number in (start, limit, step)) and step:
            return one((max(math.ceil((limit - start) / step), 0),), dtype)
        if not all(isinstance(n, (int, Dim)) or float(n).is_integer() for n in (start, limit, step)):
            return one((call.fresh("count"),), dtype)
        start, limit, step = (int(n) if isinstance(n, float) else n for n in (start, limit, step))
    if less(0, step) is not True:
        return one((call.fresh("count"),), dtype)
    return one((maximum(ceildiv(limit - start, step), 0),), dtype)


@operator("EyeLike RandomNormalLike RandomUniformLike")
def like(call: Call) -> Out:
    """A tensor of the shape of another one."""
    return one(call.input(0).shape, dtype_name(call.integer("dtype")) or call.dtype())


@operator("RandomNormal RandomUniform")
def random(call: Call) -> Out:
    """Random numbers in a stated shape."""
    return one(call.integers("shape") or (), dtype_name(call.integer("dtype", 1)))


@operator("Multinomial")
def drawn(call: Call) -> Out:
    """Samples of a distribution for each row."""
    return one((call.shape(0)[0], call.integer("sample_size", 1)), dtype_name(call.integer("dtype", 6)))
