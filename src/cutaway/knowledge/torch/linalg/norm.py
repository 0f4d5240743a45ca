"""Norms of vectors and matrices in `torch.linalg`."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.torch.linalg.decomposition import floating, names
from cutaway.knowledge.torch.tensor.op import Out, compute, op
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import DType
from cutaway.ops.reshape import axes, text


def _dtype(name: str, input: Tensor, dtype: DType | None) -> DType:
    found = floating(name, input, low_precision=True)
    if dtype is None:
        return found.to_real()
    if not (dtype.is_floating_point or dtype.is_complex):
        raise Fault(f"{name}: dtype must be floating or complex, but it is {dtype}", FaultCode.UNSUPPORTED_DTYPE)
    if found.is_complex != dtype.is_complex:
        raise Fault(f"{name}: input is {found}, so dtype can't be {dtype}", FaultCode.DTYPE_MISMATCH)
    if dtype.itemsize < found.itemsize:
        raise Fault(f"{name}: dtype {dtype} is narrower than the input's {found}", FaultCode.DTYPE_MISMATCH)
    return dtype.to_real()


def _reduced(shape: Any, dims: list[int], keepdim: Any) -> list[Any]:
    if keepdim:
        return [1 if i in dims else s for i, s in enumerate(shape)]
    return [s for i, s in enumerate(shape) if i not in dims]


def _dims(dim: Any) -> list[Any] | None:
    if dim is None:
        return None
    return list(dim) if isinstance(dim, (list, tuple)) else [dim]


def _vector(name: str, input: Tensor, ord: Any, dim: Any, keepdim: Any, dtype: Any) -> Out:
    if isinstance(ord, str):
        raise Fault(f"{name}: ord={ord!r} is a norm of matrices", FaultCode.INVALID_ARGUMENT)
    result = _dtype(name, input, dtype)
    dims = _dims(dim)
    reduced = axes(dims, input.ndim, name) if dims else list(range(input.ndim))
    values = compute(_vector_norm, input, ord, tuple(reduced), bool(keepdim))
    return Out(_reduced(input.shape, reduced, keepdim), result, values)


def _vector_norm(np: Any, array: Any, ord: float, dims: tuple[int, ...], keepdim: bool) -> Any:
    size = np.abs(array)
    if not array.ndim:
        return size if ord else (size != 0)
    if ord == float("inf"):
        return size.max(dims, keepdims=keepdim)
    if ord == float("-inf"):
        return size.min(dims, keepdims=keepdim)
    if ord == 0:
        return (size != 0).sum(dims, keepdims=keepdim)
    return (size**ord).sum(dims, keepdims=keepdim) ** (1.0 / ord)


def _matrix(name: str, input: Tensor, ord: Any, dim: Any, keepdim: Any, dtype: Any) -> Out:
    if input.ndim < 2:
        raise Fault(
            f"{name}: input must have at least 2 dimensions, but it is {text(input.shape)}", FaultCode.WRONG_RANK
        )
    if isinstance(ord, str) and ord not in ("fro", "nuc"):
        raise Fault(f"{name}: ord={ord!r} is no norm of matrices", FaultCode.INVALID_ARGUMENT)
    if not isinstance(ord, str) and abs(ord) not in (1, 2, float("inf")):
        raise Fault(f"{name}: ord={ord} is no norm of matrices", FaultCode.INVALID_ARGUMENT)
    if len(dim) != 2:
        raise Fault(f"{name}: dim must name 2 dimensions, but it is {dim}", FaultCode.INVALID_ARGUMENT)
    low = ord not in (2, -2, "nuc")
    floating(name, input, low_precision=low or dtype is not None)
    return Out(_reduced(input.shape, axes(dim, input.ndim, name), keepdim), _dtype(name, input, dtype))


@op(*names("vector_norm"))
def vector_norm(input, ord=2, dim=None, keepdim=False, *, dtype=None):
    return _vector("linalg.vector_norm", input, ord, dim, keepdim, dtype)


@op(*names("matrix_norm"))
def matrix_norm(input, ord="fro", dim=(-2, -1), keepdim=False, *, dtype=None):
    return _matrix("linalg.matrix_norm", input, ord, dim, keepdim, dtype)


@op(*names("norm"))
def norm(input, ord=None, dim=None, keepdim=False, *, dtype=None):
    dims = _dims(dim)
    if ord is None:
        return _vector("linalg.norm", input, 2, dims, keepdim, dtype)
    if dims is None:
        if input.ndim not in (1, 2):
            raise Fault(
                f"linalg.norm: with ord but no dim, input must have 1 or 2 dimensions, not {text(input.shape)}",
                FaultCode.WRONG_RANK,
            )
        dims = list(range(input.ndim))
    if len(dims) == 1:
        return _vector("linalg.norm", input, ord, dims, keepdim, dtype)
    return _matrix("linalg.norm", input, ord, dims, keepdim, dtype)
