"""Operators that select elements: by positions, by conditions, the distinct ones, boxes."""

from __future__ import annotations

from typing import Any

from cutaway.core.size.dim import Dim, Size, product
from cutaway.formats.graph.value import Call, Out, one, several, undecided
from cutaway.formats.onnx.operators.registry import operator
from cutaway.ops.reshape import axis


@operator("Gather")
def gathered(call: Call) -> Out:
    """Slices at positions along a dimension."""
    value, shape = call.input(0), call.shape(0)
    place = axis(call.integer("axis", 0), len(shape))
    positions = call.input(1)
    if positions.shape is None:
        return one(None, value.dtype)
    numbers = None
    if value.numbers is not None and len(shape) == 1 and positions.numbers is not None:
        numbers = [_at(value.numbers, position) for position in positions.numbers]
    return one((*shape[:place], *positions.shape, *shape[place + 1 :]), value.dtype, numbers)


def _at(numbers: tuple[Any, ...], position: Any) -> Any:
    if not isinstance(position, int) or not -len(numbers) <= position < len(numbers):
        return None
    return numbers[position]


@operator("GatherElements")
def gathered_elements(call: Call) -> Out:
    """An element for each position."""
    return one(call.input(1).shape, call.dtype())


@operator("GatherND")
def gathered_slices(call: Call) -> Out:
    """A slice for each row of positions."""
    shape, positions = call.shape(0), call.shape(1)
    batch = call.integer("batch_dims", 0)
    depth = positions[-1] if positions else None
    if not isinstance(depth, int):
        undecided(f"{call.name}: how many dimensions are indexed depends on the input")
    return one((*positions[:-1], *shape[batch + depth :]), call.dtype())


@operator("NonZero")
def nonzero(call: Call) -> Out:
    """Where elements are not zero: how many there are depends on the numbers."""
    return one((max(len(call.shape(0)), 1), call.fresh("count")), "int64")


@operator("Compress")
def compressed(call: Call) -> Out:
    """Slices for which a condition holds: how many there are depends on the numbers."""
    kept = call.numbers(1)
    count: Size = call.fresh("count") if kept is None or None in kept else sum(map(bool, kept))
    if "axis" not in call.attributes:
        return one((count,), call.dtype())
    shape = list(call.shape(0))
    shape[axis(call.integer("axis"), len(shape))] = count
    return one(shape, call.dtype())


@operator("Unique")
def unique(call: Call) -> Out:
    """The distinct elements or slices, where they first are, which one each is, and how often it occurs."""
    count = call.fresh("count")
    if "axis" not in call.attributes:
        shape = call.input(0).shape
        whole = None if shape is None else (product(shape),)
        return several(((count,), call.dtype()), ((count,), "int64"), (whole, "int64"), ((count,), "int64"))
    sizes = list(call.shape(0))
    place = axis(call.integer("axis"), len(sizes))
    extent, sizes[place] = sizes[place], count
    return several((sizes, call.dtype()), ((count,), "int64"), ((extent,), "int64"), ((count,), "int64"))


@operator("NonMaxSuppression")
def boxes(call: Call) -> Out:
    """Which boxes are kept: how many there are depends on the numbers."""
    return one((call.fresh("count"), 3), "int64")


@operator("OneHot")
def one_hot(call: Call) -> Out:
    """A new dimension that is 1 at a position, and 0 elsewhere."""
    shape = call.shape(0)
    place = axis(call.integer("axis", -1), len(shape) + 1)
    depth = call.number(1)
    if isinstance(depth, float):
        depth = int(depth)
    size = depth if isinstance(depth, (int, Dim)) else call.fresh(f"dim{place}")
    return one((*shape[:place], size, *shape[place:]), call.dtype(2))
