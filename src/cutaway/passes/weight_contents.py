"""Weights of files that have names and orders of dimensions of their own."""

from __future__ import annotations

import math
from collections.abc import Iterable

from cutaway.core.architecture import Architecture, Weight

COUNTING = ("int32", "int64", "bool", "string")
"""Element types of the numbers that a graph computes with: sizes, axes, indices."""


def is_renamed(network: Architecture, other: Architecture) -> bool:
    """Tell whether a network without classes has names of its own for all of the weights of the other one.

    A graph has if no name is the same. A file of weights has if not even the last parts of names are: names that are like
    those of the network, and yet others, say that the weights are for another one.
    """
    own, names = ({weight.name for weight in each.weights} for each in (network, other))
    if not own or not names or own & names:
        return False
    return bool(network.ops) or not _tails(own) & _tails(names)


def _tails(names: Iterable[str]) -> set[str]:
    return {name.replace("/", ".").rpartition(".")[2].partition(":")[0] for name in names}


def is_constant(weight: Weight) -> bool:
    """Tell whether a tensor of a graph is one of the numbers that it computes with: a size, an axis, a factor."""
    return weight.kind == "tensor" and (weight.dtype in COUNTING or math.prod(sizes(weight)) <= 1)


def sizes(weight: Weight) -> tuple[int, ...]:
    """Return the sizes of a weight that say something, in an order that no format changes."""
    return tuple(sorted(size for size in weight.shape or () if isinstance(size, int) and size != 1))
