"""Shapes of indexing: single positions, slices, new dimensions, masks and arrays of positions.

Positions and slices are applied first; masks and arrays of positions are then applied together,
broadcast against each other. Their dimensions stand where the first of them was if they are next
to each other, and in front otherwise.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from cutaway.core.fault import ArgumentFault, Fault, IndexFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Dim, Size, equal, floordiv, less, maximum, minimum, unknown_size
from cutaway.core.unknown import Unknown
from cutaway.ops.elementwise import broadcast
from cutaway.ops.reshape import Shape, text


@dataclass(frozen=True, slots=True)
class Mask:
    """A boolean array as an index, of which `count` elements are true."""

    shape: Shape
    count: Size


@dataclass(frozen=True, slots=True)
class Positions:
    """An integer array as an index."""

    shape: Shape


Item: TypeAlias = "int | Dim | slice | Mask | Positions | Any | None"


@dataclass(frozen=True, slots=True)
class Plan:
    """How an index is applied: `basic` to the array, then `advanced` to the dimensions that are left.

    `advanced` maps a dimension to the number of the item that indexes it; `extents` are the sizes
    of the dimensions in between; `shape` is the result's.
    """

    basic: list[Any]
    advanced: dict[int, int]
    extents: list[Size]
    shape: Shape


def plan(shape: Sequence[Size], items: Sequence[Item], backwards: bool = False) -> Plan:
    """Work out what indexing an array of this shape with these items does; slices may go `backwards`, but not in torch."""
    shape = tuple(shape)
    used = sum(len(i.shape) if isinstance(i, Mask) else i is not None and i is not Ellipsis for i in items)
    if used > len(shape):
        raise IndexFault(
            f"too many indices for a tensor of dimension {len(shape)}: {used} were given for {text(shape)}",
            FaultCode.INDEX_OUT_OF_RANGE,
        )
    basic: list[Any] = []
    advanced: dict[int, int] = {}
    extents: list[Size] = []
    source = 0
    for number, item in enumerate(items):
        if item is Ellipsis:
            free = len(shape) - used
            basic += [slice(None)] * free
            extents += shape[source : source + free]
            source, used = source + free, len(shape)
        elif item is None:
            basic.append(None)
            extents.append(1)
        elif isinstance(item, Mask):
            _match(item, shape, source)
            advanced[len(extents)] = number
            rank = len(item.shape)
            basic += [slice(None)] * rank or [None]
            extents += shape[source : source + rank] or [1]
            source += rank
        elif isinstance(item, Positions):
            advanced[len(extents)] = number
            basic.append(slice(None))
            extents.append(shape[source])
            source += 1
        elif isinstance(item, slice):
            basic.append(item)
            size = _backward_size if backwards and _is_backward(item) else slice_size
            extents.append(size(shape[source], item))
            source += 1
        else:
            position(item, shape[source], source, "index")
            basic.append(item)
            source += 1
    extents += shape[source:]
    return Plan(basic, advanced, extents, _gathered(extents, {d: items[n] for d, n in advanced.items()}))


def _match(mask: Mask, shape: Sequence[Size], source: int) -> None:
    for offset, extent in enumerate(mask.shape):
        if equal(extent, shape[source + offset]) is False:
            raise IndexFault(
                f"index: the mask {text(mask.shape)} does not match the tensor {text(shape)}: "
                f"sizes {extent} and {shape[source + offset]} in dimension {source + offset} differ",
                FaultCode.SHAPE_MISMATCH,
            )


def _gathered(extents: Sequence[Size], advanced: dict[int, Any]) -> Shape:
    """Return the shape after the masks and arrays of positions are applied."""
    if not advanced:
        return tuple(extents)
    taken: list[int] = []
    shapes: list[Shape] = []
    for dim, item in advanced.items():
        rank = max(len(item.shape), 1) if isinstance(item, Mask) else 1
        taken += range(dim, dim + rank)
        shapes.append((item.count,) if isinstance(item, Mask) else item.shape)
    try:
        common = broadcast("index", *shapes)
    except Fault as fault:
        listed = ", ".join(map(text, shapes))
        raise IndexFault(
            f"index: indexing tensors {listed} cannot be broadcast together", FaultCode.SHAPE_MISMATCH
        ) from fault
    rest = [s for d, s in enumerate(extents) if d not in taken]
    front = taken[0] if taken == list(range(taken[0], taken[0] + len(taken))) else 0
    return (*rest[:front], *common, *rest[front:])


def position(index: Any, extent: Size, dim: int, name: str) -> None:
    """Raise where a single position is definitely outside of a dimension."""
    if isinstance(index, (int, Dim)) and (less(index, -extent) is True or less(index, extent) is False):
        raise IndexFault(
            f"{name}: index {index} is out of bounds for dimension {dim} with size {extent}",
            FaultCode.INDEX_OUT_OF_RANGE,
        )


def slice_size(extent: Size, part: slice) -> Size:
    """Return how many elements a slice with a positive step takes of a dimension."""
    step = 1 if part.step is None else part.step
    if isinstance(step, Unknown):
        return unknown_size()
    if less(0, step) is False:
        raise ArgumentFault(
            f"index: the step of a slice must be greater than zero, but is {step}", FaultCode.INVALID_ARGUMENT
        )
    return floordiv(_span(extent, part.start, part.stop) + step - 1, step)


def _is_backward(part: slice) -> bool:
    return isinstance(part.step, int) and part.step < 0


def _backward_size(extent: Size, part: slice) -> Size:
    """Return how many elements a slice with a negative step takes of a dimension."""
    if part.start is None and part.stop is None:
        return floordiv(extent - part.step - 1, -part.step)
    known = all(type(bound) is int for bound in (extent, part.start or 0, part.stop or 0))
    return len(range(*part.indices(extent))) if known else unknown_size()  # type: ignore[arg-type]


def _span(extent: Size, start: Any, stop: Any) -> Size:
    if stop is None and isinstance(start, (int, Dim)):  # the tail, without a min of a difference
        if less(start, 0) is True:
            return minimum(extent, -start)
        if less(start, 0) is False:
            return maximum(extent - start, 0)
    first, last = _bound(start, extent, 0), _bound(stop, extent, extent)
    if first is None or last is None:
        return unknown_size()
    return maximum(last - first, 0)


def _bound(bound: Any, extent: Size, default: Size) -> Size | None:
    """Return one end of a slice inside of the dimension; None where it is not known."""
    if bound is None:
        return default
    if isinstance(bound, Unknown):
        return None
    negative = less(bound, 0)
    if negative is None:
        return None
    return maximum(extent + bound, 0) if negative else minimum(bound, extent)


def gather(shape: Sequence[Size], index: Sequence[Size], dim: int, name: str) -> None:
    """Check an array of positions along one dimension that pairs with the others element by element."""
    if max(len(index), 1) != max(len(shape), 1):
        raise Fault(
            f"{name}: index {text(index)} must have the same number of dimensions as input {text(shape)}",
            FaultCode.WRONG_RANK,
        )
    for d, (extent, wanted) in enumerate(zip(shape, index)):
        if d != dim and less(extent, wanted) is True:
            raise Fault(
                f"{name}: index {text(index)} must be no larger than input {text(shape)} apart from dimension {dim}, "
                f"but in dimension {d} it has {wanted} and input {extent}",
                FaultCode.SHAPE_MISMATCH,
            )


def scatter(shape: Sequence[Size], index: Sequence[Size], source: Sequence[Size] | None, dim: int, name: str) -> None:
    """Check positions to write to, and that there is a source element for each."""
    if any(equal(s, 0) is True for s in index):
        return
    gather(shape, index, dim, name)
    if source is None:
        return
    if max(len(source), 1) != max(len(index), 1):
        raise Fault(
            f"{name}: index {text(index)} must have the same number of dimensions as src {text(source)}",
            FaultCode.WRONG_RANK,
        )
    for d, (have, wanted) in enumerate(zip(source, index)):
        if less(have, wanted) is True:
            raise Fault(
                f"{name}: index {text(index)} must be no larger than src {text(source)}, "
                f"but in dimension {d} it has {wanted} and src {have}",
                FaultCode.SHAPE_MISMATCH,
            )
