"""Products of matrices and contractions."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, product
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.ops.binary import reflected
from cutaway.knowledge.keras.tensors.dtypes import promote
from cutaway.knowledge.keras.tensors.op import Out, compute, op
from cutaway.knowledge.keras.tensors.shape import text
from cutaway.knowledge.keras.tensors.tensor import Tensor
from cutaway.ops import einsum as sums
from cutaway.ops import matmul as rule
from cutaway.ops import reshape


def product_of(name: str, left: Any, right: Any) -> Out:
    """Multiply as matrices; a product with a vector costs as much as one with a matrix of one column."""
    shape, macs = rule.matmul(left._shape, right._shape, name)
    if len(right._shape) == 1:
        macs = product(left._shape)
    values = compute(lambda np, a, b: np.matmul(a, b), left, right)
    return Out(shape, promote(left._dtype, right._dtype), values, macs=macs)


@op("keras.ops.matmul", methods=("__matmul__",))
def matmul(x1, x2):
    return product_of("matmul", known_rank(x1), known_rank(x2))


Tensor.__rmatmul__ = reflected(matmul)  # type: ignore[attr-defined]


@op("keras.ops.dot")
def dot(x1, x2):
    left, right = known_rank(x1), known_rank(x2)
    dtype = promote(left._dtype, right._dtype)
    if not left._shape or not right._shape:
        return Out(left._shape or right._shape, dtype, macs=product(left._shape or right._shape))
    if len(right._shape) <= 2:
        return product_of("dot", left, right)
    shape, macs = rule.tensordot(left._shape, right._shape, [len(left._shape) - 1], [len(right._shape) - 2])
    return Out(shape, dtype, macs=macs)


@op("keras.ops.tensordot")
def tensordot(x1, x2, axes=2):
    left, right = known_rank(x1), known_rank(x2)
    if isinstance(axes, int):
        rank = len(left._shape)
        first, second = list(range(rank - axes, rank)), list(range(axes))
    else:
        first, second = ([a] if isinstance(a, int) else list(a) for a in axes)
    first = [a % len(left._shape) for a in first]
    second = [a % len(right._shape) for a in second]
    shape, macs = rule.tensordot(left._shape, right._shape, first, second)
    return Out(shape, promote(left._dtype, right._dtype), macs=macs)


@op("keras.ops.einsum")
def einsum(subscripts, *operands, **kwargs):
    if isinstance(subscripts, Unknown):
        raise Undecidable(subscripts)
    tensors = [known_rank(x) for x in operands]
    equation = sums.parse(subscripts, [len(t._shape) for t in tensors])
    shapes = [t._shape for t in tensors]
    extent = sums.sizes(equation, shapes, f"einsum {subscripts}")
    macs = sums.macs(equation, shapes)
    return Out(sums.shape(equation, extent), promote(*(t._dtype for t in tensors)), macs=macs)


@op("keras.ops.inner")
def inner(x1, x2):
    left, right = known_rank(x1), known_rank(x2)
    shape, macs = rule.tensordot(left._shape, right._shape, [len(left._shape) - 1], [len(right._shape) - 1])
    return Out(shape, promote(left._dtype, right._dtype), macs=macs)


@op("keras.ops.outer")
def outer(x1, x2):
    left, right = known_rank(x1), known_rank(x2)
    shape = (product(left._shape), product(right._shape))
    return Out(shape, promote(left._dtype, right._dtype), macs=product(shape))


@op("keras.ops.vdot")
def vdot(x1, x2):
    left, right = known_rank(x1), known_rank(x2)
    if equal(product(left._shape), product(right._shape)) is False:
        raise ArgumentFault(
            f"vdot: {text(left._shape)} and {text(right._shape)} have different numbers of elements",
            FaultCode.SHAPE_MISMATCH,
        )
    return Out((), promote(left._dtype, right._dtype), macs=product(left._shape))


@op("keras.ops.trace")
def trace(x, offset=0, axis1=0, axis2=1):
    x = known_rank(x)
    return Out(reshape.diagonal(x._shape, offset, axis1, axis2)[2][:-1], x._dtype)
