"""How the elements of a tensor lie in memory: strides, which views keep, and which tell whether reshaping copies.

Strides count elements, and may be symbolic as sizes may. They are compared by their form alone: whether sizes happen to fit
is not asked. An open size is taken to be at least 2, because a single element lies anywhere. Where the layout can't be
determined, it is None.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

from cutaway.core.size.dim import Dim, Size
from cutaway.core.size.plural import less_if_plural

Strides: TypeAlias = tuple[Size, ...]

COPY = "copy"
"""What reshaping gives where no strides describe the result: torch makes a contiguous copy."""


def standard(shape: Sequence[Any]) -> Strides | None:
    """Return the strides of a contiguous tensor."""
    strides: list[Size] = []
    step: Size = 1
    for size in reversed(shape):
        if not isinstance(size, (int, Dim)):
            return None
        strides.append(step)
        step = step * (max(size, 1) if type(size) is int else size)
    return tuple(reversed(strides))


def is_numeric(sizes: Sequence[Any]) -> bool:
    """Tell whether all sizes are numbers."""
    return all(type(size) is int for size in sizes)


def is_contiguous(shape: Sequence[Size], strides: Strides) -> bool:
    """Tell whether elements lie in the order of their indices, without gaps; dimensions of size 1 don't count."""
    if 0 in shape:
        return True
    step: Size = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size != 1 and stride != step:
            return False
        step = step * size
    return True


def reshaped(shape: Sequence[Any], strides: Strides, wanted: Sequence[Any]) -> Strides | str | None:
    """Return the strides of a view in another shape, or `COPY` where there is no such view."""
    if not shape or 0 in shape:
        return standard(wanted)
    found: list[Size] = [0] * len(wanted)
    at = len(wanted) - 1
    base, count, covered = strides[-1], 1, 1
    for dim in reversed(range(len(shape))):
        count = count * shape[dim]
        if dim and (shape[dim - 1] == 1 or strides[dim - 1] == count * base):
            continue  # the next dimension goes on where this one ends
        while at >= 0 and (wanted[at] == 1 or _is_short(covered, count)):
            found[at] = covered * base
            covered = covered * wanted[at]
            at -= 1
        if covered != count:
            return None if less_if_plural(count, covered) is None else COPY
        if dim:
            base, count, covered = strides[dim - 1], 1, 1
    return tuple(found) if at < 0 else COPY


def _is_short(covered: Size, count: Size) -> bool:
    """Tell whether more dimensions are needed to cover some elements; of open sizes, until both are written alike."""
    return covered < count if is_numeric((covered, count)) else covered != count


def expanded(shape: Sequence[Any], strides: Strides, wanted: Sequence[Any]) -> Strides:
    """Return the strides of a tensor that is repeated along new dimensions and those of size 1."""
    lead = len(wanted) - len(shape)
    own = [0 if size == 1 and goal != 1 else stride for size, stride, goal in zip(shape, strides, wanted[lead:])]
    return (*([0] * lead), *own)


def has_channels_last(shape: Sequence[Any], strides: Strides) -> bool | None:
    """Tell whether images or volumes have their channels next to each other in memory, as torch tells it."""
    if len(shape) not in (4, 5) or strides[1] == 0:
        return False
    least: Size = 0
    is_open = False
    for dim in (1, *reversed(range(2, len(shape))), 0):
        is_closer = less_if_plural(strides[dim], least)
        if shape[dim] == 0 or is_closer or (not dim and least == strides[1]):
            return False
        is_open |= is_closer is None
        least = strides[dim] * shape[dim]
    return None if is_open else True


def channels_last(shape: Sequence[Any]) -> Strides | None:
    """Return the strides of images or volumes whose channels are next to each other in memory."""
    moved = standard((shape[0], *shape[2:], shape[1]))
    return None if moved is None else (moved[0], moved[-1], *moved[1:-1])


def by_columns(shape: Sequence[Any]) -> Strides | None:
    """Return the strides of matrices whose columns lie one behind the other."""
    moved = standard((*shape[:-2], shape[-1], shape[-2]))
    return None if moved is None else (*moved[:-2], moved[-1], moved[-2])


def sliced(items: Sequence[Any], shape: Sequence[Any], strides: Strides | None) -> Strides | None:
    """Return the strides of a part: positions take a dimension away, None adds one, slices may skip elements."""
    if strides is None:
        return None
    found: list[Size] = []
    source = 0
    for item in items:
        if item is None:
            found.append(shape[source] * strides[source] if source < len(shape) else 1)
            continue
        if isinstance(item, slice):
            step = 1 if item.step is None else item.step
            if type(step) is not int:
                return None
            found.append(strides[source] * step)
        source += 1
    return (*found, *strides[source:])


def elementwise(shape: Sequence[Any], operands: Sequence[tuple[Sequence[Any], Strides]]) -> Strides | None:
    """Return the strides that torch gives the result of an elementwise operation: in the order of its operands'."""
    given = [_broadcast(own, strides, shape) for own, strides in operands]
    order = list(reversed(range(len(shape))))
    for start in range(1, len(order)):
        at = start
        for before in reversed(range(start)):
            verdict = _compare(order[before], order[at], shape, given)
            if verdict is None:
                return None
            if verdict > 0:
                order[before], order[at] = order[at], order[before]
                at = before
            elif verdict < 0:
                break
    found: list[Size] = [0] * len(shape)
    step: Size = 1
    for dim in order:
        found[dim] = step
        step = step * (max(shape[dim], 1) if type(shape[dim]) is int else shape[dim])
    return tuple(found)


def _broadcast(own: Sequence[Any], strides: Strides, shape: Sequence[Any]) -> Strides:
    lead = len(shape) - len(own)
    return (*([0] * lead), *(0 if size == 1 and goal != 1 else s for size, s, goal in zip(own, strides, shape[lead:])))


def _compare(first: int, second: int, shape: Sequence[Size], operands: Sequence[Strides]) -> int | None:
    """Return which of two dimensions lies closer together, as torch orders them; None where that is open."""
    for strides in operands:
        left, right = strides[first], strides[second]
        if left == 0 or right == 0:
            continue
        is_less = less_if_plural(left, right) if left != right else less_if_plural(shape[second], shape[first])
        if is_less is None:
            return None
        if left != right:
            return -1 if is_less else 1
        if is_less:
            return 1
    return 0
