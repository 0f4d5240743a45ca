"""Two networks compared by their weights whatever these are called: formats have names and orders of dimensions of their own."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

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


def compared(before: Architecture, after: Architecture) -> Contents:
    """Return what is left where weights with the same sizes, in any order, are taken for each other.

    A converter stores equal tensors once, so one stands for as many as read it; and it may split or join dimensions, so
    what is left is compared by the number of elements.
    """
    left, right = ([weight for weight in each.weights if weight.persistent] for each in (before, after))
    left, right = _unmatched(left, right, _reads(after)), _unmatched(right, left, _reads(before))
    by_count = [_unmatched(left, right, {}, whole=True), _unmatched(right, left, {}, whole=True)]
    return Contents(*(tuple(weight for weight in side if not is_constant(weight)) for side in by_count))


def _reads(architecture: Architecture) -> Counter[str]:
    return Counter(value.name for op in architecture.ops for value in op.inputs)


def _unmatched(
    weights: Sequence[Weight], others: Sequence[Weight], reads: Mapping[str, int], whole: bool = False
) -> list[Weight]:
    """Return the weights that none of the others is like; by sizes, or by the `whole` number of elements."""
    free: Counter[Any] = Counter()
    for weight in others:
        free[_key(weight, whole)] += max(reads.get(weight.name, 1), 1)
    left = []
    for weight in weights:
        key = _key(weight, whole)
        if free[key]:
            free[key] -= 1
        else:
            left.append(weight)
    return left


def _key(weight: Weight, whole: bool) -> Any:
    return math.prod(_sizes(weight)) if whole else _sizes(weight)


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


def is_constant(weight: Weight) -> bool:
    """Tell whether a tensor of a graph is one of the numbers that it computes with: a size, an axis, a factor."""
    return weight.kind == "tensor" and (weight.dtype in _COUNTING or math.prod(_sizes(weight)) <= 1)


def _sizes(weight: Weight) -> tuple[int, ...]:
    return tuple(sorted(size for size in weight.shape or () if isinstance(size, int) and size != 1))
