"""Shapes of reductions and scans: which dimensions go, and what stays."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any

from cutaway.core.fault import Fault, IndexFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Size, equal, product
from cutaway.core.unknown import Undecidable, Unknown


def axis(name: str, dim: Any, rank: int) -> int:
    """Return `dim` counted from the front; a scalar has one dimension for this purpose."""
    if isinstance(dim, Unknown):
        raise Undecidable(dim)
    if isinstance(dim, (float, str)) or not hasattr(dim, "__index__"):
        raise TypeFault(f"{name}: dim must be an integer, not {type(dim).__name__}", FaultCode.WRONG_TYPE)
    index = operator.index(dim)
    limit = max(rank, 1)
    if not -limit <= index < limit:
        raise IndexFault(
            f"{name}: dimension {index} is out of range for a tensor of {rank} dimensions "
            f"(expected {-limit} to {limit - 1})",
            FaultCode.DIMENSION_OUT_OF_RANGE,
        )
    return index % limit


def axes(name: str, dim: Any, rank: int) -> tuple[int, ...]:
    """Return the reduced dimensions from the front; None or an empty sequence means all."""
    if dim is None:
        return tuple(range(rank))
    if not isinstance(dim, (tuple, list)):
        return (axis(name, dim, rank),)
    found = tuple(axis(name, d, rank) for d in dim)
    for d in found:
        if found.count(d) > 1:
            raise Fault(f"{name}: dim {d} appears more than once in {tuple(dim)}", FaultCode.DUPLICATE_DIMENSION)
    return found or tuple(range(rank))


def reduced(shape: Sequence[Size], over: Sequence[int], keepdim: bool) -> tuple[Size, ...]:
    """Return the shape without the dimensions in `over`, or with 1 in their place."""
    if keepdim:
        return tuple(1 if i in over else size for i, size in enumerate(shape))
    return tuple(size for i, size in enumerate(shape) if i not in over)


def require_nonempty(name: str, shape: Sequence[Size], over: Sequence[int], dim: Any) -> None:
    """Raise where a reduction without a neutral element would go over nothing."""
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        if equal(product(shape), 0) is True:
            raise Fault(
                f"{name}: the input of shape {tuple(shape)} is empty, and no dim is given", FaultCode.EMPTY_REDUCTION
            )
        return
    for d in over:
        if shape and equal(shape[d], 0) is True:
            raise IndexFault(f"{name}: dimension {d} has size 0, but must not be empty", FaultCode.EMPTY_REDUCTION)
