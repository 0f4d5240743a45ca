"""Reductions, and the positions of the largest and smallest elements."""

from __future__ import annotations

import functools
import math
from typing import Any

from cutaway.core.size.dim import Dim, is_known, product
from cutaway.formats.graph.value import Call, Out, one, several
from cutaway.formats.onnx.operators import arithmetic
from cutaway.formats.onnx.operators.registry import operator
from cutaway.ops.reduce import axes, axis, reduced


@operator(
    "ReduceL1 ReduceL2 ReduceLogSum ReduceLogSumExp ReduceMax ReduceMean ReduceMin ReduceProd ReduceSum ReduceSumSquare"
)
def reduction(call: Call) -> Out:
    """The sum, or something like it, over some dimensions: without any, over all or over none."""
    value, shape = call.input(0), call.shape(0)
    keep = call.integer("keepdims", 1) == 1
    if call.is_open(1):
        length = 0 if keep else call.length(1)
        if length is None or length > len(shape):
            return one(None, value.dtype)
        return one(call.fresh_shape(len(shape) - length), value.dtype)
    stated = call.setting(1, "axes")
    if not stated and call.integer("noop_with_empty_axes") == 1:
        return one(shape, value.dtype, value.numbers)
    over = axes(call.name, stated or None, len(shape))
    return one(reduced(shape, over, keep), value.dtype, _numbers(call, value.numbers, len(over), len(shape)))


def _numbers(call: Call, numbers: Any, over: int, rank: int) -> list[Any] | None:
    """Return the number that a reduction over everything gives."""
    if (
        numbers is None
        or over != rank
        or not numbers
        or any(not isinstance(each, (int, float, Dim)) for each in numbers)
    ):
        return None
    if call.name == "ReduceProd":
        result: Any = product(numbers) if all(isinstance(n, (int, Dim)) for n in numbers) else math.prod(numbers)
    elif call.name == "ReduceSum":
        result = functools.reduce(lambda left, right: left + right, numbers)
    elif call.name in ("ReduceMax", "ReduceMin"):
        largest = call.name == "ReduceMax"
        result = functools.reduce(
            lambda left, right: None if left is None else arithmetic.extreme(left, right, largest), numbers
        )
    else:
        return None
    if isinstance(result, Dim) and not is_known(result):
        return None
    return [arithmetic.fitted(result, call.dtype())]


@operator("ArgMax ArgMin")
def position(call: Call) -> Out:
    """Where the largest or smallest element along a dimension is."""
    shape = call.shape(0)
    over = (axis(call.name, call.integer("axis", 0), len(shape)),)
    return one(reduced(shape, over, call.integer("keepdims", 1) == 1), "int64")


@operator("TopK")
def largest(call: Call) -> Out:
    """The largest elements along a dimension, and where they are."""
    shape = list(call.shape(0))
    place = axis(call.name, call.integer("axis", -1), len(shape))
    count = call.number(1) if call.has(1) else call.integer("k")
    shape[place] = call.fresh(f"dim{place}") if count is None else count
    return several((shape, call.dtype()), (shape, "int64"))


@operator("NegativeLogLikelihoodLoss")
def likelihood(call: Call) -> Out:
    """A loss for each position, or their mean or sum."""
    if call.text("reduction", "mean") != "none":
        return one((), call.dtype())
    return one(call.input(1).shape, call.dtype())


@operator("SoftmaxCrossEntropyLoss")
@operator("SoftmaxCrossEntropyLossInternal", domain="com.microsoft")
def cross_entropy(call: Call) -> Out:
    """A loss for each position, or their mean or sum, and the logarithms of the probabilities."""
    scores = (call.input(0).shape, call.dtype())
    if call.text("reduction", "mean") != "none":
        return several(((), call.dtype()), scores)
    return several((call.input(1).shape, call.dtype()), scores)
