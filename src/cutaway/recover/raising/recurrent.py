"""Recurrent layers: states that are zero need not be given, and changes of order around a layer are its own argument."""

from __future__ import annotations

import math
from typing import Any

from cutaway.recover.graph import Literal, Node, Operand
from cutaway.recover.raising.layout import forget, order_of
from cutaway.recover.raising.pattern import Around, pattern

_LAYERS = ("nn.LSTM", "nn.GRU", "nn.RNN")
_MOST_STATES = 1 << 16
_SWAP = [1, 0, 2]


@pattern(*_LAYERS)
def zero_states(around: Around, node: Node) -> bool:
    """Initial states that are all zero."""
    states = node.inputs[1:]
    if not states or not all(_is_zero(around, state) for state in states):
        return False
    node.inputs = node.inputs[:1]
    return True


def _is_zero(around: Around, state: Operand) -> bool:
    numbers = around.graph.fact(state).numbers
    if numbers is not None:
        return all(number == 0 for number in numbers)
    tensor = around.tensor(state)
    if tensor is not None and tensor.stored.pieces is not None and math.prod(tensor.shape) <= _MOST_STATES:
        return not any(any(piece) for piece in tensor.stored.pieces())
    spread = around.maker(state, ".expand", ".repeat", ".unsqueeze", ".reshape")
    if spread is not None:
        return _is_zero(around, spread.inputs[0])
    full = around.maker(state, "torch.full")
    return full is not None and full.inputs[1] == Literal(0.0)


@pattern(".squeeze", ".flatten", ".reshape", "nn.Flatten")
def added_dimension(around: Around, node: Node) -> bool:
    """A dimension of size one that is added, moved and taken away again: the tensor is as it was."""
    origin = _before_dimension(around, node)
    if origin is None:
        return False
    forget(around, node, origin)
    return False


def _before_dimension(around: Around, node: Node) -> str | None:
    """Return the tensor that a dimension was added to which a node takes away, if all else is where it was."""
    chain: list[Node] = []
    at: Operand = node.inputs[0] if node.inputs else ""
    while (maker := around.maker(at, ".transpose", ".permute")) is not None:
        chain.append(maker)
        at = maker.inputs[0]
    grow = around.maker(at, ".unsqueeze")
    if grow is None or len(node.inputs) != 1 or len(grow.inputs) != 1:
        return None
    source, after = grow.inputs[0], around.shape(node.outputs[0])
    before = around.shape(source)
    if not isinstance(source, str) or before is None or after is None or tuple(before) != tuple(after):
        return None
    rank = len(before) + 1
    added = grow.config.get("dim")
    if not isinstance(added, int) or any(size is None for size in before):
        return None
    places: list[Any] = list(range(len(before)))
    places.insert(added % rank, None)
    for maker in reversed(chain):
        order = order_of(maker, rank)
        if order is None:
            return None
        places = [places[place] for place in order]
    kept = [place for place in places if place is not None]
    return source if kept == sorted(kept) else None


@pattern(*_LAYERS)
def batch_first(around: Around, node: Node) -> bool:
    """A layer between two swaps of the first two dimensions."""
    source, out = node.inputs[0], node.outputs[0]
    swap = around.maker(source, ".transpose", ".permute")
    if swap is None or node.config.get("batch_first") or order_of(swap, 3) != _SWAP:
        return False
    readers = around.readers.get(out, []) if out else []
    if out in around.graph.outputs or any(order_of(each, 3) != _SWAP for each in readers):
        return False
    if not readers and around.uses[out]:
        return False
    node.inputs = [swap.inputs[0], *node.inputs[1:]]
    node.config = {**node.config, "batch_first": True}
    for reader in readers:
        around.graph.replace_value(reader.outputs[0], out)
    if readers:
        around.graph.facts[out] = around.graph.fact(readers[0].outputs[0])
    return True
