"""Linear and bilinear maps."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, product
from cutaway.knowledge.torch.functional.argument import same_dtype, shape_of
from cutaway.knowledge.torch.linalg.matmul import operand_copies
from cutaway.knowledge.torch.tensor.op import Out, compute, op
from cutaway.knowledge.torch.tensor.types import bfloat16
from cutaway.ops.norm import fits
from cutaway.ops.window import shown


@op("torch.nn.functional.linear", "torch._C._nn.linear")
def linear(input, weight, bias=None):
    shape, weights = input.shape, weight.shape
    if not shape:
        raise Fault("linear: input must have at least one dimension, but is a single number", FaultCode.WRONG_RANK)
    if len(weights) not in (1, 2):
        raise Fault(
            f"linear: weight must have 1 or 2 dimensions, but its shape is {shown(weights)}", FaultCode.WRONG_RANK
        )
    if not session.require_equal(shape[-1], weights[-1], "linear"):
        raise Fault(
            f"linear: input has {shape[-1]} features in its last dimension, but weight expects {weights[-1]}",
            FaultCode.SHAPE_MISMATCH,
        )
    if bias is not None:
        _check_bias(bias.shape, weights)
    dtype = same_dtype("linear", input=input, weight=weight, bias=bias)
    out = (*shape[:-1], *weights[:-1])
    values = compute(lambda np, a, w: a @ w.T, input, weight)
    if values is not None and bias is not None:
        values = compute(lambda np, y, b: y + b, values, bias)
    macs = product((*shape, weights[0])) if len(weights) == 2 else 0
    copies = [] if input._contiguous or len(weights) == 1 else operand_copies(input, weight)
    return Out(out, dtype, values, macs=macs, temporaries=copies)


def _check_bias(bias: Any, weights: Any) -> None:
    """The bias is added to the output, so its last dimension has to fit the output features."""
    if len(weights) == 1:
        if bias:
            raise Fault(
                f"linear: a weight of one dimension needs a bias of none, but its shape is {shown(bias)}",
                FaultCode.WRONG_RANK,
            )
    elif bias and equal(bias[-1], weights[0]) is False and equal(bias[-1], 1) is False:
        raise Fault(
            f"linear: bias has shape {shown(bias)}, but weight has {weights[0]} output features",
            FaultCode.SHAPE_MISMATCH,
        )


@op("torch.nn.functional.bilinear", "torch.bilinear")
def bilinear(input1, input2, weight, bias=None):
    first, second, weights = input1.shape, input2.shape, weight.shape
    if len(first) != len(second) or not fits(first[:-1], second[:-1]):
        raise Fault(
            f"bilinear: input1 {shown(first)} and input2 {shown(second)} must have the same leading dimensions",
            FaultCode.SHAPE_MISMATCH,
        )
    if len(weights) != 3:
        raise Fault(f"bilinear: weight must have 3 dimensions, but its shape is {shown(weights)}", FaultCode.WRONG_RANK)
    for what, shape, expected in (("input1", first, weights[1]), ("input2", second, weights[2])):
        if equal(shape[-1], expected) is False:
            raise Fault(
                f"bilinear: {what} has {shape[-1]} features in its last dimension, but weight expects {expected}",
                FaultCode.SHAPE_MISMATCH,
            )
    if bias is not None and equal(shape_of(bias)[0], weights[0]) is False:
        raise Fault(
            f"bilinear: bias has {bias.shape[0]} elements, but weight has {weights[0]} output features",
            FaultCode.SHAPE_MISMATCH,
        )
    return Out(
        (*first[:-1], weights[0]), same_dtype("bilinear", input1=input1, input2=input2, weight=weight, bias=bias)
    )


@op("torch.nn.functional.grouped_mm", "torch._grouped_mm")
def grouped_mm(mat_a, mat_b, *, offs=None, bias=None, out_dtype=None):
    left, right = mat_a.shape, mat_b.shape
    for what, shape in (("mat_a", left), ("mat_b", right)):
        if len(shape) not in (2, 3):
            raise Fault(
                f"grouped_mm: {what} must have 2 or 3 dimensions, but its shape is {shown(shape)}", FaultCode.WRONG_RANK
            )
    if equal(left[-1], right[-2]) is False:
        raise Fault(
            f"grouped_mm: mat_a has {left[-1]} columns, but mat_b has {right[-2]} rows", FaultCode.SHAPE_MISMATCH
        )
    if len(left) == 3 and len(right) == 3:
        if equal(left[0], right[0]) is False:
            raise Fault(f"grouped_mm: mat_a has {left[0]} groups, but mat_b has {right[0]}", FaultCode.SHAPE_MISMATCH)
        groups: tuple[Any, ...] = (left[0],)
    elif offs is None:
        raise Fault("grouped_mm: offs must be given where a matrix has 2 dimensions", FaultCode.MISSING_ARGUMENT)
    else:
        groups = (offs.shape[0],) if len(left) == len(right) else ()
    dtype = same_dtype("grouped_mm", mat_a=mat_a, mat_b=mat_b) if out_dtype is None else out_dtype
    # Without a dimension of its own, the groups share the rows of one side: each row meets one group.
    shared = groups if len(left) == 3 else ()
    return Out((*groups, left[-2], right[-1]), dtype, macs=product((*shared, left[-2], left[-1], right[-1])))


@op("torch.nn.functional.scaled_mm")
def scaled_mm(
    mat_a, mat_b, scale_a, scale_recipe_a, scale_b, scale_recipe_b, swizzle_a=None, swizzle_b=None, bias=None,
    output_dtype=bfloat16, contraction_dim=(), use_fast_accum=False,
):  # fmt: skip
    left, right = mat_a.shape, mat_b.shape
    if len(left) != 2 or len(right) != 2:
        raise Fault(
            f"scaled_mm: both matrices must have 2 dimensions, but are {shown(left)} and {shown(right)}",
            FaultCode.WRONG_RANK,
        )
    if equal(left[1], right[0]) is False:
        raise Fault(f"scaled_mm: mat_a has {left[1]} columns, but mat_b has {right[0]} rows", FaultCode.SHAPE_MISMATCH)
    dtype = mat_a.dtype if output_dtype is None else output_dtype
    return Out((left[0], right[1]), dtype, macs=product((*left, right[1])))
