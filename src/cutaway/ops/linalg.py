"""Shapes of matrix decompositions and of solving linear equations."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Size, equal, minimum
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.ops.elementwise import broadcast
from cutaway.ops.reshape import text

Shape = tuple[Size, ...]


def matrix(shape: Sequence[Size], name: str, what: str = "A") -> tuple[Shape, Size, Size]:
    """Return batch, rows and columns of a batch of matrices."""
    if len(shape) < 2:
        raise Fault(f"{name}: {what} must have at least 2 dimensions, but it is {text(shape)}", FaultCode.WRONG_RANK)
    return tuple(shape[:-2]), shape[-2], shape[-1]


def square(shape: Sequence[Size], name: str, what: str = "A") -> tuple[Shape, Size]:
    """Return batch and order of a batch of square matrices."""
    batch, rows, columns = matrix(shape, name, what)
    if equal(rows, columns) is False:
        raise Fault(
            f"{name}: {what} must be batches of square matrices, but they are {rows} by {columns}",
            FaultCode.SHAPE_MISMATCH,
        )
    return batch, rows


def rank_bound(rows: Size, columns: Size) -> Size:
    """Return the number of singular values."""
    return minimum(rows, columns)


def svd(shape: Sequence[Size], full: bool, name: str) -> tuple[Shape, Shape, Shape]:
    """Return the shapes of U, S and the transposed V."""
    batch, rows, columns = matrix(shape, name)
    rank = rank_bound(rows, columns)
    left, right = (rows, columns) if full else (rank, rank)
    return (*batch, rows, left), (*batch, rank), (*batch, right, columns)


def qr(shape: Sequence[Size], mode: str, name: str) -> tuple[Shape, Shape]:
    """Return the shapes of Q and R; mode `r` leaves Q out."""
    batch, rows, columns = matrix(shape, name)
    rank = rank_bound(rows, columns)
    if mode == "complete":
        return (*batch, rows, rows), (*batch, rows, columns)
    return (0,) if mode == "r" else (*batch, rows, rank), (*batch, rank, columns)


def lu(shape: Sequence[Size], name: str) -> tuple[Shape, Shape, Shape]:
    """Return the shapes of P, L and U."""
    batch, rows, columns = matrix(shape, name)
    rank = rank_bound(rows, columns)
    return (*batch, rows, rows), (*batch, rows, rank), (*batch, rank, columns)


def solve(matrices: Sequence[Size], right: Sequence[Size], name: str, left: bool = True) -> Shape:
    """Return the shape of X in `A X = B`, or in `X A = B` if not `left`, where B is a batch of matrices."""
    batch, order = square(matrices, name)
    other, rows, columns = matrix(right, name, "B")
    facing = rows if left else columns
    if equal(order, facing) is False:
        which = "rows" if left else "columns"
        raise Fault(f"{name}: A is {order} by {order}, but B has {facing} {which}", FaultCode.SHAPE_MISMATCH)
    return (*broadcast(name, batch, other), rows, columns)


def is_vector(matrices: Sequence[Size], right: Sequence[Size]) -> bool:
    """Tell whether B is a vector, or one for each matrix of A, rather than a batch of matrices."""
    if len(right) == 1:
        return True
    if len(right) != len(matrices) - 1:
        return False
    answers = [equal(a, b) for a, b in zip(matrices, right)]
    if None in answers and False not in answers:
        raise Undecidable(Unknown(f"whether B {text(right)} is vectors or matrices depends on its sizes"))
    return all(answers)


def power_products(exponent: int) -> int:
    """Return how many products raise a matrix to a power by repeated squaring."""
    exponent = abs(exponent)
    if exponent < 2:
        return 0
    return exponent.bit_length() - 1 + exponent.bit_count() - 1
