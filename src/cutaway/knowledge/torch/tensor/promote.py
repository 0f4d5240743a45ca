"""Which dtype an operation on several operands has."""

from __future__ import annotations

from typing import Any

from cutaway.core import dtype as kinds
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import register
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import DTYPES, DType, default_dtype, float32


def promote_types(type1: DType, type2: DType) -> DType:
    """Combine two dtypes of equal standing."""
    return DTYPES[kinds.promote(type1.name, type2.name)]


def result_type(*operands: Any) -> DType:
    """Return the common dtype: dimensioned tensors first, then zero-dimensional ones, then numbers,
    each lower standing counting only if its category is higher."""
    standing: list[DType | None] = [None, None, None]
    for operand in operands:
        if isinstance(operand, Tensor):
            shape = operand.shape
            level, dtype = (1 if isinstance(shape, tuple) and not shape else 0), operand.dtype
        elif isinstance(operand, bool):
            level, dtype = 2, DTYPES["bool"]
        elif isinstance(operand, (int, Dim)):
            level, dtype = 2, DTYPES["int64"]
        elif isinstance(operand, float):
            level, dtype = 2, default_dtype()
        elif isinstance(operand, complex):
            level, dtype = 2, default_dtype().to_complex()
        elif isinstance(operand, Unknown):
            raise Undecidable(operand)
        elif hasattr(operand, "dtype"):  # a numpy number counts as a number of its kind
            level, dtype = 2, result_type(operand.item())
        else:
            raise TypeError(f"unsupported operand of type {type(operand).__name__}")
        known = standing[level]
        standing[level] = dtype if known is None else promote_types(known, dtype)
    result: DType | None = None
    for dtype in standing:  # type: ignore[assignment]
        if dtype is None:
            continue
        if result is None:
            result = dtype
        elif kinds.category(dtype.name) > kinds.category(result.name):
            if dtype.is_complex and result.is_floating_point:
                result = promote_types(result.to_complex(), result.to_complex())
            else:
                result = dtype
    assert result is not None, "result_type of no operand"
    return result


def float_type(dtype: DType) -> DType:
    """Return the dtype of a function that is always floating (`sqrt` of integers)."""
    return dtype if dtype.is_floating_point or dtype.is_complex else default_dtype()


register("torch.promote_types", promote_types)
register("torch.result_type", result_type)
register("torch.can_cast", lambda from_, to: kinds.category(from_.name) <= kinds.category(to.name))
_ = float32
