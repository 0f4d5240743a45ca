"""Operators that work on each element by itself, and reductions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core.size.dim import floordiv, product
from cutaway.formats.graph.value import Call, Out, one
from cutaway.formats.onnx.operators import arithmetic
from cutaway.formats.tflite.registry import operator, whole
from cutaway.ops.elementwise import broadcast
from cutaway.ops.reduce import axes as reduced_axes
from cutaway.ops.reduce import reduced
from cutaway.ops.reshape import axis


@operator(
    "ABS BITCAST CEIL COS DEQUANTIZE ELU EXP FAKE_QUANT FLOOR GELU HARD_SWISH L2_NORMALIZATION LEAKY_RELU",
    "LOCAL_RESPONSE_NORMALIZATION LOG LOGICAL_NOT LOGISTIC LOG_SOFTMAX NEG QUANTIZE RELU RELU6 RELU_0_TO_1 RELU_N1_TO_1",
    "REVERSE_V2 REVERSE_SEQUENCE ROUND RSQRT SIGN SIN SOFTMAX SQRT SQUARE TANH ZEROS_LIKE CUMSUM DENSIFY MATRIX_SET_DIAG",
    "DYNAMIC_UPDATE_SLICE BUCKETIZE COMPLEX_ABS IMAG REAL STABLEHLO_LOGISTIC STABLEHLO_ABS STABLEHLO_COSINE",
    "STABLEHLO_EXPONENTIAL STABLEHLO_FLOOR STABLEHLO_LOG STABLEHLO_NEGATE STABLEHLO_RSQRT STABLEHLO_TANH",
    "STABLEHLO_CONVERT STABLEHLO_CBRT CAST PRELU",
)
def same(call: Call) -> Out:
    """A function of each element, or one that keeps the shape in another way."""
    value = call.input(0)
    keeps = call.name == "CAST" and value.numbers is not None
    return one(value.shape, None, value.numbers if keeps and whole(value) else None)


@operator(
    "ADD SUB MUL DIV FLOOR_DIV FLOOR_MOD MAXIMUM MINIMUM POW SQUARED_DIFFERENCE ATAN2 EQUAL NOT_EQUAL LESS LESS_EQUAL",
    "GREATER GREATER_EQUAL LOGICAL_AND LOGICAL_OR BITWISE_XOR RIGHT_SHIFT SELECT_V2 STABLEHLO_ADD STABLEHLO_DIVIDE",
    "STABLEHLO_MULTIPLY STABLEHLO_MAXIMUM STABLEHLO_MINIMUM STABLEHLO_AND STABLEHLO_OR STABLEHLO_POWER",
    "STABLEHLO_REMAINDER STABLEHLO_SUBTRACT STABLEHLO_COMPARE STABLEHLO_SHIFT_LEFT",
)
def binary(call: Call) -> Out:
    """Arithmetic, comparisons and choices of tensors that are broadcast."""
    values = [value for value in call.inputs if value is not None]
    shapes = [call.shape(place) for place in range(len(call.inputs))]
    shape = broadcast(call.name, *shapes)
    function = _ARITHMETIC.get(call.name)
    computed = None
    if function is not None and all(value.numbers is not None and whole(value) for value in values):
        count = product(shape)
        if isinstance(count, int) and count <= 64:
            operands = [(value.shape or (), value.numbers or ()) for value in values]
            computed = arithmetic.combined(function, operands, values[0].dtype)
    return one(shape, None, computed)


_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "ADD": lambda left, right: left + right,
    "SUB": lambda left, right: left - right,
    "MUL": lambda left, right: left * right,
    "DIV": lambda left, right: arithmetic.divide(left, right, True),
    "FLOOR_DIV": lambda left, right: floordiv(left, right) if right != 0 else None,
    "FLOOR_MOD": lambda left, right: arithmetic.remainder(left, right, False),
    "MAXIMUM": lambda left, right: arithmetic.extreme(left, right, True),
    "MINIMUM": lambda left, right: arithmetic.extreme(left, right, False),
}


@operator("SELECT")
def choice(call: Call) -> Out:
    """Elements of one tensor or another."""
    return one(call.input(1).shape, None)


@operator("ADD_N")
def added(call: Call) -> Out:
    """The sum of tensors of one shape."""
    return one(call.input(0).shape, None)


@operator("MEAN SUM REDUCE_PROD REDUCE_MAX REDUCE_MIN REDUCE_ANY REDUCE_ALL")
def reduction(call: Call) -> Out:
    """The mean, or something like it, over some dimensions."""
    shape, over = call.shape(0), call.numbers(1)
    keep = bool(call.integer("keep_dims"))
    if over is None or None in over:
        return one(call.fresh_shape(len(shape)), None) if keep else one(None, None)
    if not over:
        return one(shape, None)
    own = call.numbers(0)
    total = None
    if call.name == "REDUCE_PROD" and own is not None and len(shape) == 1 and None not in own:
        total = [product(own)] if whole(call.input(0)) else None
    places = reduced_axes(call.name, list(dict.fromkeys(axis(each, len(shape)) for each in over)), len(shape))
    return one(reduced(shape, places, keep), None, total)


@operator("ARG_MAX ARG_MIN")
def position(call: Call) -> Out:
    """Where the largest or smallest element along a dimension is."""
    shape, place = call.shape(0), call.number(1)
    if place is None:
        return one(call.fresh_shape(len(shape) - 1), None)
    return one(reduced(shape, (axis(place, len(shape)),), False), None)
