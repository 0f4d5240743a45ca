"""Operators that select elements, or put them somewhere."""

from __future__ import annotations

from cutaway.core.size.dim import Dim
from cutaway.formats.graph.value import Call, Out, one, several, undecided
from cutaway.formats.tflite.registry import numbers, operator
from cutaway.ops.reshape import axis


@operator("GATHER")
def gathered(call: Call) -> Out:
    """Slices at positions along a dimension."""
    shape, positions = call.shape(0), call.shape(1)
    place = axis(call.integer("axis"), len(shape))
    batch = call.integer("batch_dims")
    batch = batch + len(positions) if batch < 0 else batch
    own, wanted = call.numbers(0), call.numbers(1)
    picked = None
    if own is not None and wanted is not None and len(shape) == 1:
        picked = [own[at] if type(at) is int and -len(own) <= at < len(own) else None for at in wanted]
    return one((*shape[:place], *positions[batch:], *shape[place + 1 :]), None, picked)


@operator("GATHER_ND")
def gathered_slices(call: Call) -> Out:
    """A slice for each row of positions."""
    shape, positions = call.shape(0), call.shape(1)
    depth = positions[-1] if positions else None
    if not isinstance(depth, int):
        undecided(f"{call.name}: how many dimensions are indexed is not known")
    return one((*positions[:-1], *shape[depth:]), None)


@operator("EMBEDDING_LOOKUP")
def embedded(call: Call) -> Out:
    """Rows of a table."""
    return one((*call.shape(0), *call.shape(1)[1:]), None)


@operator("ONE_HOT")
def one_hot(call: Call) -> Out:
    """A new dimension that is on at a position, and off elsewhere."""
    shape = call.shape(0)
    place = axis(call.integer("axis", -1), len(shape) + 1)
    depth = call.number(1)
    size = depth if isinstance(depth, (int, Dim)) else call.fresh(f"dim{place}")
    return one((*shape[:place], size, *shape[place:]), None)


@operator("TOPK_V2")
def largest(call: Call) -> Out:
    """The largest elements of the last dimension, and where they are."""
    shape, count = call.shape(0), call.number(1)
    size = count if isinstance(count, (int, Dim)) else call.fresh("count")
    return several(((*shape[:-1], size), None), ((*shape[:-1], size), None))


@operator("WHERE")
def nonzero(call: Call) -> Out:
    """Where elements are true: how many there are depends on the numbers."""
    return one((call.fresh("count"), len(call.shape(0))), None)


@operator("UNIQUE")
def unique(call: Call) -> Out:
    """The distinct elements, and which one each is."""
    return several(((call.fresh("count"),), None), (call.input(0).shape, None))


@operator("SCATTER_ND SPARSE_TO_DENSE")
def scattered(call: Call) -> Out:
    """Numbers at places of a tensor of a stated shape."""
    return one(numbers(call, 2 if call.name == "SCATTER_ND" else 1), None)


@operator("MATRIX_DIAG")
def diagonal(call: Call) -> Out:
    """Matrices with vectors on their diagonals."""
    shape = call.shape(0)
    return one((*shape, shape[-1]), None)


@operator("SEGMENT_SUM")
def segments(call: Call) -> Out:
    """Sums of rows: how many there are depends on the numbers."""
    return one((call.fresh("count"), *call.shape(0)[1:]), None)
