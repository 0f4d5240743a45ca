"""Operators that rearrange elements: reshapes, transpositions, joins, splits, slices, padding."""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from cutaway.core.size.dim import Dim, Size, ceildiv, equal, floordiv, less, maximum, minimum, product
from cutaway.formats.graph.value import Call, Known, Out, one, undecided
from cutaway.formats.onnx.operators.registry import operator
from cutaway.ops.elementwise import broadcast
from cutaway.ops.join import concatenate
from cutaway.ops.reshape import axes, axis, permute, repeat, reshape, unsqueeze


def sizes(call: Call, place: int) -> list[Size] | None:
    """Return numbers of an input as sizes, with names for those that are not known; None if not even how many."""
    value = call.input(place)
    if value.numbers is not None:
        return [
            number if isinstance(number, (int, Dim)) else call.fresh(f"dim{at}")
            for at, number in enumerate(value.numbers)
        ]
    length = call.length(place)
    return None if length is None else list(call.fresh_shape(length))


@operator("Reshape")
def reshaped(call: Call) -> Out:
    """The same elements in another shape: 0 keeps a size, -1 is what is left."""
    value = call.input(0)
    if not call.has(1):
        stated: list[Size] | None = list(call.integers("shape") or [])
    else:
        stated = sizes(call, 1)
    if stated is None:
        return one(None, value.dtype, view=True)
    keeps = call.integer("allowzero") != 1
    wanted: list[Size] = []
    for place, size in enumerate(stated):
        if keeps and isinstance(size, int) and size == 0:
            if value.shape is None:
                wanted.append(call.fresh(f"dim{place}"))
                continue
            if place >= len(value.shape):
                undecided(f"{call.name}: a 0 at place {place} keeps a size that the input does not have")
            size = value.shape[place]
        wanted.append(call.fresh(f"dim{place}") if isinstance(size, Dim) and less(size, 0) is not False else size)
    if value.shape is None:
        shape: tuple[Size, ...] = tuple(
            call.fresh(f"dim{at}") if isinstance(size, int) and size == -1 else size for at, size in enumerate(wanted)
        )
    else:
        shape = reshape(value.shape, wanted, call.name)
    return one(shape, value.dtype, value.numbers, view=True)


@operator("Flatten")
def flattened(call: Call) -> Out:
    """A matrix: the dimensions before an axis, and those after it."""
    shape = call.shape(0)
    place = call.integer("axis", 1)
    if not -len(shape) <= place <= len(shape):
        undecided(f"{call.name}: the axis {place} is not one of {len(shape)} dimensions")
    place = place + len(shape) if place < 0 else place
    return one((product(shape[:place]), product(shape[place:])), call.dtype(), call.input(0).numbers, view=True)


@operator("Transpose")
def transposed(call: Call) -> Out:
    """The dimensions in another order; without one, in reverse."""
    shape = call.shape(0)
    order = call.integers("perm")
    order, result = permute(shape, list(range(len(shape)))[::-1] if order is None else order, call.name)
    return one(result, call.dtype(), _reordered(call.input(0).numbers, shape, order), view=True)


def _reordered(numbers: Any, shape: Sequence[Size], order: Sequence[int]) -> Any:
    """Return numbers whose dimensions are in another order."""
    extents = [size for size in shape if isinstance(size, int)]
    if numbers is None or len(extents) != len(shape):
        return None
    places = [0]
    for each in order:
        stride = prod(extents[each + 1 :])
        places = [start + at * stride for start in places for at in range(extents[each])]
    return [numbers[place] for place in places]


@operator("Squeeze")
def squeezed(call: Call) -> Out:
    """The shape without dimensions of size 1."""
    value = call.input(0)
    shape = call.shape(0)
    length = call.length(1)
    if call.is_open(1) and length is not None and length <= len(shape):
        return one(call.fresh_shape(len(shape) - length), value.dtype, value.numbers, view=True)
    stated = call.setting(1, "axes")
    if not stated:
        if any(equal(size, 1) is None for size in shape):
            undecided(f"{call.name}: which dimensions of {_text(shape)} have size 1 depends on the input")
        return one([size for size in shape if equal(size, 1) is False], value.dtype, value.numbers, view=True)
    places = axes(list(dict.fromkeys(stated)), len(shape), call.name)  # onnxruntime takes one that is listed twice
    return one([s for at, s in enumerate(shape) if at not in places], value.dtype, value.numbers, view=True)


@operator("Unsqueeze")
def unsqueezed(call: Call) -> Out:
    """The shape with new dimensions of size 1."""
    value = call.input(0)
    length = call.length(1)
    if call.is_open(1) and length is not None:
        return one(call.fresh_shape(len(call.shape(0)) + length), value.dtype, value.numbers, view=True)
    stated = call.setting(1, "axes") or []
    return one(unsqueeze(call.shape(0), stated)[1], value.dtype, value.numbers, view=True)


@operator("Expand")
def expanded(call: Call) -> Out:
    """The tensor broadcast with a shape."""
    value = call.input(0)
    wanted = sizes(call, 1)
    if wanted is None:
        return one(None, value.dtype)
    shape = broadcast(call.name, call.shape(0), tuple(wanted))
    count = product(shape)
    if value.numbers is not None and len(value.numbers) == 1 and isinstance(count, int) and count <= 64:
        return one(shape, value.dtype, value.numbers * count)
    return one(shape, value.dtype, value.numbers if shape == value.shape else None)


@operator("Tile")
def tiled(call: Call) -> Out:
    """The tensor repeated along its dimensions."""
    value, shape = call.input(0), call.shape(0)
    if call.version < 6:
        return one(call.fresh_shape(len(shape)), value.dtype)
    counts = call.numbers(1)
    if counts is None:
        return one(call.fresh_shape(len(shape)), value.dtype)
    known = [1 if count is None else count for count in counts]
    result = [call.fresh(f"dim{at}") if counts[at] is None else size for at, size in enumerate(repeat(shape, known))]
    numbers = None
    if (
        value.numbers is not None
        and len(shape) == 1
        and isinstance(known[0], int)
        and known[0] * len(value.numbers) < 65
    ):
        numbers = value.numbers * known[0] if None not in counts else None
    return one(result, value.dtype, numbers)


@operator("Concat")
def joined(call: Call) -> Out:
    """Tensors laid end to end."""
    values = [value for value in call.inputs if value is not None]
    dtype = next((value.dtype for value in values if value.dtype is not None), None)
    shapes = [value.shape for value in values if value.shape is not None]
    if not shapes:
        return one(None, dtype)
    rank = len(shapes[0])
    place = axis(call.integer("axis", 1), rank)
    complete = [value.shape if value.shape is not None else call.fresh_shape(rank) for value in values]
    numbers: list[Any] | None = None
    if rank == 1:
        numbers = []
        for value, shape in zip(values, complete):
            if value.numbers is not None:
                numbers += value.numbers
            elif isinstance(shape[0], int) and shape[0] <= 64:
                numbers += [None] * shape[0]
            else:
                numbers = None
                break
    return one(concatenate(complete, place, call.name), dtype, numbers)


@operator("Split")
def split(call: Call) -> Out:
    """Parts of a tensor along a dimension."""
    value, shape = call.input(0), call.shape(0)
    count = len(call.node.outputs)
    place = axis(call.integer("axis", 0), len(shape))
    if call.has(1) and call.numbers(1) is None:
        parts: list[Size] = [call.fresh(f"dim{place}", at) for at in range(count)]
    else:
        parts = [call.fresh("part") if p is None else p for p in (call.numbers(1) if call.has(1) else None) or []]
        parts = parts or list(call.integers("split") or []) or equal_parts(shape[place], count)
    if len(parts) < count:
        undecided(f"{call.name}: {len(parts)} sizes are stated for {count} parts")
    values, start = [], 0
    for size in parts[:count]:
        numbers = None
        if value.numbers is not None and len(shape) == 1 and isinstance(size, int):
            numbers, start = value.numbers[start : start + size], start + size
        values.append(Known((*shape[:place], size, *shape[place + 1 :]), value.dtype, numbers))
    return Out(tuple(values))


def equal_parts(extent: Size, count: int) -> list[Size]:
    """Return the sizes of a number of parts that are equal, but for the last."""
    each = ceildiv(extent, count)
    if equal(each * count, extent) is True:
        return [each] * count
    return [*[each] * (count - 1), maximum(extent - each * (count - 1), 0)]


_FAR = 1 << 30


@operator("Slice")
def sliced(call: Call) -> Out:
    """Parts of dimensions, from a start to an end with a step."""
    value, shape = call.input(0), call.shape(0)
    if call.version < 10 and "starts" in call.attributes:
        starts: Any = call.integers("starts") or []
        ends: Any = call.integers("ends") or []
        stated = call.integers("axes")
        steps: Any = [1] * len(starts)
    else:
        starts, ends = call.numbers(1), call.numbers(2)
        if call.is_open(3):
            return one(call.fresh_shape(len(shape)), value.dtype)
        stated = call.setting(3, "axes") if call.has(3) else None
        steps = call.numbers(4) if call.has(4) else None
        length = next((known for known in map(call.length, (1, 2, 3)) if known is not None), None)
        if length is None:
            if stated is None:
                return one(call.fresh_shape(len(shape)), value.dtype)
            length = len(stated)
        starts = [None] * length if starts is None else starts
        ends = [None] * length if ends is None else ends
        steps = ([None] if call.has(4) else [1]) * length if steps is None else steps
    stated = list(range(len(starts))) if stated is None else stated
    result = list(shape)
    numbers: Any = value.numbers
    for place, start, end, step in zip(axes(stated, len(shape), call.name), starts, ends, steps):
        size = extent(shape[place], start, end, step)
        result[place] = call.fresh(f"dim{place}") if size is None else size
        numbers = _part(numbers, [*result[:place], shape[place], *result[place + 1 :]], place, (start, end, step))
    return one(result, value.dtype, numbers)


def _part(numbers: Any, shape: Sequence[Size], place: int, bounds: tuple[Any, Any, Any]) -> Any:
    """Return the numbers of a part of one dimension; those before it in the shape may be parts already."""
    start, end, step = bounds
    extents = [size for size in shape if isinstance(size, int)]
    if numbers is None or len(extents) != len(shape) or not all(type(each) is int for each in bounds) or step == 0:
        return None
    size, inner = extents[place], prod(extents[place + 1 :])
    kept = range(size)[start : None if step < 0 and end < -size else end : step]
    rows = range(0, len(numbers), max(size * inner, 1))
    return [numbers[row + at * inner + within] for row in rows for at in kept for within in range(inner)]


def extent(size: Size, start: Any, end: Any, step: Any) -> Size | None:
    """Return how many elements a slice takes of a dimension; None where that is not known."""
    if not all(isinstance(each, (int, Dim)) for each in (start, end, step)) or not isinstance(step, int) or step == 0:
        return None
    if step < 0:
        if isinstance(start, int) and isinstance(end, int) and start == -1 and end <= -_FAR:
            return ceildiv(size, -step)
        if isinstance(start, int) and isinstance(end, int) and start >= _FAR and end <= -_FAR:
            return ceildiv(size, -step)
        return len(range(size)[start:end:step]) if all(type(e) is int for e in (size, start, end)) else None
    first, last = bound(size, start), bound(size, end)
    if first is None or last is None:
        return None
    return ceildiv(maximum(last - first, 0), step)


def bound(size: Size, place: Any) -> Size | None:
    """Return an end of a slice inside of a dimension; None where it is not known on which side it counts."""
    if isinstance(place, int):
        if place >= _FAR:
            return size
        return maximum(size + place, 0) if place < 0 else minimum(place, size)
    negative = less(place, 0)
    if negative is None:
        return None
    return maximum(size + place, 0) if negative else minimum(place, size)


@operator("Pad")
def padded(call: Call) -> Out:
    """The tensor with more, or less, around it."""
    shape, dtype = call.shape(0), call.dtype()
    if call.has(1):
        amounts: Any = call.numbers(1)
        if amounts is None:
            return one(call.fresh_shape(len(shape)), dtype)
    else:
        amounts = call.integers("pads") or call.integers("paddings") or []
    if call.is_open(3):
        return one(call.fresh_shape(len(shape)), dtype)
    stated = call.setting(3, "") if call.has(3) else None
    places = list(range(len(shape))) if stated is None else axes(stated, len(shape), call.name)
    if len(amounts) != 2 * len(places):
        undecided(f"{call.name}: {len(amounts)} amounts are stated for {len(places)} dimensions")
    result = list(shape)
    for at, place in enumerate(places):
        before, after = amounts[at], amounts[at + len(places)]
        if isinstance(before, (int, Dim)) and isinstance(after, (int, Dim)):
            result[place] = shape[place] + before + after
        else:
            result[place] = call.fresh(f"dim{place}")
    return one(result, dtype)


@operator("DepthToSpace SpaceToDepth")
def blocks(call: Call) -> Out:
    """Channels that become blocks of pixels, and the reverse."""
    batch, channels, *spatial = call.shape(0)
    side = call.integer("blocksize", 1)
    if side < 1 or len(spatial) != 2:
        undecided(f"{call.name}: blocks of {side} in {len(spatial)} spatial dimensions")
    if call.name == "DepthToSpace":
        return one((batch, floordiv(channels, side * side), *(size * side for size in spatial)), call.dtype())
    return one((batch, channels * side * side, *(floordiv(size, side) for size in spatial)), call.dtype())


@operator("CenterCropPad")
def centred(call: Call) -> Out:
    """The tensor cut or padded to sizes."""
    shape = list(call.shape(0))
    stated = call.integers("axes")
    wanted = sizes(call, 1)
    places = list(range(len(shape))) if stated is None else axes(stated, len(shape), call.name)
    if wanted is None:
        wanted = [call.fresh(f"dim{place}") for place in places]
    for place, size in zip(places, wanted):
        shape[place] = size
    return one(shape, call.dtype())


@operator("Crop")
def cropped(call: Call) -> Out:
    """Images without their borders."""
    batch, channels, height, width = call.shape(0)
    border, scale = call.integers("border") or [0, 0, 0, 0], call.integers("scale")
    if scale is not None:
        return one((batch, channels, *scale), call.dtype())
    left, top, right, bottom = border
    return one((batch, channels, height - top - bottom, width - left - right), call.dtype())


def _text(shape: Sequence[Any]) -> str:
    return f"[{', '.join(map(str, shape))}]"
