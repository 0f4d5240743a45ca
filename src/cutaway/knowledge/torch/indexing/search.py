"""Rows that look up values, and that count or locate elements by value."""

from __future__ import annotations

from typing import Any

from cutaway.core.dtype import INTEGER, category
from cutaway.core.fault import Fault, NotImplementedFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, less, product, unknown_size
from cutaway.knowledge.torch.tensor.op import Out, compute, op
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import bool_, float64, int32, int64
from cutaway.ops.reshape import size, text


def _locations(input: Any) -> Any:
    """Return how many elements are not zero, if that is known."""
    if input.values_ is not None:
        return int((input.array() != 0).sum())
    return 0 if equal(product(input.shape), 0) is True else unknown_size()


@op("torch.nonzero", "torch.Tensor.nonzero", strided=True)
def nonzero(input, *, as_tuple=False):
    rank, count = len(input.shape), _locations(input)
    if not as_tuple:
        return _matrix_of_locations(input, rank, count)

    def along(dim: int) -> Any:
        return lambda np, a: np.atleast_1d(a).nonzero()[dim]

    return tuple(Out((count,), int64, compute(along(d), input)) for d in range(max(rank, 1)))


@op("torch.argwhere", "torch.Tensor.argwhere", strided=True)
def argwhere(input):
    return _matrix_of_locations(input, len(input.shape), _locations(input))


def _matrix_of_locations(input: Any, rank: int, count: Any) -> Out:
    return Out((count, rank), int64, compute(lambda np, a: np.argwhere(a) if a.ndim else np.empty((count, 0)), input))


def _searched(values: Any, boundaries: Any, int_32: Any, right: Any) -> Out:
    shape = values.shape if isinstance(values, Tensor) else ()

    def apply(np: Any, edges: Any, v: Any) -> Any:
        side = "right" if right else "left"
        if edges.ndim == 1:
            return np.searchsorted(edges, v, side)
        if not v.size:
            return v
        rows = zip(edges.reshape(-1, edges.shape[-1]), v.reshape(-1, v.shape[-1]))
        return np.array([np.searchsorted(e, n, side) for e, n in rows])

    # Of different dtypes, torch converts one to the other's in its own way.
    alike = not isinstance(values, Tensor) or values.dtype is boundaries.dtype
    return Out(shape, int32 if int_32 else int64, compute(apply, boundaries, values) if alike else None)


@op("torch.searchsorted")
def searchsorted(sorted_sequence, input=None, *, out_int32=False, right=False, side=None, sorter=None, **scalar):
    values = scalar.get("values", scalar.get("self", input)) if input is None else input
    edges = sorted_sequence.shape
    if side not in (None, "left", "right"):
        raise Fault(f"searchsorted: side must be 'left' or 'right', but is {side!r}", FaultCode.INVALID_ARGUMENT)
    if side == "left" and right:
        raise Fault("searchsorted: side is 'left' while right is True", FaultCode.ARGUMENT_CONFLICT)
    if not edges:
        raise Fault("searchsorted: sorted_sequence must have at least one dimension", FaultCode.WRONG_RANK)
    shape = values.shape if isinstance(values, Tensor) else ()
    rows_differ = len(shape) != len(edges) or any(equal(a, b) is False for a, b in zip(shape[:-1], edges[:-1]))
    if len(edges) > 1 and rows_differ:
        raise Fault(
            f"searchsorted: sorted_sequence {text(edges)} and values {text(shape)} must match "
            "in all but the last dimension",
            FaultCode.SHAPE_MISMATCH,
        )
    out = _searched(values, sorted_sequence, out_int32, right or side == "right")
    return out if sorter is None else Out(out.shape, out.dtype)


@op("torch.bucketize")
def bucketize(input, boundaries, *, out_int32=False, right=False):
    if len(boundaries.shape) != 1:
        raise Fault(f"bucketize: boundaries must be a vector, but are {text(boundaries.shape)}", FaultCode.WRONG_RANK)
    return _searched(input, boundaries, out_int32, right)


@op("torch.isin")
def isin(elements=None, test_elements=None, *, assume_unique=False, invert=False, element=None, test_element=None):
    elements = element if elements is None else elements
    test_elements = test_element if test_elements is None else test_elements
    for tensor in (elements, test_elements):
        if isinstance(tensor, Tensor) and (tensor.dtype is bool_ or tensor.dtype.is_complex):
            raise Fault(f"isin: is not implemented for {tensor.dtype}", FaultCode.UNSUPPORTED_DTYPE)
    shape = elements.shape if isinstance(elements, Tensor) else ()
    return Out(shape, bool_, compute(lambda np, a, b: np.isin(a, b, invert=bool(invert)), elements, test_elements))


@op("torch.bincount", "torch.Tensor.bincount")
def bincount(input, weights=None, minlength=0):
    if category(input.dtype.name) != INTEGER:
        raise NotImplementedFault(f"bincount: is not implemented for {input.dtype}", FaultCode.UNSUPPORTED_DTYPE)
    minlength = size(minlength, "bincount: minlength")
    if less(minlength, 0) is True:
        raise Fault(f"bincount: minlength must be non-negative, but is {minlength}", FaultCode.INVALID_ARGUMENT)
    if len(input.shape) != 1:
        raise Fault(f"bincount: expects a vector, but input is {text(input.shape)}", FaultCode.WRONG_RANK)
    if equal(input.shape[0], 0) is True:
        return Out((minlength,), int64, compute(lambda np, n: np.zeros(n), minlength))
    if weights is not None and (len(weights.shape) != 1 or equal(weights.shape[0], input.shape[0]) is False):
        raise Fault(
            f"bincount: weights {text(weights.shape)} must be a vector as long as input {text(input.shape)}",
            FaultCode.SHAPE_MISMATCH,
        )
    dtype = int64 if weights is None else weights.dtype if weights.dtype.name == "float32" else float64
    if input.values_ is None or not isinstance(minlength, int):
        return Out((unknown_size(),), dtype)
    numbers = input.array()
    if int(numbers.min()) < 0:
        raise Fault("bincount: input has a negative number", FaultCode.INVALID_ARGUMENT)
    count = max(int(numbers.max()) + 1, minlength)
    if weights is None:
        return Out((count,), dtype, compute(lambda np, a: np.bincount(a, minlength=minlength), input))
    return Out((count,), dtype, compute(lambda np, a, w: np.bincount(a, w, minlength), input, weights))


@op("torch.histc", "torch.Tensor.histc")
def histc(input, bins=100, min=0, max=0):
    if not input.dtype.is_floating_point:
        raise NotImplementedFault(f"histc: is not implemented for {input.dtype}", FaultCode.UNSUPPORTED_DTYPE)
    bins = size(bins, "histc: bins")
    if less(0, bins) is False:
        raise Fault(f"histc: bins must be greater than 0, but is {bins}", FaultCode.INVALID_ARGUMENT)
    if isinstance(min, (int, float)) and isinstance(max, (int, float)) and min > max:
        raise Fault(f"histc: max is {max}, but must be larger than min, which is {min}", FaultCode.INVALID_ARGUMENT)
    return Out((bins,), input.dtype)
