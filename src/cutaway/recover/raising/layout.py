"""Changes of layout that are simpler than they are written."""

from __future__ import annotations

import itertools
from typing import Any

from cutaway.core.record import replace
from cutaway.core.size.dim import product
from cutaway.recover.graph import Node, Operand, Path
from cutaway.recover.raising.pattern import Around, become, pattern


@pattern(".reshape")
def chain(around: Around, node: Node) -> bool:
    """A reshape of a reshape is one."""
    before = around.only(node.inputs[0], ".reshape", "nn.Flatten", "torch.flatten")
    if before is None:
        return False
    node.inputs = list(before.inputs)
    return True


@pattern(".reshape")
def flatten(around: Around, node: Node) -> bool:
    """The last dimensions joined into one."""
    before, after = around.shape(node.inputs[0]), node.config.get("sizes")
    if before is None or after is None or len(before) <= len(after):
        return False
    keep = len(after) - 1
    if keep >= 1 and before[:keep] == tuple(after[:keep]) and product(before[keep:]) == after[keep]:
        if keep == 1:
            return become(node, "nn.Flatten", *node.inputs, start_dim=1)
        return become(node, ".flatten", *node.inputs, start_dim=keep)
    return False


@pattern(".reshape")
def same(around: Around, node: Node) -> bool:
    """A reshape to the same shape."""
    if around.shape(node.inputs[0]) == node.config.get("sizes") and isinstance(node.inputs[0], str):
        around.graph.replace_value(node.outputs[0], node.inputs[0])
    return False


@pattern(".flatten", "nn.Flatten", ".reshape")
def back(around: Around, node: Node) -> bool:
    """A reshape back to the shape that a tensor had before another reshape."""
    before = around.maker(node.inputs[0], ".reshape") if node.inputs else None
    if before is None or not isinstance(before.inputs[0], str):
        return False
    shape, after = around.shape(before.inputs[0]), around.shape(node.outputs[0])
    if shape is not None and after is not None and tuple(shape) == tuple(after) and None not in shape:
        forget(around, node, before.inputs[0])
    return False


@pattern(".transpose", ".permute")
def swapped_back(around: Around, node: Node) -> bool:
    """Two changes of the order of dimensions that cancel out."""
    before = around.maker(node.inputs[0], ".transpose", ".permute")
    shape = around.shape(node.outputs[0])
    if before is None or shape is None or not isinstance(before.inputs[0], str):
        return False
    first, second = order_of(before, len(shape)), order_of(node, len(shape))
    if first is not None and second is not None and [first[place] for place in second] == list(range(len(shape))):
        forget(around, node, before.inputs[0])
    return False


def forget(around: Around, node: Node, source: str) -> None:
    """Read a tensor everywhere in the place of what a node makes of it, which is the same."""
    out = node.outputs[0]
    around.graph.replace_value(out, source)
    for reader in around.readers.pop(out, []):
        around.readers.setdefault(source, []).append(reader)


def order_of(node: Node, rank: int) -> list[int] | None:
    """Return the order of dimensions that a node makes."""
    order = list(range(rank))
    if node.op == ".permute":
        return list(node.config["dims"])
    if node.op == ".transpose":
        first, second = (dim % rank for dim in node.config["dims"])
        order[first], order[second] = order[second], order[first]
        return order
    return None


def reordered(around: Around, node: Node, source: Operand, order: list[int], shape: Any) -> Operand:
    """Return a tensor with its dimensions in another order, by a node before another one."""
    moved = [place for place, other in enumerate(order) if place != other]
    if not moved:
        return source
    if len(moved) == 2:
        return around.before(node, ".transpose", source, shape=shape, dims=tuple(moved))
    return around.before(node, ".permute", source, shape=shape, dims=tuple(order))


@pattern(".reshape")
def batched_transpose(around: Around, node: Node) -> bool:
    """Leading dimensions that are joined only to swap the last two."""
    swap = around.only(node.inputs[0], ".transpose", ".permute")
    joined = None if swap is None else around.only(swap.inputs[0], ".reshape")
    if swap is None or joined is None:
        return False
    before, after, inner = around.shape(joined.inputs[0]), node.config["sizes"], around.shape(joined.outputs[0])
    if before is None or inner is None or len(inner) != 3 or len(before) < 3 or order_of(swap, 3) != [0, 2, 1]:
        return False
    if inner[1:] != before[-2:] or tuple(after) != (*before[:-2], before[-1], before[-2]):
        return False
    return become(node, ".transpose", *joined.inputs, dims=(-2, -1))


@pattern(".reshape")
def split_before_swap(around: Around, node: Node) -> bool:
    """A first dimension that is taken apart after the last two are swapped: it can be taken apart before."""
    swap = around.only(node.inputs[0], ".transpose", ".permute")
    before = None if swap is None else around.shape(swap.inputs[0])
    if swap is None or before is None or len(before) != 3 or order_of(swap, 3) != [0, 2, 1]:
        return False
    sizes = tuple(node.config["sizes"])
    if len(sizes) <= 3 or sizes[-2:] != (before[2], before[1]):
        return False
    apart = (*sizes[:-2], before[1], before[2])
    become(swap, ".reshape", *swap.inputs, sizes=apart)
    around.graph.facts[swap.outputs[0]] = replace(around.graph.fact(swap.outputs[0]), shape=apart)
    return become(node, ".transpose", swap.outputs[0], dims=(-2, -1))


@pattern("getitem")
def stacked(around: Around, node: Node) -> bool:
    """One of the tensors that a dimension was moved to the front for, `unsqueeze(0).transpose(0, -2).squeeze(-2)[0]`."""
    index = node.config["index"]
    if not isinstance(index, tuple) or len(index) != 1 or not isinstance(index[0], int):
        return False
    squeeze = around.maker(node.inputs[0], ".squeeze")
    swap = None if squeeze is None else around.maker(squeeze.inputs[0], ".transpose", ".permute")
    grow = None if swap is None else around.maker(swap.inputs[0], ".unsqueeze")
    if squeeze is None or swap is None or grow is None:
        return False
    shape = around.shape(swap.outputs[0])
    order = None if shape is None else order_of(swap, len(shape))
    if shape is None or order is None:
        return False
    added, gone = grow.config["dim"] % len(shape), squeeze.config["dim"]
    if not isinstance(gone, int) or order[gone % len(shape)] != added:
        return False
    # The dimensions of the source, in the order in which the squeezed tensor has them.
    left = [place for at, place in enumerate(order) if at != gone % len(shape)]
    left = [place - (place > added) for place in left]
    if left[1:] != sorted(left[1:]):
        return False
    return become(node, "getitem", *grow.inputs, index=(*[slice(None)] * left[0], index[0]))


@pattern("getitem")
def third(around: Around, node: Node) -> bool:
    """A part of a last dimension that was taken apart: one of the chunks of it."""
    index = node.config["index"]
    apart = around.maker(node.inputs[0], ".reshape")
    if apart is None or not isinstance(index, tuple) or not index or not isinstance(index[-1], int):
        return False
    before, after = around.shape(apart.inputs[0]), around.shape(apart.outputs[0])
    if before is None or after is None or len(after) != len(before) + 1 or len(index) != len(after) - 1:
        return False
    if any(each != slice(None) for each in index[:-1]) or before[:-1] != after[:-2]:
        return False
    parts: Any = after[-2]
    if not isinstance(parts, int) or not 2 <= parts <= 4:
        return False
    width = after[-1]
    place = index[-1] % parts
    start = None if place == 0 else place * width
    stop = None if place == parts - 1 else (place + 1) * width
    whole = (slice(None),) * (len(before) - 1)
    return become(node, "getitem", *apart.inputs, index=(*whole, slice(start, stop)))


@pattern("torch.cat")
def extended(around: Around, node: Node) -> bool:
    """A join of what an earlier join has, and one more: it extends that, in the module around both."""
    if len(node.inputs) < 3:
        return False
    *_, before, last = node.inputs
    for earlier in around.readers.get(before, ()) if isinstance(before, str) else ():
        if earlier.config == node.config and _all_joined(around, earlier) == node.inputs[:-1]:
            shared = shared_path(earlier.path, node.path)
            earlier.path = node.path = shared
            node.inputs = [earlier.outputs[0], last]
            return True
    return False


def _all_joined(around: Around, node: Node) -> list[Operand]:
    """Return what a join consists of, with what the join that it extends consists of."""
    if node.op != "torch.cat":
        return []
    inner = around.maker(node.inputs[0], "torch.cat")
    if inner is None or inner.config != node.config or len(node.inputs) != 2:
        return node.inputs
    return [*_all_joined(around, inner), *node.inputs[1:]]


def shared_path(one: Path, other: Path) -> Path:
    """Return the names that two paths begin with."""
    length = 0
    while length < min(len(one), len(other)) and one[length] == other[length]:
        length += 1
    return one[:length]


@pattern("getitem")
def parts(around: Around, node: Node) -> bool:
    """All parts of a tensor along one dimension, each taken by an index of its own."""
    source = node.inputs[0]
    if not isinstance(source, str) or len(node.inputs) != 1 or source in around.graph.outputs:
        return False
    siblings = around.readers.get(source, [])
    shape = around.shape(source)
    if len(siblings) < 2 or shape is None or any(each.op != "getitem" or len(each.inputs) != 1 for each in siblings):
        return False
    if any(not isinstance(each.config["index"], tuple) or each.inputs[0] != source for each in siblings):
        return False
    ends = [each.config["index"][-1] for each in siblings]
    axis = len(node.config["index"]) - 1
    around_it = [each.config["index"][:-1] for each in siblings]
    if any(each != (slice(None),) * axis for each in around_it) or not isinstance(shape[axis], int):
        return False
    if all(isinstance(end, int) for end in ends):
        if sorted(end % shape[axis] for end in ends) != list(range(shape[axis])):
            return False
        ordered = sorted(siblings, key=lambda each: each.config["index"][-1] % shape[axis])
        return _together(node, ordered, ".unbind", dim=axis)
    return _split(node, siblings, axis, shape)


def _split(node: Node, siblings: list[Node], axis: int, shape: tuple[Any, ...]) -> bool:
    """Take all parts at once, if they are one after another."""
    size = shape[axis]
    ends = [each.config["index"][-1] for each in siblings]
    if not all(isinstance(end, slice) and end.step is None for end in ends):
        return False
    bounds = []
    for end, each in zip(ends, siblings):
        start, stop = end.start or 0, size if end.stop is None else end.stop
        if not isinstance(start, int) or not isinstance(stop, int):
            return False
        bounds.append((start % size if start < 0 else start, stop % size if stop < 0 else stop, each))
    bounds.sort(key=lambda bound: bound[0])
    if bounds[0][0] != 0 or bounds[-1][1] != size or any(a[1] != b[0] for a, b in itertools.pairwise(bounds)):
        return False
    sizes = [stop - start for start, stop, _ in bounds]
    ordered = [each for _, _, each in bounds]
    dim = -1 if axis == len(shape) - 1 and axis > 1 else axis
    if len(set(sizes)) == 1:
        return _together(node, ordered, ".chunk", chunks=len(sizes), dim=dim)
    return _together(node, ordered, "torch.split", sizes=sizes, dim=dim)


def _together(node: Node, siblings: list[Node], op: str, **config: Any) -> bool:
    """Make one node of several that read the same tensor."""
    outputs = [each.outputs[0] for each in siblings]
    for each in siblings:
        if each is not node:
            each.op, each.outputs = "gone", []
    node.op, node.outputs, node.config = op, outputs, config
    return True
