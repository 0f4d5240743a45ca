"""Matrix products: the shape of the result and how many multiply-accumulates it takes."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Size, equal, minimum, product
from cutaway.ops.elementwise import broadcast
from cutaway.ops.reshape import text

Shape = tuple[Size, ...]


def matmul(left: Sequence[Size], right: Sequence[Size], name: str = "matmul") -> tuple[Shape, Size]:
    """Return the shape and the MACs of a product of vectors, matrices or batches of matrices.

    A product with a vector on the right counts no MACs: torch runs it as `mv` or `dot`, which its own
    counter leaves out.
    """
    left, right = tuple(left), tuple(right)
    if not left or not right:
        which = "left" if not left else "right"
        raise Fault(
            f"{name}: both operands must be at least 1-dimensional, but the {which} one has no dimension",
            FaultCode.WRONG_RANK,
        )
    inner = left[-1]
    contracted = right[-2] if len(right) > 1 else right[0]
    if not session.require_equal(inner, contracted, name):
        raise Fault(
            f"{name}: {text(left)} @ {text(right)} contracts {inner} columns of the left operand "
            f"with {contracted} rows of the right one",
            FaultCode.SHAPE_MISMATCH,
        )
    if len(right) == 1:
        return left[:-1], 0
    if len(left) == 1:
        shape = (*right[:-2], right[-1])
        return shape, product(shape) * inner
    batch = broadcast(name, left[:-2], right[:-2])
    shape = (*batch, left[-2], right[-1])
    return shape, product(shape) * inner


def matrix_product(left: Sequence[Size], right: Sequence[Size], name: str) -> tuple[Shape, Size]:
    """Return the shape and the MACs of a product of exactly two matrices."""
    _of_rank(name, 2, left, right)
    return matmul(left, right, name)


def batch_product(left: Sequence[Size], right: Sequence[Size], name: str) -> tuple[Shape, Size]:
    """Return the shape and the MACs of a product of two equally long batches of matrices."""
    _of_rank(name, 3, left, right)
    if not session.require_equal(left[0], right[0], name):
        raise Fault(f"{name}: the batches have {left[0]} and {right[0]} matrices", FaultCode.SHAPE_MISMATCH)
    shape, macs = matmul(left[1:], right[1:], name)
    return (left[0], *shape), left[0] * macs


def tensordot(
    left: Sequence[Size], right: Sequence[Size], left_dims: Sequence[int], right_dims: Sequence[int]
) -> tuple[Shape, Size]:
    """Return the shape and the MACs of a contraction over paired dimensions."""
    if len(left_dims) != len(right_dims):
        raise Fault(
            f"tensordot: both operands must contract the same number of dimensions, not {len(left_dims)} and "
            f"{len(right_dims)}",
            FaultCode.SHAPE_MISMATCH,
        )
    contracted: Size = 1
    for i, j in zip(left_dims, right_dims):
        if equal(left[i], right[j]) is False and equal(left[i], 1) is False and equal(right[j], 1) is False:
            raise Fault(
                f"tensordot: dimension {i} of the first operand has size {left[i]}, but dimension {j} of the "
                f"second has size {right[j]}",
                FaultCode.SHAPE_MISMATCH,
            )
        if equal(left[i], 1) is not True and equal(right[j], 1) is not True:
            contracted = contracted * left[i]
    kept_left = tuple(s for i, s in enumerate(left) if i not in left_dims)
    kept_right = tuple(s for j, s in enumerate(right) if j not in right_dims)
    return kept_left + kept_right, tensordot_macs(kept_left, kept_right, contracted)


def tensordot_macs(left: Sequence[Size], right: Sequence[Size], contracted: Size) -> Size:
    """Return the MACs of a contraction that keeps these sizes; one to a single number is a `dot`, not counted."""
    kept = product(left) * product(right)
    return 0 if equal(kept, 1) is True else kept * contracted


def chain(shapes: Sequence[Sequence[Size]]) -> Size:
    """Return the MACs of a chain of matrices multiplied in the cheapest order."""
    sizes = [shapes[0][0], *(s[1] for s in shapes)]
    count = len(shapes)
    best: dict[tuple[int, int], Size] = {(i, i): 0 for i in range(count)}
    for length in range(1, count):
        for i in range(count - length):
            j = i + length
            costs = [best[i, k] + best[k + 1, j] + sizes[i] * sizes[k + 1] * sizes[j + 1] for k in range(i, j)]
            best[i, j] = functools.reduce(minimum, costs)
    return best[0, count - 1]


def _of_rank(name: str, rank: int, left: Sequence[Size], right: Sequence[Size]) -> None:
    for which, shape in (("first", left), ("second", right)):
        if len(shape) != rank:
            raise Fault(
                f"{name}: the {which} operand must have {rank} dimensions, but it is {text(shape)}",
                FaultCode.WRONG_RANK,
            )
