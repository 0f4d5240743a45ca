"""Changes of layout, joins, parts, and where numbers come from."""

from __future__ import annotations

from typing import Any

from cutaway.core.size.dim import Dim
from cutaway.recover.graph import Input, Literal, Tensor
from cutaway.recover.sources.onnx.layout import indexed, joined, permuted
from cutaway.recover.sources.onnx.registry import Call
from cutaway.recover.sources.tensorflow.operation import known_shape, operation, out_shape, whole


@operation("Reshape ExpandDims Squeeze")
def reshape(call: Call) -> None:
    """Another shape; that of a stored tensor is changed where it is stored."""
    tensor, shape = call.tensor(0), out_shape(call)
    if tensor is not None and all(isinstance(size, int) for size in shape):
        call.graph.tensors[call.outputs[0]] = tensor.reshaped(*shape)
        return
    if call.fact().shape == shape:
        call.alias(call.name())
        return
    if call.op == "ExpandDims" and call.numbers(1):
        axis = whole(call, 1, "its axis")[0] % len(shape)
        call.emit(".unsqueeze", call.name(), dim=-1 if axis == len(shape) - 1 else axis)
        return
    call.emit(".reshape", call.name(), sizes=shape)


@operation("Transpose")
def transpose(call: Call) -> None:
    """Dimensions in another order."""
    order, tensor = whole(call, 1, "its order"), call.tensor(0)
    if tensor is not None:
        call.graph.tensors[call.outputs[0]] = tensor.permuted(*order)
        return
    permuted(call, call.name(), list(order))


@operation("ConcatV2 Concat")
def concatenate(call: Call) -> None:
    """Tensors one after another; the axis comes last, in old graphs first."""
    names = [name for name in call.operation.inputs if name]
    place = 0 if call.op == "Concat" else len(names) - 1
    axis = whole(call, place, "its axis")[0]
    names = names[1:] if call.op == "Concat" else names[:-1]
    rank = len(known_shape(call, 1 - min(place, 1)))
    kept = [name for name in names if (call.graph.shape(name) or (1,) * rank)[axis] != 0]
    tensors = [call.graph.tensors[name] for name in kept if name in call.graph.tensors]
    if len(tensors) == len(kept) > 1 and axis % rank == 0:
        name = call.operation.outputs[0]
        call.graph.tensors[name] = Tensor(joined(tensors, name), constant=all(each.constant for each in tensors))
    elif len(kept) == 1:
        call.alias(kept[0])
    else:
        call.emit("torch.cat", *(kept or names), dim=-1 if axis % rank == rank - 1 and rank > 2 else axis % rank)


@operation("Pack")
def pack(call: Call) -> None:
    """Tensors along a new dimension."""
    call.emit("torch.stack", *(name for name in call.operation.inputs if name), dim=call.get("axis", 0))


@operation("Unpack")
def unpack(call: Call) -> None:
    """The tensors along a dimension."""
    call.emit(".unbind", call.name(), dim=call.get("axis", 0))


@operation("Split")
def split(call: Call) -> None:
    """A tensor in equal parts; its axis comes first."""
    axis = whole(call, 0, "its axis")[0]
    if len(call.operation.outputs) == 1:
        call.alias(call.name(1))
        return
    call.emit(".chunk", call.name(1), chunks=len(call.operation.outputs), dim=axis)


@operation("SplitV")
def split_sizes(call: Call) -> None:
    """A tensor in parts of given sizes."""
    axis = whole(call, 2, "its axis")[0]
    sizes = [out_shape(call, place)[axis] for place in range(len(call.operation.outputs))]
    if len(sizes) == 1:
        call.alias(call.name())
    elif len(set(map(str, sizes))) == 1:
        call.emit(".chunk", call.name(), chunks=len(sizes), dim=axis)
    else:
        call.emit("torch.split", call.name(), sizes=sizes, dim=axis)


@operation("Slice")
def ranges(call: Call) -> None:
    """A range of places along each dimension."""
    starts, shape, out = whole(call, 1, "where it begins"), known_shape(call), out_shape(call)
    index: list[Any] = []
    for start, size, count in zip(starts, shape, out):
        stop = start + count
        index.append(slice(start or None, None if stop == size else stop))
    indexed(call, call.name(), index)


@operation("StridedSlice")
def strided(call: Call) -> None:
    """A range of places along dimensions, with masks for what is left open, added and left out."""
    starts, ends, steps = (whole(call, place, "where it begins or ends") for place in (1, 2, 3))
    shape = known_shape(call)
    masks = {key: call.get(f"{key}_mask", 0) for key in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
    index: list[Any] = []
    turned: list[int] = []
    axis = 0
    count = len(starts)
    for place in range(count):
        bit = 1 << place
        if masks["ellipsis"] & bit:
            later = sum(not masks["new_axis"] & 1 << other for other in range(place + 1, count))
            skipped = len(shape) - axis - later
            index += [slice(None)] * skipped
            axis += skipped
            continue
        if masks["new_axis"] & bit:
            index.append(None)
            continue
        start, end, step, size = starts[place], ends[place], steps[place], shape[axis]
        axis += 1
        if masks["shrink_axis"] & bit:
            index.append(start)
            continue
        if isinstance(step, int) and step < 0:
            if step != -1 or not masks["begin"] & masks["end"] & bit:
                call.unsupported(f"it runs backwards by {step}")
            turned.append(axis - 1)
        index.append(_range(call, starts[place], end, step, size, masks["begin"] & bit, masks["end"] & bit))
    source = call.name()
    if turned:
        if all(each == slice(None) for each in index):
            call.emit("torch.flip", source, dims=tuple(turned))
            return
        source = call.temporary("torch.flip", source, shape=shape, dims=tuple(turned))
    indexed(call, source, index)


def _range(call: Call, start: Any, end: Any, step: Any, size: Any, is_open: int, is_endless: int) -> slice:
    """Return the range of places along one dimension; one that runs backwards takes all of it."""
    if not isinstance(step, int) or step == 0:
        call.unsupported("its step is computed")
    if step < 0:
        return slice(None)
    first = None if is_open or start == 0 else start
    is_whole = isinstance(end, int) and isinstance(size, int) and end >= size
    last = None if is_endless or is_whole or (isinstance(end, Dim) and end == size) else end
    return slice(first, last, None if step == 1 else step)


@operation("ReverseV2")
def flip(call: Call) -> None:
    """Dimensions turned round."""
    call.emit("torch.flip", call.name(), dims=tuple(whole(call, 1, "its axes")))


@operation("Pad PadV2 MirrorPad")
def pad(call: Call) -> None:
    """Numbers added around a tensor."""
    amounts = whole(call, 1, "how much it adds")
    pairs = list(zip(amounts[::2], amounts[1::2]))
    while pairs and pairs[0] == (0, 0):
        pairs.pop(0)
    if not pairs:
        call.alias(call.name())
        return
    config: dict[str, Any] = {"pad": tuple(amount for pair in reversed(pairs) for amount in pair)}
    if call.op == "MirrorPad":
        if call.get("mode") != "REFLECT":
            call.unsupported("it repeats the border")
        while len(pairs) > 1 and pairs[-1] == (0, 0):
            pairs.pop()
        config["mode"] = "reflect"
    elif call.op == "PadV2":
        value = whole(call, 2, "the number that it adds")[0]
        if value:
            config["value"] = value
    call.emit("F.pad", call.name(), **config)


@operation("Tile")
def tile(call: Call) -> None:
    """A tensor repeated along its dimensions."""
    times = whole(call, 1, "how often")
    if all(number == 1 for number in times):
        call.alias(call.name())
    else:
        call.emit(".repeat", call.name(), sizes=tuple(times))


@operation("BroadcastTo")
def broadcast(call: Call) -> None:
    """Dimensions of size one repeated."""
    shape, own = out_shape(call), known_shape(call)
    if shape == own:
        call.alias(call.name())
        return
    padded = (None,) * (len(shape) - len(own)) + tuple(own)
    call.emit(".expand", call.name(), sizes=tuple(-1 if size == each else size for size, each in zip(shape, padded)))


@operation("GatherV2 Gather ResourceGather")
def gather(call: Call) -> None:
    """Places along a dimension by their numbers; rows of a stored table are an embedding."""
    rank = len(known_shape(call))
    axis = whole(call, 2, "its axis")[0] % rank if call.op == "GatherV2" else 0
    if call.get("batch_dims", 0):
        call.unsupported("it takes other places for each sample")
    table, numbers = call.tensor(0), call.numbers(1)
    if table is not None and len(table.shape) == 2 and axis == 0 and numbers is None and "float" in table.dtype:
        rows, width = table.shape
        call.emit("nn.Embedding", call.name(1), weights={"weight": table}, num_embeddings=rows, embedding_dim=width)
        return
    if numbers is not None and len(numbers) == 1 and call.rank(1) == 0 and isinstance(numbers[0], int):
        indexed(call, call.name(), [*[slice(None)] * axis, numbers[0]])
        return
    call.emit("getitem", call.name(0), call.name(1), index=(*[slice(None)] * axis, Input(1)))


@operation("ZerosLike OnesLike Fill")
def filled(call: Call) -> None:
    """A tensor of one number."""
    numbers = {"ZerosLike": [0], "OnesLike": [1]}.get(call.op) or whole(call, 1, "the number")
    dtype = call.graph.fact(call.operation.outputs[0]).dtype or "float32"
    number = float(numbers[0]) if "float" in dtype else numbers[0]
    call.emit("torch.full", Literal(out_shape(call)), Literal(number), dtype=dtype)


@operation("Range")
def numbers(call: Call) -> None:
    """Numbers from one to another."""
    start, stop, step = (whole(call, place, "where it begins or ends")[0] for place in (0, 1, 2))
    listed = [stop] if start == 0 and step == 1 else [start, stop] if step == 1 else [start, stop, step]
    call.emit("torch.arange", *map(Literal, listed), dtype=call.graph.fact(call.operation.outputs[0]).dtype)


@operation("Shape")
def shape_of(call: Call) -> None:
    """The sizes of a tensor."""
    call.emit("shape_of", call.name(), start=0, end=None)


@operation("OneHot")
def one_hot(call: Call) -> None:
    """A one at the place that each number says."""
    depth, on, off = (whole(call, place, "one of its settings")[0] for place in (1, 2, 3))
    if call.get("axis", -1) != -1 or (on, off) != (1, 0):
        call.unsupported("its axis is not the last one, or its numbers are others than 0 and 1")
    made = call.temporary("F.one_hot", call.name(), shape=out_shape(call), num_classes=depth)
    call.emit(".to", made, dtype=call.graph.fact(call.operation.outputs[0]).dtype)
