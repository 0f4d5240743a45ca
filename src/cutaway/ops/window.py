"""Windows that slide along the axes of an array: how many fit, and their settings per axis."""

from __future__ import annotations

import operator
from collections.abc import Iterable
from typing import Any

from cutaway.core.fault import Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Dim, Size, less, maximum, minimum, unknown_size
from cutaway.core.unknown import Unknown

Shape = tuple[Size, ...]
_INTEGERS = {int}


def size_of(value: Any, name: str = "size") -> Size:
    """Return an argument that is meant as a size as one; of an unknown value nothing is known."""
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, (int, Dim)):
        return value
    if isinstance(value, Unknown):
        return unknown_size()
    if not hasattr(value, "__index__"):
        raise TypeFault(f"{name} must be an integer, but is {value!r}", FaultCode.WRONG_TYPE)
    return operator.index(value)


def per_axis(value: Any, rank: int, name: str) -> Shape:
    """Return one number per axis, given one for all or one for each."""
    if type(value) is tuple and len(value) == rank and set(map(type, value)) == _INTEGERS:
        return value  # by far the most common case
    if not isinstance(value, (tuple, list)):
        return (size_of(value, name),) * rank
    if len(value) not in (1, rank):
        raise Fault(
            f"{name} has {len(value)} numbers, but there are {rank} spatial dimensions", FaultCode.ARGUMENT_LENGTH
        )
    sizes = tuple(size_of(item, name) for item in value)
    return sizes * rank if len(sizes) == 1 else sizes


def windows(
    size: Size, kernel: Size, stride: Size, before: Size, after: Size, dilation: Size = 1, ceil: bool = False
) -> Size:
    """Return how many windows fit along an axis that is padded `before` and `after`.

    With `ceil` a last, partial window counts too, if it starts inside the input or the padding before it.
    """
    span = size + before + after - dilation * (kernel - 1) - 1
    if not ceil:
        return span // stride + 1
    return minimum((span + stride - 1) // stride + 1, (size + before + stride - 1) // stride)


def transposed(size: Size, kernel: Size, stride: Size, padding: Any, extra: Size | None, dilation: Size = 1) -> Size:
    """Return the size of which `windows` makes `size`: where several fit, the least one, and `extra` more.

    Padding is a number on both sides, `valid` for none, or `spread` for half a kernel. Without `extra` every stride has
    its window: the size is a multiple of the stride, unless the kernel reaches beyond it.
    """
    reach = dilation * (kernel - 1) + 1
    if extra is None:
        return size * stride + (maximum(reach - stride, 0) if padding == "valid" else 0)
    around: Size = 2 * (reach // 2) if padding == "spread" else 0 if padding == "valid" else 2 * padding
    return (size - 1) * stride - around + reach + extra


def scaled(size: Size, factor: Any) -> Size:
    """Return `int(size * factor)`, also of a symbolic size if the factor is a short binary fraction."""
    if isinstance(factor, (int, Dim)):
        return size * factor
    if isinstance(factor, Unknown):
        return unknown_size()
    factor = float(factor)
    if isinstance(size, int):
        return int(size * factor)
    whole, parts = factor.as_integer_ratio()
    return size * whole // parts if parts <= 1024 else unknown_size()


def require_at_least(sizes: Iterable[Size], least: int, name: str) -> None:
    """Reject settings that are certainly too small."""
    sizes = tuple(sizes)
    for size in sizes:
        if size >= least if type(size) is int else less(size, least) is not True:
            continue
        raise Fault(f"{name} must be at least {least}, but is {shown(sizes)}", FaultCode.INVALID_ARGUMENT)


def shown(shape: Iterable[Any]) -> str:
    """Return a shape as it appears in messages."""
    sizes = tuple(shape)
    return f"({', '.join(map(str, sizes))}{',' if len(sizes) == 1 else ''})"
