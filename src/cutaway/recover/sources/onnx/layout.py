"""The same numbers in another arrangement: shapes, orders of dimensions, parts and joins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.core.contents import Stored
from cutaway.core.size.dim import Dim, equal, symbols
from cutaway.recover.graph import Input, Literal, Numbers, Tensor, count
from cutaway.recover.sources.onnx.registry import Call, operator
from cutaway.recover.weights import tensor_bytes

_FAR = 1 << 30
"""Exporters write numbers like this for the end of a dimension."""


@operator("Reshape")
def reshape(call: Call) -> None:
    """Another shape. What is known of the output says more than the numbers that the file gives."""
    shape = call.graph.shape(call.operation.outputs[0])
    given = call.setting(1, "shape") if call.numbers(1) is not None or not call.has(1) else None
    tensor = call.tensor(0)
    if tensor is not None and shape is not None and count(shape) is not None:
        call.graph.tensors[call.operation.outputs[0]] = tensor.reshaped(*shape)
        return
    if shape is not None and not _is_new(call, shape):
        call.emit(".reshape", call.name(), sizes=tuple(shape))
    elif given is not None and not (0 in given and not call.get("allowzero", 0)):
        call.emit(".reshape", call.name(), sizes=tuple(given))
    else:
        call.emit("torch.reshape", call.name(), _kept(call), shape=Numbers(1))


def _kept(call: Call) -> str:
    """Return the sizes that a reshape computes: one of zero keeps that of the input."""
    wanted, shape, (count,) = call.name(1), call.fact().shape, call.fact(1).shape or (None,)
    if call.get("allowzero", 0):
        return wanted
    if shape is None or not isinstance(count, int):
        call.unsupported("its sizes are computed, and how many they are is not known")
    own = call.temporary("torch.tensor", Literal([*shape, *[0] * count][:count]), shape=(count,), dtype="int64")
    is_kept = call.temporary("==", wanted, Literal(0), shape=(count,))
    return call.temporary("torch.where", is_kept, own, wanted, shape=(count,))


def _is_new(call: Call, shape: tuple[Any, ...]) -> bool:
    """Tell whether a shape has sizes that no tensor before has: only numbers that are computed tell them."""
    if not call.has(1) or call.numbers(1) is not None:
        return False
    graph = call.graph
    names = [*graph.inputs, *(name for node in graph.nodes for name in node.outputs)]
    known = {each for name in names for size in graph.shape(name) or () for each in _symbols(size)}
    return any(each not in known for size in shape for each in _symbols(size))


def _symbols(size: Any) -> frozenset[Any]:
    return frozenset(symbols(size)) if isinstance(size, Dim) else frozenset()


@operator("Flatten")
def flatten(call: Call) -> None:
    """A matrix: the dimensions before an axis, and those from it on."""
    axis, rank = call.get("axis", 1), call.rank()
    if rank is not None and axis < 0:
        axis += rank
    if axis == 1:
        call.emit("nn.Flatten", call.name(), start_dim=1)
        return
    shape = call.graph.shape(call.operation.outputs[0])
    if shape is None:
        call.unsupported("the shape of its input is not known")
    call.emit(".reshape", call.name(), sizes=shape)


@operator("Transpose")
def transpose(call: Call) -> None:
    """Another order of dimensions."""
    rank = call.rank()
    order = call.get("perm") or (list(range(rank))[::-1] if rank is not None else None)
    if order is None:
        call.unsupported("the number of dimensions of its input is not known")
    tensor = call.tensor(0)
    if tensor is not None:
        call.graph.tensors[call.operation.outputs[0]] = tensor.permuted(*order)
        return
    permuted(call, call.name(), order)


def permuted(call: Call, source: str, order: list[int]) -> None:
    """Add a change of the order of dimensions: two that are swapped, or all."""
    moved = [place for place, other in enumerate(order) if place != other]
    if not moved:
        call.alias(source)
    elif len(moved) == 2:
        first, second = moved
        last = len(order) - 1
        call.emit(
            ".transpose",
            source,
            dims=(first - last - 1, -1) if (first, second) == (last - 1, last) else (first, second),
        )
    else:
        call.emit(".permute", source, dims=tuple(order))


@operator("Squeeze")
def squeeze(call: Call) -> None:
    """Dimensions of size one left out."""
    if call.has(1) and call.numbers(1) is None:
        call.emit("torch.squeeze", call.name(), call.name(1), dim=Numbers(1))
        return
    axes = call.setting(1, "axes")
    tensor, shape = call.tensor(0), call.graph.shape(call.operation.outputs[0])
    if tensor is not None and count(shape) is not None and shape is not None:
        call.graph.tensors[call.operation.outputs[0]] = tensor.reshaped(*shape)
        return
    if axes is None:
        inner = call.fact().shape
        if inner is None or any(not isinstance(size, int) for size in inner):
            call.unsupported("which dimensions have the size one is not known")
        axes = [place for place, size in enumerate(inner) if size == 1]
    axes = _usual(axes, call.rank())
    if not axes:
        call.alias(call.name())
        return
    call.emit(".squeeze", call.name(), dim=axes[0] if len(axes) == 1 else tuple(axes))


def _usual(axes: list[int], rank: int | None) -> list[int]:
    """Return axes from the start, but -1 for the last."""
    if rank is None:
        return axes
    axes = sorted(axis + rank if axis < 0 else axis for axis in axes)
    return [-1] if axes == [rank - 1] else axes


@operator("Unsqueeze")
def unsqueeze(call: Call) -> None:
    """Dimensions of size one added."""
    if call.has(1) and call.numbers(1) is None and call.fact(1).shape in ((1,), ()):
        call.emit("torch.unsqueeze", call.name(), call.name(1), dim=Numbers(1, only=True))
        return
    axes = call.setting(1, "axes") or []
    rank = call.known_rank()
    tensor, shape = call.tensor(0), call.graph.shape(call.operation.outputs[0])
    if tensor is not None and count(shape) is not None and shape is not None:
        call.graph.tensors[call.operation.outputs[0]] = tensor.reshaped(*shape)
        return
    axes = sorted(axis + rank + len(axes) if axis < 0 else axis for axis in axes)
    source = call.name()
    sizes = list(call.fact().shape or ())
    for axis in axes[:-1]:
        sizes.insert(axis, 1)
        source = call.temporary(".unsqueeze", source, shape=tuple(sizes), dim=axis)
    last = axes[-1]
    call.emit(".unsqueeze", source, dim=-1 if last == rank + len(axes) - 1 else last)


@operator("Concat")
def concat(call: Call) -> None:
    """Tensors one after another."""
    names = [name for name in call.operation.inputs if name]
    shapes = [call.graph.shape(name) for name in names]
    axis = call.get("axis", 1)
    rank = len(shapes[0]) if shapes[0] is not None else None
    kept = [name for name, shape in zip(names, shapes) if shape is None or shape[axis] != 0]
    tensors = [call.graph.tensors[name] for name in kept if name in call.graph.tensors]
    if len(tensors) == len(kept) > 1 and (axis == 0 or rank == 1):
        call.graph.tensors[call.operation.outputs[0]] = Tensor(
            joined(tensors, call.operation.outputs[0]), constant=all(each.constant for each in tensors)
        )
        return
    if len(kept) == 1:
        call.alias(kept[0])
        return
    call.emit(
        "torch.cat", *(kept or names), dim=-1 if rank is not None and axis in (-1, rank - 1) and rank > 2 else axis
    )


def joined(tensors: list[Tensor], name: str) -> Stored:
    """Return stored tensors one after another, as one."""
    first = tensors[0]
    shape = (sum(tensor.shape[0] for tensor in tensors), *first.shape[1:])

    def pieces() -> Iterator[bytes]:
        for tensor in tensors:
            yield from tensor_bytes(tensor)

    problem = next((tensor.stored.problem for tensor in tensors if tensor.stored.pieces is None), "")
    return Stored(name, first.dtype, shape, None if problem else pieces, problem)


@operator("Split")
def split(call: Call) -> None:
    """A tensor in parts."""
    axis = call.get("axis", 0)
    names = call.operation.outputs
    shape = call.fact().shape
    size = None if shape is None else shape[axis]
    if call.has(1) and call.numbers(1) is None:
        call.emit("torch.split_with_sizes", call.name(), call.name(1), split_sizes=Numbers(1), dim=axis)
        return
    parts = call.setting(1, "split")
    if len(names) == 1:
        if parts is not None and parts != [size]:
            call.unsupported("it returns only a part")
        call.alias(call.name())
        return
    if parts is None:
        if size is not None and isinstance(size, int) and size % len(names):
            call.emit("torch.split", call.name(), sizes=-(-size // len(names)), dim=axis)
        else:
            call.emit(".chunk", call.name(), chunks=len(names), dim=axis)
    elif len(set(parts)) == 1 and all(isinstance(part, int) for part in parts):
        call.emit(".chunk", call.name(), chunks=len(parts), dim=axis)
    else:
        call.emit("torch.split", call.name(), sizes=list(parts), dim=axis)


@operator("Slice")
def slices(call: Call) -> None:
    """A range of places along some dimensions."""
    rank = call.known_rank()
    if any(call.has(place) and call.numbers(place) is None for place in (1, 2)):
        _computed_slices(call, rank)
        return
    starts, ends = call.setting(1, "starts"), call.setting(2, "ends")
    if starts is None or ends is None:
        call.unsupported("where it begins or ends is not known")
    axes = call.setting(3, "axes") or list(range(len(starts)))
    steps = call.setting(4, "steps") or [1] * len(starts)
    index, turned = _places(call, rank, list(zip(starts, ends, axes, steps)))
    tensor = call.tensor(0)
    bounds = [(axis, each) for axis, each in enumerate(index) if each != slice(None)]
    if tensor is not None and not turned and all(each.step is None for _, each in bounds):
        for axis, each in bounds:
            start, stop, _ = each.indices(tensor.shape[axis])
            tensor = tensor.changed("slice", axis, start, stop)
        call.graph.tensors[call.operation.outputs[0]] = tensor
    elif not turned:
        indexed(call, call.name(), index)
    else:
        last = bounds[-1][0] + 1 if bounds else 0
        source = call.temporary("getitem", call.name(), index=tuple(index[:last])) if bounds else call.name()
        call.emit("torch.flip", source, dims=tuple(turned))


def _places(call: Call, rank: int, bounds: list[tuple[Any, Any, int, Any]]) -> tuple[list[slice], list[int]]:
    """Return a slice for each dimension, and the dimensions that run backwards."""
    shape = call.fact().shape or ()
    index = [slice(None)] * rank
    turned = []
    for start, end, axis, step in bounds:
        axis += rank if axis < 0 else 0
        size = shape[axis]
        if isinstance(step, Dim):
            call.unsupported("its step is not known")
        if step < 0:
            index[axis] = _backwards(call, start, end, step, size)
            turned.append(axis)
            continue
        first = None if start == 0 or (isinstance(size, int) and isinstance(start, int) and start <= -size) else start
        last = None if _reaches(end, size) else end
        index[axis] = slice(first, last, None if step == 1 else step)
    return index, turned


def _computed_slices(call: Call, rank: int) -> None:
    """Add a range of places whose ends only a run tells."""
    extra: list[str] = []
    bounds: list[list[Any]] = []
    (total,) = next((shape for shape in (call.fact(1).shape, call.fact(2).shape) if shape), (None,))
    if not isinstance(total, int):
        call.unsupported("how many dimensions it takes a part of is not known")
    for place in (1, 2):
        numbers = call.numbers(place)
        if numbers is None:
            extra.append(call.name(place))
            numbers = [Numbers(len(extra), at=at) for at in range(total)]
        bounds.append(numbers)
    axes = call.setting(3, "axes") or list(range(total))
    steps = call.setting(4, "steps") or [1] * total
    index: list[Any] = [slice(None)] * rank
    for start, end, axis, step in zip(*bounds, axes, steps):
        if not isinstance(step, int) or step < 1:
            call.unsupported("it runs backwards")
        last = None if isinstance(end, int) and end >= _FAR else end
        index[axis] = slice(None if start == 0 else start, last, None if step == 1 else step)
    while index and index[-1] == slice(None):
        index.pop()
    call.emit("getitem", call.name(), *extra, index=tuple(index))


def _backwards(call: Call, start: Any, end: Any, step: int, size: Any) -> slice:
    """Return the places of a slice that runs backwards, from the first to the last."""
    if isinstance(size, int) and isinstance(start, int) and isinstance(end, int):
        places = range(size)[max(start, -size - 1) : end if end >= -size else None : step]
        if len(places) == size:
            return slice(None)
        return slice(places[-1], places[0] + 1, -step if step != -1 else None) if places else slice(0, 0)
    from_the_end = start in (-1, size - 1) or (isinstance(start, int) and start >= _FAR)
    if step != -1 or not from_the_end:
        call.unsupported(f"it runs backwards from {start} by {step}")
    if not isinstance(end, int) or end >= -_FAR:
        call.unsupported("it runs backwards to a place in between")
    return slice(None)


def _reaches(end: Any, size: Any) -> bool:
    if isinstance(end, int) and end >= _FAR:
        return True
    if isinstance(end, int) and isinstance(size, int):
        return end >= size
    return not isinstance(end, int) and equal(end, size) is True


def indexed(call: Call, source: str, index: list[Any]) -> None:
    """Add an index; where all dimensions are taken whole, there is nothing to do."""
    while index and index[-1] == slice(None):
        index.pop()
    if not index:
        call.alias(source)
        return
    call.emit("getitem", source, index=tuple(index))


@operator("Gather")
def gather(call: Call) -> None:
    """Places along a dimension, by their numbers; from a stored table, an embedding."""
    axis = call.get("axis", 0)
    table, numbers, rank = call.tensor(0), call.numbers(1), call.rank()
    if table is not None and len(table.shape) == 2 and axis == 0 and numbers is None and "float" in table.dtype:
        count_, width = table.shape
        index = call.name(1)
        call.emit("nn.Embedding", index, weights={"weight": table}, num_embeddings=count_, embedding_dim=width)
        return
    if (
        numbers is not None
        and len(numbers) == 1
        and not call.rank(1)
        and rank is not None
        and not isinstance(numbers[0], Dim)
    ):
        axis += rank if axis < 0 else 0
        indexed(call, call.name(), [slice(None)] * axis + [numbers[0]])
        return
    if rank is None:
        call.unsupported("the number of dimensions of its input is not known")
    axis += rank if axis < 0 else 0
    call.emit("getitem", call.name(0), call.name(1), index=tuple([slice(None)] * axis + [Input(1)]))


@operator("GatherElements")
def gather_elements(call: Call) -> None:
    """An element for each place of an index."""
    axis = call.axis(0)
    call.emit("torch.gather", call.name(0), call.places(1, axis), dim=axis, index=Input(1))


@operator("Expand")
def expand(call: Call) -> None:
    """Dimensions of size one repeated."""
    shape = call.graph.shape(call.operation.outputs[0])
    if shape is None:
        call.unsupported("its shape is computed from the numbers of a tensor")
    if call.fact().shape == shape:
        call.alias(call.name())
        return
    inner = call.fact().shape or ()
    padded = (None,) * (len(shape) - len(inner)) + tuple(inner)
    call.emit(".expand", call.name(), sizes=tuple(-1 if size == own else size for size, own in zip(shape, padded)))


@operator("Tile")
def tile(call: Call) -> None:
    """A tensor repeated along its dimensions."""
    numbers = call.numbers(1)
    if numbers is None:
        call.emit("torch.tile", call.name(), call.name(1), dims=Numbers(1))
        return
    if all(number == 1 for number in numbers):
        call.alias(call.name())
        return
    call.emit(".repeat", call.name(), sizes=tuple(numbers))


@operator("Pad")
def pad(call: Call) -> None:
    """Numbers added around a tensor."""
    rank, mode = call.known_rank(), call.get("mode", "constant")
    axes = call.numbers(3) if call.has(3) else list(range(rank))
    if axes is None or mode == "wrap":
        call.unsupported("its axes are computed, or it goes round")
    if call.has(1) and call.numbers(1) is None:
        _computed_pad(call, rank, axes)
        return
    amounts = call.setting(1, "pads")
    if amounts is None:
        call.unsupported("how much it adds is not known")
    before, after = [0] * rank, [0] * rank
    for place, axis in enumerate(axes):
        before[axis], after[axis] = amounts[place], amounts[place + len(axes)]
    pairs = list(zip(before, after))
    while pairs and pairs[0] == (0, 0):
        pairs.pop(0)
    if not pairs:
        call.alias(call.name())
        return
    value = call.operand(2) if call.has(2) else Literal(call.get("value", 0))
    if isinstance(value, str):
        call.unsupported("the number that it adds is computed")
    config: dict[str, Any] = {"pad": tuple(number for each in reversed(pairs) for number in each)}
    if mode != "constant":
        config["mode"] = {"reflect": "reflect", "edge": "replicate"}[mode]
    elif value.value:
        config["value"] = value.value
    call.emit("F.pad", call.name(), **config)


def _computed_pad(call: Call, rank: int, axes: list[int]) -> None:
    """Add numbers around a tensor, as many as only a run tells; PyTorch counts from the last dimension."""
    value = call.operand(2) if call.has(2) else Literal(0)
    if call.get("mode", "constant") != "constant" or sorted(axis % rank for axis in axes) != axes:
        call.unsupported("how much it adds is computed, and what it adds is not a number")
    pairs = call.temporary(".reshape", call.name(1), shape=(2, len(axes)), sizes=(2, len(axes)))
    turned = call.temporary("torch.flip", pairs, shape=(2, len(axes)), dims=(1,))
    swapped = call.temporary(".transpose", turned, shape=(len(axes), 2), dims=(0, 1))
    amounts = call.temporary(".reshape", swapped, shape=(2 * len(axes),), sizes=(2 * len(axes),))
    if axes != list(range(rank - len(axes), rank)):
        call.unsupported("how much it adds is computed, and not to the last dimensions")
    if isinstance(value, str):
        call.emit("F.pad", call.name(), amounts, value, pad=Numbers(1), value=Numbers(2, only=True))
    else:
        call.emit("F.pad", call.name(), amounts, pad=Numbers(1), value=value.value)


@operator("Trilu")
def triangle(call: Call) -> None:
    """The part above or below a diagonal."""
    diagonal = call.numbers(1) if call.has(1) else [0]
    function = "torch.triu" if call.get("upper", 1) else "torch.tril"
    if diagonal is None:
        call.emit(function, call.name(), call.name(1), diagonal=Numbers(1, only=True))
        return
    config: dict[str, Any] = {"diagonal": diagonal[0]} if diagonal[0] else {}
    call.emit(function, call.name(), **config)


@operator("Compress")
def chosen(call: Call) -> None:
    """The places along a dimension, or of all elements, that a condition says."""
    axis, source = call.get("axis"), call.name()
    if axis is None:
        source, axis = call.temporary(".reshape", source, shape=None, sizes=(-1,)), 0
    places = call.temporary(".flatten", call.temporary("torch.nonzero", call.name(1)))
    call.emit("torch.index_select", source, places, dim=axis, index=Input(1))


@operator("CenterCropPad")
def centered(call: Call) -> None:
    """The middle of a tensor, or zeros around it, in another size."""
    shape, wanted, rank = call.fact().shape, call.numbers(1), call.known_rank()
    axes = call.get("axes") or list(range(rank))
    sizes = [None if shape is None else shape[axis] for axis in axes]
    if wanted is None or not all(isinstance(size, int) for size in (*sizes, *wanted)):
        call.unsupported("a size of it is not known")
    pairs = [(0, 0)] * rank
    for axis, old, new in zip(axes, sizes, wanted):
        gap = new - old  # type: ignore[operator]
        before = gap // 2 if gap >= 0 else -(-gap // 2)
        pairs[axis] = before, gap - before
    while pairs and pairs[0] == (0, 0):
        pairs.pop(0)
    if pairs:
        call.emit("F.pad", call.name(), pad=tuple(amount for each in reversed(pairs) for amount in each))
    else:
        call.alias(call.name())
