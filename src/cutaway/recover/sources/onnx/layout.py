"""The same numbers in another arrangement: shapes, orders of dimensions, parts and joins."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.core.contents import Stored
from cutaway.core.size.dim import Dim, equal
from cutaway.recover.graph import Input, Literal, Tensor, count
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
    if shape is not None:
        call.emit(".reshape", call.name(), sizes=tuple(shape))
    elif given is not None and not (0 in given and not call.get("allowzero", 0)):
        call.emit(".reshape", call.name(), sizes=tuple(given))
    else:
        call.unsupported("its shape is computed from the numbers of a tensor")


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
    parts = call.setting(1, "split")
    names = call.operation.outputs
    if len(names) == 1:
        call.alias(call.name())
        return
    shape = call.fact().shape
    size = None if shape is None else shape[axis]
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
    starts, ends = call.setting(1, "starts"), call.setting(2, "ends")
    rank = call.known_rank()
    if starts is None or ends is None:
        call.unsupported("where it begins or ends is not known")
    axes = call.setting(3, "axes") or list(range(len(starts)))
    steps = call.setting(4, "steps") or [1] * len(starts)
    shape = call.fact().shape or ()
    index: list[Any] = [slice(None)] * rank
    source = call.name()
    turned = []
    for start, end, axis, step in zip(starts, ends, axes, steps):
        axis += rank if axis < 0 else 0
        size = shape[axis]
        if isinstance(step, Dim):
            call.unsupported("its step is not known")
        if step < 0:
            _whole_backwards(call, start, end, step, size)
            turned.append(axis)
            continue
        first = None if start == 0 or (isinstance(size, int) and isinstance(start, int) and start <= -size) else start
        last = None if _reaches(end, size) else end
        index[axis] = slice(first, last, None if step == 1 else step)
    tensor = call.tensor(0)
    bounds = [(axis, each) for axis, each in enumerate(index) if each != slice(None)]
    if tensor is not None and not turned and all(each.step is None for _, each in bounds):
        for axis, each in bounds:
            start, stop, _ = each.indices(tensor.shape[axis])
            tensor = tensor.changed("slice", axis, start, stop)
        call.graph.tensors[call.operation.outputs[0]] = tensor
        return
    if turned:
        if index.count(slice(None)) == rank:
            call.emit("torch.flip", source, dims=tuple(turned))
            return
        source = call.temporary("torch.flip", source, shape=shape, dims=tuple(turned))
    indexed(call, source, index)


def _whole_backwards(call: Call, start: Any, end: Any, step: int, size: Any) -> None:
    """Give up unless a slice that runs backwards takes all of a dimension."""
    from_the_end = start in (-1, size - 1) or (isinstance(start, int) and start >= _FAR)
    if step != -1 or not from_the_end:
        call.unsupported(f"it runs backwards from {start} by {step}")
    if not isinstance(end, int) or (end >= -_FAR and not (isinstance(size, int) and end < -size)):
        call.unsupported("it runs backwards to a place in between")


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
    call.emit("torch.gather", call.name(0), call.name(1), dim=call.axis(0), index=Input(1))


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
        call.unsupported("how often is computed from the numbers of a tensor")
    if all(number == 1 for number in numbers):
        call.alias(call.name())
        return
    call.emit(".repeat", call.name(), sizes=tuple(numbers))


@operator("Pad")
def pad(call: Call) -> None:
    """Numbers added around a tensor."""
    amounts, rank = call.setting(1, "pads"), call.known_rank()
    if amounts is None:
        call.unsupported("how much it adds is not known")
    axes = call.numbers(3) if call.has(3) else list(range(rank))
    mode = call.get("mode", "constant")
    if axes is None or mode == "wrap":
        call.unsupported("its axes are computed, or it goes round")
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


@operator("Trilu")
def triangle(call: Call) -> None:
    """The part above or below a diagonal."""
    diagonal = call.numbers(1) if call.has(1) else [0]
    if diagonal is None:
        call.unsupported("its diagonal is computed from the numbers of a tensor")
    config: dict[str, Any] = {"diagonal": diagonal[0]} if diagonal[0] else {}
    call.emit("torch.triu" if call.get("upper", 1) else "torch.tril", call.name(), **config)
