"""Operators that rearrange elements, and the sizes that they compute with."""

from __future__ import annotations

from typing import Any

from cutaway.core.size.dim import Dim, Size, ceildiv, maximum, product
from cutaway.formats.graph.value import Call, Known, Out, one, several, undecided
from cutaway.formats.onnx.operators.layout import equal_parts, extent
from cutaway.formats.tflite.registry import numbers, operator
from cutaway.ops.elementwise import broadcast
from cutaway.ops.join import concatenate, stack
from cutaway.ops.reshape import axis, permute, repeat, reshape, squeeze, unsqueeze


@operator("RESHAPE")
def reshaped(call: Call) -> Out:
    """The same elements in another shape; -1 is what is left."""
    wanted = numbers(call, 1) if call.has(1) else call.integers("new_shape")
    if wanted is None:
        wanted = call.integers("new_shape")
    if wanted is None:
        return one(None, None, view=True)
    value = call.input(0)
    if value.shape is None:
        known = [call.fresh(f"dim{at}") if size == -1 else size for at, size in enumerate(wanted)]
        return one(known, None, view=True)
    return one(reshape(value.shape, wanted, call.name), None, value.numbers, view=True)


@operator("SQUEEZE")
def squeezed(call: Call) -> Out:
    """The shape without dimensions of size 1."""
    shape = call.shape(0)
    stated = call.integers("squeeze_dims")
    if not stated and any(isinstance(size, Dim) for size in shape):
        undecided(f"{call.name}: which dimensions have size 1 depends on the input")
    places = [axis(place, len(shape)) for place in stated] if stated else None
    return one(squeeze(shape, places), None, call.input(0).numbers, view=True)


@operator("EXPAND_DIMS")
def expanded(call: Call) -> Out:
    """The shape with a new dimension of size 1."""
    place = call.number(1)
    shape = call.shape(0)
    if place is None:
        return one(call.fresh_shape(len(shape) + 1), None, view=True)
    return one(unsqueeze(shape, [place])[1], None, call.input(0).numbers, view=True)


@operator("TRANSPOSE STABLEHLO_TRANSPOSE")
def permuted(call: Call) -> Out:
    """The dimensions in another order."""
    shape = call.shape(0)
    order = call.numbers(1)
    if order is None or None in order:
        return one(call.fresh_shape(len(shape)), None)
    return one(permute(shape, order, call.name)[1], None)


@operator("CONCATENATION")
def concatenated(call: Call) -> Out:
    """Tensors laid end to end."""
    values = [value for value in call.inputs if value is not None]
    shapes = [call.shape(place) for place in range(len(call.inputs))]
    place = axis(call.integer("axis"), len(shapes[0]))
    known: list[Any] | None = []
    for value in values:
        known = None if known is None or value.numbers is None or len(shapes[0]) != 1 else [*known, *value.numbers]
    return one(concatenate(shapes, place, call.name), None, known)


@operator("PACK")
def packed(call: Call) -> Out:
    """Tensors along a new dimension."""
    shapes = [call.shape(place) for place in range(len(call.inputs))]
    single = [call.number(place) for place in range(len(call.inputs))] if shapes[0] == () else None
    return one(stack(shapes, call.integer("axis"))[1], None, single)


@operator("UNPACK")
def unpacked(call: Call) -> Out:
    """Slices along a dimension that goes."""
    shape = call.shape(0)
    place = axis(call.integer("axis"), len(shape))
    rest = (*shape[:place], *shape[place + 1 :])
    own = call.numbers(0) if len(shape) == 1 else None
    return Out(
        tuple(
            Known(rest, None, (own[at],) if own is not None and at < len(own) else None)
            for at in range(len(call.node.outputs))
        )
    )


@operator("SPLIT")
def split(call: Call) -> Out:
    """Equal parts along a dimension."""
    shape = call.shape(1)
    place = call.number(0)
    count = len(call.node.outputs)
    if place is None:
        return several(*[(call.fresh_shape(len(shape), at), None) for at in range(count)])
    place = axis(place, len(shape))
    parts = equal_parts(shape[place], count)
    return several(*[((*shape[:place], size, *shape[place + 1 :]), None) for size in parts])


@operator("SPLIT_V")
def split_by_sizes(call: Call) -> Out:
    """Parts of stated sizes along a dimension; -1 is what is left."""
    shape, sizes, place = call.shape(0), call.numbers(1), call.number(2)
    count = len(call.node.outputs)
    if sizes is None or place is None or None in sizes or len(sizes) != count:
        return several(*[(call.fresh_shape(len(shape), at), None) for at in range(count)])
    place = axis(place, len(shape))
    taken: Size = 0
    for size in sizes:
        taken = taken + (0 if size == -1 else size)
    whole = [shape[place] - taken if size == -1 else size for size in sizes]
    return several(*[((*shape[:place], size, *shape[place + 1 :]), None) for size in whole])


@operator("SLICE")
def sliced(call: Call) -> Out:
    """A part from a beginning, of a size; -1 is the rest."""
    shape, starts, sizes = call.shape(0), call.numbers(1), call.numbers(2)
    result: list[Size] = []
    for place, whole in enumerate(shape):
        start = starts[place] if starts is not None and place < len(starts) else None
        size = sizes[place] if sizes is not None and place < len(sizes) else None
        if isinstance(size, int) and size == -1:
            size = None if start is None else whole - start
        result.append(size if isinstance(size, (int, Dim)) else call.fresh(f"dim{place}"))
    own = call.numbers(0)
    if own is not None and len(shape) == 1 and starts and type(starts[0]) is int and isinstance(result[0], int):
        return one(result, None, own[starts[0] : starts[0] + result[0]])
    return one(result, None)


@operator("STRIDED_SLICE")
def strided(call: Call) -> Out:
    """A part with a step in each dimension; masks say where ends are left out and dimensions come or go."""
    shape = call.shape(0)
    begin, end, step = (call.numbers(place) for place in (1, 2, 3))
    length = next((known for known in (*map(call.length, (1, 2, 3)),) if known is not None), None)
    if length is None or call.integer("ellipsis_mask") or call.integer("new_axis_mask") or length > len(shape):
        undecided(f"{call.name}: which dimensions it takes is not known")
    shrink = call.integer("shrink_axis_mask")
    result: list[Size] = []
    own = call.numbers(0) if len(shape) == 1 else None
    for place, size in enumerate(shape):
        if place >= length:
            result.append(size)
            continue
        first = _item(begin, place)
        if shrink >> place & 1:
            own = None if own is None or type(first) is not int or not -len(own) <= first < len(own) else [own[first]]
            continue
        part = _part(call, place, first, _item(end, place), _item(step, place))
        taken = extent(size, *part)
        result.append(call.fresh(f"dim{place}") if taken is None else taken)
        if own is not None:
            plain = all(type(each) is int for each in part) and part[2] > 0
            own = own[slice(*part)] if plain else None
    return one(result, None, own)


def _part(call: Call, place: int, first: Any, last: Any, stride: Any) -> tuple[Any, Any, Any]:
    """Return start, end and step in one dimension; masks say which of the ends are left out."""
    if call.integer("offset") and isinstance(first, int) and isinstance(last, int):
        last = first + last
    back = isinstance(stride, int) and stride < 0
    first = (-1 if back else 0) if call.integer("begin_mask") >> place & 1 else first
    last = (-(1 << 31) if back else 1 << 31) if call.integer("end_mask") >> place & 1 else last
    return first, last, stride


def _item(values: list[Any] | None, place: int) -> Any:
    return values[place] if values is not None and place < len(values) else None


@operator("PAD PADV2 MIRROR_PAD")
def padded(call: Call) -> Out:
    """The tensor with more around it: pairs of amounts for each dimension."""
    shape, amounts = call.shape(0), call.numbers(1)
    if amounts is None or len(amounts) != 2 * len(shape):
        return one(call.fresh_shape(len(shape)), None)
    result: list[Size] = []
    for place, size in enumerate(shape):
        before, after = amounts[2 * place], amounts[2 * place + 1]
        result.append(call.fresh(f"dim{place}") if before is None or after is None else size + before + after)
    return one(result, None)


@operator("SHAPE")
def shape_of(call: Call) -> Out:
    """The sizes of a tensor."""
    shape = call.shape(0)
    return one((len(shape),), None, shape)


@operator("RANK")
def rank_of(call: Call) -> Out:
    """How many dimensions a tensor has."""
    return one((), None, [len(call.shape(0))])


@operator("FILL BROADCAST_TO RANDOM_UNIFORM RANDOM_STANDARD_NORMAL")
def filled(call: Call) -> Out:
    """A tensor of a stated shape."""
    shape = numbers(call, 1 if call.name == "BROADCAST_TO" else 0)
    count = None if shape is None else product(shape)
    value = call.number(1) if call.name == "FILL" else None
    if isinstance(count, int) and count <= 64 and value is not None:
        return one(shape, None, [value] * count)
    return one(shape, None)


@operator("BROADCAST_ARGS")
def common_shape(call: Call) -> Out:
    """The shape that two shapes are broadcast to."""
    left, right = call.numbers(0), call.numbers(1)
    if left is None or right is None or None in (*left, *right):
        return one(None, None)
    shape = broadcast(call.name, tuple(left), tuple(right))
    return one((len(shape),), None, shape)


@operator("RANGE")
def progression(call: Call) -> Out:
    """Numbers from a start to a limit, with a step."""
    start, limit, step = (call.number(place) for place in range(3))
    if (
        not all(isinstance(number, (int, Dim)) for number in (start, limit, step))
        or not isinstance(step, int)
        or not step
    ):
        return one((call.fresh("count"),), None)
    if isinstance(start, int) and isinstance(limit, int):
        found = range(start, limit, step)
        return one((len(found),), None, found if len(found) <= 64 else None)
    return one((maximum(ceildiv(limit - start, step) if step > 0 else ceildiv(start - limit, -step), 0),), None)


@operator("TILE")
def tiled(call: Call) -> Out:
    """The tensor repeated along its dimensions."""
    shape, counts = call.shape(0), call.numbers(1)
    if counts is None or None in counts:
        return one(call.fresh_shape(len(shape)), None)
    return one(repeat(shape, counts), None)
