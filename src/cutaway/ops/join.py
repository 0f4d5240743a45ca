"""Shapes of operations that join arrays."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Size
from cutaway.ops.reshape import Shape, axis, text


def concatenate(shapes: Sequence[Shape], dim: int, name: str) -> Shape:
    """Return the shape of arrays laid end to end along a dimension."""
    first = shapes[0]
    total: Size = 0
    common = list(first)
    for number, shape in enumerate(shapes):
        if len(shape) != len(first):
            raise Fault(
                f"{name}: tensors must have the same number of dimensions, "
                f"but tensor 0 is {text(first)} and tensor {number} is {text(shape)}",
                FaultCode.WRONG_RANK,
            )
        for d, extent in enumerate(shape):
            if d == dim:
                continue
            if not session.require_equal(common[d], extent, name):
                raise Fault(
                    f"{name}: sizes must match except in dimension {dim}, but tensor 0 is {text(first)} and "
                    f"tensor {number} is {text(shape)}: {common[d]} and {extent} in dimension {d} differ",
                    FaultCode.SHAPE_MISMATCH,
                )
            if isinstance(extent, int):
                common[d] = extent
        total = total + shape[dim]
    common[dim] = total
    return tuple(common)


def stack(shapes: Sequence[Shape], dim: object) -> tuple[int, Shape]:
    """Return the place of the new dimension and the shape of equal arrays joined along it."""
    first = shapes[0]
    place = axis(dim, len(first) + 1)
    common = list(first)
    for number, shape in enumerate(shapes):
        if len(shape) != len(first) or not all(session.require_equal(b, a, "stack") for a, b in zip(shape, common)):
            raise Fault(
                f"stack: expects tensors of equal size, but tensor 0 is {text(first)} "
                f"and tensor {number} is {text(shape)}",
                FaultCode.SHAPE_MISMATCH,
            )
        common = [a if isinstance(a, int) else b for a, b in zip(shape, common)]
    return place, (*common[:place], len(shapes), *common[place:])


def block_diagonal(shapes: Sequence[Shape]) -> Shape:
    """Return the shape of matrices put one after the other along the diagonal."""
    rows: Size = 0
    columns: Size = 0
    for number, shape in enumerate(shapes):
        if len(shape) > 2:
            raise Fault(
                f"block_diag: tensors must have at most 2 dimensions, but tensor {number} is {text(shape)}",
                FaultCode.WRONG_RANK,
            )
        height, width = (1,) * (2 - len(shape)) + tuple(shape)
        rows, columns = rows + height, columns + width
    return rows, columns
