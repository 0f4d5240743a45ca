"""Shapes of elementwise operations: broadcasting, and writing a result into an existing array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Size, equal, less, maximum, unknown_size
from cutaway.core.unknown import Unknown


def broadcast(name: str, *shapes: Any) -> Any:
    """Return the common shape of `shapes`; an unknown shape makes it unknown."""
    for shape in shapes:
        if isinstance(shape, Unknown):
            return shape
    result: tuple[Size, ...] = tuple(shapes[0])
    for shape in shapes[1:]:
        if shape != result:
            result = _broadcast_two(name, result, tuple(shape))
    return result


def _broadcast_two(name: str, left: tuple[Size, ...], right: tuple[Size, ...]) -> tuple[Size, ...]:
    if not right:
        return left
    rank = max(len(left), len(right))
    sizes = []
    for i in range(-rank, 0):
        a = left[i] if i >= -len(left) else 1
        b = right[i] if i >= -len(right) else 1
        size = broadcast_size(a, b)
        if size is None:
            raise Fault(
                f"{name}: shapes {written(left)} and {written(right)} do not broadcast: "
                f"dimension {i} has sizes {a} and {b}, which differ and neither is 1",
                FaultCode.SHAPE_MISMATCH,
            )
        sizes.append(size)
    return tuple(sizes)


def broadcast_size(left: Size, right: Size) -> Size | None:
    """Return the common size of one dimension; None where there is none."""
    if left == right:
        return left
    if left == 1:
        return right
    if right == 1:
        return left
    left_is_one, right_is_one = equal(left, 1), equal(right, 1)
    if left_is_one is False and right_is_one is False:
        if not session.require_equal(left, right, "broadcasting"):
            return None
        return left if isinstance(left, int) or not isinstance(right, int) else right
    if left_is_one is False:
        return left
    if right_is_one is False:
        return right
    # One of them is 1 or they are equal: the larger, as long as neither can be 0.
    if less(left, 1) is False and less(right, 1) is False:
        return maximum(left, right)
    return unknown_size()


def expands_to(shape: Sequence[Size], target: Sequence[Size]) -> bool | None:
    """Tell whether `shape` broadcasts to exactly `target`: yes, no, or can't tell."""
    if len(shape) > len(target):
        return False
    answer: bool | None = True
    for size, wanted in zip(reversed(shape), reversed(target)):
        same, one = equal(size, wanted), equal(size, 1)
        if same is False and one is False:
            return False
        if same is not True and one is not True:
            answer = None
    return answer


def written(shape: Sequence[Size]) -> str:
    """Write a shape as Python writes a tuple, with symbolic sizes by name."""
    return f"({', '.join(map(str, shape))}{',' if len(shape) == 1 else ''})"
