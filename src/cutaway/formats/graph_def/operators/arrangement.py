"""Operations that rearrange, cut, join and look up elements, with the sizes that shapes are computed from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.core.size.dim import Size, equal, less, product, unknown_size
from cutaway.formats.graph_def.operators.registry import Call, Open, Out, rule
from cutaway.formats.graph_def.value import MOST_NUMBERS
from cutaway.ops import reshape as shapes
from cutaway.ops.elementwise import broadcast
from cutaway.ops.index import slice_size
from cutaway.ops.join import concatenate


@rule("Shape", "ShapeN")
def shape(call: Call) -> Sequence[Out]:
    """Return the sizes of each input."""
    kind = call.node.type("out_type") or "int32"
    made = []
    for value in call.inputs:
        known = value.shape
        made.append(Out((unknown_size(),), kind) if known is None else Out((len(known),), kind, tuple(known)))
    return made


@rule("Rank", "Size")
def count(call: Call) -> Sequence[Out]:
    """Return how many dimensions or elements there are."""
    known = call.value(0).shape
    numbers: tuple[Size, ...] | None = None
    if known is not None:
        numbers = (len(known),) if call.name == "Rank" else (product(known),)
    return [Out((), call.node.type("out_type") or "int32", numbers)]


@rule("Reshape")
def reshape(call: Call) -> Sequence[Out]:
    """Arrange the elements in another shape."""
    value = call.value(0)
    wanted = call.value(1).sizes()
    if wanted is None:
        raise Open("the new shape is not known")
    numbers = value.numbers if len(wanted) <= 1 else None
    numbers = numbers if numbers is not None else value.numbers
    if value.shape is None or any(type(size) is not int and less(size, 0) is None for size in wanted):
        known = tuple(unknown_size() if type(size) is int and size < 0 else size for size in wanted)
        return [Out(known, value.dtype, numbers)]
    return [Out(shapes.reshape(value.shape, wanted, call.name), value.dtype, numbers)]


@rule("Squeeze")
def squeeze(call: Call) -> Sequence[Out]:
    """Drop dimensions of size 1."""
    known = call.shape(0)
    axes = call.node.integers("squeeze_dims") or call.node.integers("axis")
    numbers = call.value(0).numbers
    if axes:
        places = {call.within(axis, len(known)) for axis in axes}
        return [Out(tuple(s for at, s in enumerate(known) if at not in places), call.value(0).dtype, numbers)]
    if any(equal(size, 1) is None for size in known):
        raise Open("whether a dimension has size 1 depends on the input")
    return [Out(tuple(s for s in known if equal(s, 1) is not True), call.value(0).dtype, numbers)]


@rule("ExpandDims")
def expand_dims(call: Call) -> Sequence[Out]:
    """Add a dimension of size 1."""
    known = call.shape(0)
    at = call.axis(1, len(known) + 1)
    return [Out((*known[:at], 1, *known[at:]), call.value(0).dtype, call.value(0).numbers)]


@rule("Transpose", "ConjugateTranspose")
def transpose(call: Call) -> Sequence[Out]:
    """Put the dimensions into another order."""
    known, order = call.shape(0), call.value(1).whole()
    if order is None:
        return [Out(tuple(unknown_size() for _ in known), call.value(0).dtype)]
    if sorted(order) != list(range(len(known))):
        raise Open("the order is not one of its dimensions")
    return [Out(tuple(known[at] for at in order), call.value(0).dtype)]


@rule("Pack")
def pack(call: Call) -> Sequence[Out]:
    """Join along a new dimension."""
    values = list(call.inputs)
    known = next((value.shape for value in values if value.shape is not None), None)
    if known is None:
        raise Open("the shape of an input is not known")
    at = call.within(call.node.integer("axis"), len(known) + 1)
    numbers = None
    if not known:
        numbers = tuple(v.numbers[0] if v.numbers is not None and len(v.numbers) == 1 else None for v in values)
    elif len(known) == 1 and at == 0 and all(v.numbers is not None for v in values):
        numbers = tuple(each for v in values for each in v.numbers or ())
    return [Out((*known[:at], len(values), *known[at:]), values[0].dtype, _few(numbers))]


@rule("Unpack")
def unpack(call: Call) -> Sequence[Out]:
    """Return the parts along a dimension."""
    parts = call.node.integer("num")
    if not 0 <= parts <= MOST_NUMBERS:
        raise Open("there are too many parts")
    value = call.value(0)
    if value.shape is None:
        return [Out(None, value.dtype) for _ in range(parts)]
    at = call.within(call.node.integer("axis"), len(value.shape))
    rest = (*value.shape[:at], *value.shape[at + 1 :])
    numbers: Any = value.numbers if len(value.shape) == 1 and value.numbers is not None else None
    return [Out(rest, value.dtype, (numbers[i],) if numbers and i < len(numbers) else None) for i in range(parts)]


@rule("ConcatV2", "Concat")
def concat(call: Call) -> Sequence[Out]:
    """Join along a dimension."""
    values = list(call.inputs[:-1]) if call.name == "ConcatV2" else list(call.inputs[1:])
    ranks = {len(value.shape) for value in values if value.shape is not None}
    if len(ranks) != 1:
        raise Open("the shape of an input is not known")
    rank = ranks.pop()
    place = call.value(-1 if call.name == "ConcatV2" else 0).number()
    if place is None:
        return [Out(tuple(unknown_size() for _ in range(rank)), values[0].dtype)]
    at = call.within(place, rank)
    missing = tuple(unknown_size() for _ in range(rank))
    known = [missing if value.shape is None else value.shape for value in values]
    numbers = None
    if rank == 1:
        parts = [value.sizes() and value.numbers for value in values]
        lengths = [value.shape[0] if value.shape is not None else None for value in values]
        if all(p is not None or (type(n) is int and n <= 64) for p, n in zip(parts, lengths)):
            numbers = tuple(e for p, n in zip(parts, lengths) for e in (p if p is not None else (None,) * (n or 0)))  # type: ignore[operator]
    return [Out(concatenate(known, at, call.name), values[0].dtype, _few(numbers))]


def _few(numbers: tuple[Any, ...] | None) -> tuple[Any, ...] | None:
    return numbers if numbers is not None and len(numbers) <= MOST_NUMBERS else None


@rule("Split", "SplitV")
def split(call: Call) -> Sequence[Out]:
    """Cut into parts."""
    parts = call.node.integer("num_split", 1)
    if not 0 < parts <= MOST_NUMBERS:
        raise Open("there are too many parts")
    data = 1 if call.name == "Split" else 0
    value = call.value(data)
    if value.shape is None:
        return [Out(None, value.dtype) for _ in range(parts)]
    at = call.axis(0 if call.name == "Split" else 2, len(value.shape))
    if call.name == "Split":
        sizes: list[Size] = shapes.equal_parts(value.shape[at], parts, call.name)
    else:
        sizes = call.sizes(1)
        if any(type(size) is int and size < 0 for size in sizes):
            rest = value.shape[at]
            for size in sizes:
                rest = rest if type(size) is int and size < 0 else rest - size
            sizes = [rest if type(size) is int and size < 0 else size for size in sizes]
    numbers: list[Any] = [None] * len(sizes)
    if value.numbers is not None and len(value.shape) == 1 and all(type(size) is int for size in sizes):
        start = 0
        for index, size in enumerate(sizes):
            numbers[index] = value.numbers[start : start + int(size)]  # type: ignore[call-overload]
            start += int(size)  # type: ignore[call-overload]
    return [
        Out((*value.shape[:at], size, *value.shape[at + 1 :]), value.dtype, held) for size, held in zip(sizes, numbers)
    ]


@rule("Slice")
def slice_of(call: Call) -> Sequence[Out]:
    """Cut a part out of each dimension."""
    known, begin, size = call.shape(0), call.sizes(1), call.sizes(2)
    if len(begin) != len(known) or len(size) != len(known):
        raise Open("the number of dimensions differs")
    made = tuple(
        extent - start if type(length) is int and length == -1 else length
        for extent, start, length in zip(known, begin, size)
    )
    value, numbers = call.value(0), None
    if len(known) == 1 and value.numbers is not None and type(begin[0]) is int and type(made[0]) is int:
        numbers = value.numbers[begin[0] : begin[0] + made[0]]
    return [Out(made, value.dtype, numbers)]


@rule("StridedSlice")
def strided_slice(call: Call) -> Sequence[Out]:
    """Cut with steps, drop and add dimensions, as Python's indexing does."""
    value = call.value(0)
    count = _position_count(call)
    begin, end, step = (_positions(call, at, count) for at in (1, 2, 3))
    masks = {k: call.node.integer(f"{k}_mask") for k in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
    known = call.shape(0)
    made: list[Size] = []
    picked: list[Any] | None = list(value.numbers) if value.numbers is not None and len(known) == 1 else None
    at = 0
    taken = sum(1 for i in range(count) if not (masks["ellipsis"] | masks["new_axis"]) >> i & 1)
    for i in range(count):
        if masks["ellipsis"] >> i & 1:
            skipped = max(len(known) - taken, 0)
            made += known[at : at + skipped]
            at += skipped
        elif masks["new_axis"] >> i & 1:
            made.append(1)
            picked = None
        elif at >= len(known):
            raise Open("the slice has more positions than the input has dimensions")
        elif masks["shrink_axis"] >> i & 1:
            start = begin[i]
            if picked is not None:
                picked = [picked[start]] if type(start) is int and -len(picked) <= start < len(picked) else None
            at += 1
        else:
            part = slice(
                None if masks["begin"] >> i & 1 else begin[i], None if masks["end"] >> i & 1 else end[i], step[i]
            )
            made.append(_length(known[at], part))
            picked = _picked(picked, part)
            at += 1
    made += known[at:]
    return [Out(tuple(made), value.dtype, None if picked is None else tuple(picked))]


def _position_count(call: Call) -> int:
    for shape in (call.value(at).shape for at in (1, 2, 3)):
        if shape is not None and len(shape) == 1 and isinstance(shape[0], int) and shape[0] <= 64:
            return shape[0]
    raise Open("the positions of the slice are not known")


def _positions(call: Call, at: int, count: int) -> list[Any]:
    numbers = call.value(at).numbers
    if numbers is None or len(numbers) != count:
        return [_MISSING] * count
    return [_MISSING if each is None else each for each in numbers]


_MISSING: Any = object()


def _length(extent: Size, part: slice) -> Size:
    ends = (part.start, part.stop, part.step)
    if any(each is _MISSING for each in ends):
        return unknown_size()
    if type(part.step) is int and part.step < 0:
        if type(extent) is int and all(each is None or type(each) is int for each in ends):
            return len(range(*part.indices(extent)))
        whole = part.start in (None, -1) and part.stop is None and part.step == -1
        return extent if whole else unknown_size()
    return slice_size(extent, part)


def _picked(numbers: list[Any] | None, part: slice) -> list[Any] | None:
    if numbers is None or any(
        each is not None and type(each) is not int for each in (part.start, part.stop, part.step)
    ):
        return None
    return numbers[part] if part.step != 0 else None


@rule("Gather", "GatherV2", "ResourceGather")
def gather(call: Call) -> Sequence[Out]:
    """Take slices at positions along an axis."""
    known, places = call.shape(0), call.shape(1)
    axis = call.axis(2, len(known)) if call.name == "GatherV2" else 0
    batch = call.node.integer("batch_dims")
    batch = batch + len(places) if batch < 0 else batch
    if not 0 <= batch <= min(axis, len(places)):
        raise Open("the dimensions of the batch are not among those of the input")
    value = call.value(0)
    numbers = None
    at = call.value(1).whole()
    if value.numbers is not None and at is not None and len(known) == 1 and len(places) <= 1:
        if all(-len(value.numbers) <= i < len(value.numbers) for i in at):
            numbers = tuple(value.numbers[i] for i in at)
    return [Out((*known[:axis], *places[batch:], *known[axis + 1 :]), value.dtype, numbers)]


@rule("GatherNd", "ResourceGatherNd")
def gather_nd(call: Call) -> Sequence[Out]:
    """Take slices at positions of several axes."""
    known, places = call.shape(0), call.shape(1)
    if not places or type(places[-1]) is not int or places[-1] > len(known):
        raise Open("how many axes the positions have is not known")
    return [Out((*places[:-1], *known[places[-1] :]), call.value(0).dtype)]


@rule("Pad", "PadV2", "MirrorPad")
def pad(call: Call) -> Sequence[Out]:
    """Add to both ends of each dimension."""
    known, amounts = call.shape(0), call.value(1).numbers
    if amounts is None or len(amounts) != 2 * len(known):
        return [Out(tuple(unknown_size() for _ in known), call.value(0).dtype)]
    made = []
    for size, before, after in zip(known, amounts[::2], amounts[1::2]):
        made.append(unknown_size() if before is None or after is None else size + before + after)
    return [Out(tuple(made), call.value(0).dtype)]


@rule("Tile")
def tile(call: Call) -> Sequence[Out]:
    """Repeat along each dimension."""
    known, counts = call.shape(0), call.sizes(1)
    if len(known) != len(counts):
        raise Open("the number of dimensions differs")
    numbers = None
    value, times = call.value(0).numbers, call.value(1).number()
    if value is not None and times is not None and len(known) == 1 and len(value) * max(times, 0) <= MOST_NUMBERS:
        numbers = value * times
    return [Out(tuple(size * count for size, count in zip(known, counts)), call.value(0).dtype, numbers)]


@rule("BroadcastTo", "Fill")
def filled(call: Call) -> Sequence[Out]:
    """Repeat a value to a shape that is given."""
    at, data = (1, 0) if call.name == "BroadcastTo" else (0, 1)
    wanted = call.value(at).sizes()
    if wanted is None:
        raise Open("the shape is not known")
    held = call.value(data).numbers
    numbers = None
    if held is not None and len(held) == 1 and len(wanted) <= 1:
        size = wanted[0] if wanted else 1
        numbers = held * size if type(size) is int and 0 <= size <= 64 else None
    return [Out(tuple(wanted), call.value(data).dtype, numbers)]


@rule("Range")
def range_of(call: Call) -> Sequence[Out]:
    """Count from one number to another."""
    start, limit, delta = (call.value(at).numbers for at in range(3))
    kind = call.node.type("Tidx") or call.value(0).dtype
    if not (start and limit and delta):
        return [Out((unknown_size(),), kind)]
    first, last, step = start[0], limit[0], delta[0]
    if first is None or last is None or step is None:
        return [Out((unknown_size(),), kind)]
    if type(first) is int and type(last) is int and type(step) is int and step:
        counted = range(first, last, step)
        return [Out((len(counted),), kind, tuple(counted) if len(counted) <= MOST_NUMBERS else None)]
    if step == 1 and first == 0:
        return [Out((last,), kind)]
    return [Out((unknown_size(),), kind)]


@rule("OneHot")
def one_hot(call: Call) -> Sequence[Out]:
    """Add a dimension in which one place is marked."""
    known, depth = call.shape(0), call.sizes(1)[0]
    axis = call.node.integer("axis", -1)
    at = len(known) if axis == -1 else call.within(axis, len(known) + 1)
    return [Out((*known[:at], depth, *known[at:]), call.node.type("T") or call.value(2).dtype)]


@rule("TopK", "TopKV2")
def top(call: Call) -> Sequence[Out]:
    """Return the largest along the last axis, and their positions."""
    known = call.shape(0)
    count: Size = call.sizes(1)[0] if call.name == "TopKV2" else call.node.integer("k")
    made = (*known[:-1], count)
    return [Out(made, call.value(0).dtype), Out(made, call.node.type("index_type") or "int32")]


@rule("ScatterNd")
def scatter(call: Call) -> Sequence[Out]:
    """Put values into a tensor of zeros."""
    return [Out(tuple(call.sizes(2)), call.value(1).dtype)]


@rule("BroadcastArgs")
def broadcast_args(call: Call) -> Sequence[Out]:
    """Return the shape that two shapes broadcast to."""
    made: tuple[Size, ...] = broadcast(call.name, tuple(call.sizes(0)), tuple(call.sizes(1)))
    return [Out((len(made),), call.value(0).dtype, made)]


@rule("BroadcastGradientArgs")
def broadcast_gradient_args(call: Call) -> Sequence[Out]:
    """Return the axes over which the gradient of each of two broadcast inputs is summed."""
    left, right = call.sizes(0), call.sizes(1)
    rank = max(len(left), len(right))
    sides: list[list[Size]] = [[*([1] * (rank - len(side))), *side] for side in (left, right)]
    kind = call.value(0).dtype
    made = []
    for own, other in (sides, sides[::-1]):
        ones = [equal(size, 1) for size in own]
        if any(one is None for one in ones) or any(one and equal(o, 1) is None for one, o in zip(ones, other)):
            made.append(Out((unknown_size(),), kind))
        else:
            axes = tuple(at for at, one in enumerate(ones) if one)
            made.append(Out((len(axes),), kind, axes))
    return made
