"""Recurrent layers: states that are zero need not be given."""

from __future__ import annotations

from cutaway.recover.graph import Literal, Node, Operand
from cutaway.recover.raising.pattern import Around, pattern


@pattern("nn.LSTM", "nn.GRU", "nn.RNN")
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
    full = around.maker(state, "torch.full")
    return full is not None and full.inputs[1] == Literal(0.0)
