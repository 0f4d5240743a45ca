"""Two networks compared by their weights whatever these are called: formats have names and orders of dimensions of their own."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from cutaway.core.architecture import Architecture, Shape, Weight
from cutaway.core.record import dataclass

_COUNTING = ("int32", "int64", "bool", "string")


@dataclass(frozen=True, slots=True)
class Contents:
    """Weights of each of two networks that the other has none like; those of formats that store no classes last."""

    missing: tuple[Weight, ...]
    unexpected: tuple[Weight, ...]


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


def compared(before: Sequence[Weight], after: Sequence[Weight]) -> Contents:
    """Return what is left where weights with the same sizes, in any order, are taken for each other."""
    waiting: dict[tuple[int, ...], list[Weight]] = {}
    for weight in after:
        waiting.setdefault(_sizes(weight), []).append(weight)
    missing = []
    for weight in before:
        alike = waiting.get(_sizes(weight))
        if alike:
            alike.pop(0)
        else:
            missing.append(weight)
    left = {id(weight) for each in waiting.values() for weight in each}
    unexpected = [weight for weight in after if id(weight) in left]
    return Contents(*(tuple(w for w in side if not _is_constant(w)) for side in (missing, unexpected)))


def is_other(before: Sequence[Shape], after: Sequence[Shape]) -> bool:
    """Tell whether two lists of shapes, in any order, can't be of the same tensors."""
    if len(before) != len(after):
        return True
    rest = list(after)
    for shape in before:
        places = [place for place, other in enumerate(rest) if _may_be(shape, other)]
        if not places:
            return True
        rest.pop(places[0])
    return False


def _may_be(left: Shape, right: Shape) -> bool:
    if left is None or right is None:
        return True
    return len(left) == len(right) and all(
        not isinstance(a, int) or not isinstance(b, int) or a == b for a, b in zip(left, right)
    )


def _is_constant(weight: Weight) -> bool:
    """Tell whether a tensor of a graph is one of the numbers that it computes with: a size, an axis, a factor."""
    return weight.kind == "tensor" and (weight.dtype in _COUNTING or math.prod(_sizes(weight)) <= 1)


def _sizes(weight: Weight) -> tuple[int, ...]:
    return tuple(sorted(size for size in weight.shape or () if isinstance(size, int) and size != 1))
