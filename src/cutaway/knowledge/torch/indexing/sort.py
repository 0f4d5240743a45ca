"""Rows that order elements, and that find the distinct ones."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from cutaway.core.fault import Fault, IndexFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, less, product, unknown_size
from cutaway.knowledge.base.registry import register
from cutaway.knowledge.torch.tensor.op import Out, compute, op
from cutaway.knowledge.torch.tensor.types import int64
from cutaway.ops.reshape import axis, replaced, size, text


def _pair(name: str) -> Any:
    made = namedtuple(name, ("values", "indices"))  # type: ignore[misc]
    made.__module__ = "torch.return_types"
    return register(f"torch.return_types.{name}", made)


Sort, TopK, KthValue = _pair("sort"), _pair("topk"), _pair("kthvalue")


def _order(np: Any, a: Any, place: int, descending: bool) -> Any:
    """Return the stable order of the elements along a dimension."""
    if not a.ndim:
        return np.zeros((), "int64")
    if not descending:
        return np.argsort(a, place, kind="stable")
    last = a.shape[place] - 1
    return np.flip(last - np.argsort(np.flip(a, place), place, kind="stable"), place)


def _along(np: Any, a: Any, order: Any, place: int) -> Any:
    return np.take_along_axis(a, order, place) if a.ndim else a


def _sorted(input: Any, dim: Any, descending: Any, stable: Any, name: str) -> tuple[Out, Out]:
    if input.dtype.is_complex:
        raise Fault(f"{name}: complex tensors have no order", FaultCode.UNSUPPORTED_DTYPE)
    place, down = axis(dim, len(input.shape)), bool(descending)

    def order(np: Any, a: Any) -> Any:
        return _order(np, a, place, down)

    values = compute(lambda np, a: _along(np, a, order(np, a), place), input)
    indices = compute(order, input) if stable else _untied(input, order)
    return Out(input.shape, input.dtype, values), Out(input.shape, int64, indices)


@op("torch.sort", "torch.Tensor.sort")
def sort(input, dim=-1, descending=False, stable=False):
    return Sort(*_sorted(input, dim, descending, stable, "sort"))


@op("torch.argsort", "torch.Tensor.argsort")
def argsort(input, dim=-1, descending=False, stable=False):
    return _sorted(input, dim, descending, stable, "argsort")[1]


@op("torch.msort", "torch.Tensor.msort")
def msort(input):
    return _sorted(input, 0, False, True, "msort")[0]


@op("torch.topk", "torch.Tensor.topk")
def topk(input, k, dim=-1, largest=True, sorted=True):
    if input.dtype.is_complex or input.dtype.name == "bool":
        raise Fault(f"topk: is not implemented for {input.dtype}", FaultCode.UNSUPPORTED_DTYPE)
    place = axis(-1 if dim is None else dim, len(input.shape))
    count = size(k, "topk: k")
    extent = input.shape[place] if input.shape else 1
    if less(count, 0) is True or less(extent, count) is True:
        raise Fault(
            f"topk: k is {count}, but dimension {place} has only {extent} elements", FaultCode.INDEX_OUT_OF_RANGE
        )
    shape = replaced(input.shape, place, count) if input.shape else ()

    def order(np: Any, a: Any) -> Any:
        found = _order(np, a, place, bool(largest))
        return found.take(range(count), place) if a.ndim else found

    # The order of ties, and of all elements if not `sorted`, is torch's own choice.
    values = compute(lambda np, a: _along(np, a, order(np, a), place), input) if sorted else None
    return TopK(Out(shape, input.dtype, values), Out(shape, int64, _untied(input, order) if sorted else None))


def _untied(input: Any, order: Any) -> Any:
    """Return the order as numbers if it is the only one, that is if no two elements are equal."""
    if input.values_ is None:
        return None
    array = input.array()
    return compute(order, input) if len(set(array.reshape(-1).tolist())) == array.size else None


@op("torch.kthvalue", "torch.Tensor.kthvalue")
def kthvalue(input, k, dim=-1, keepdim=False):
    if input.shape and (input.dtype.is_complex or input.dtype.name == "bool"):
        raise Fault(f"kthvalue: is not implemented for {input.dtype}", FaultCode.UNSUPPORTED_DTYPE)
    place = axis(-1 if dim is None else dim, len(input.shape))
    count = size(k, "kthvalue: k")
    extent = input.shape[place] if input.shape else 1
    if equal(extent, 0) is True:
        raise IndexFault(f"kthvalue: dimension {place} is empty", FaultCode.EMPTY_REDUCTION)
    if less(count, 1) is True or less(extent, count) is True:
        raise Fault(
            f"kthvalue: k is {count}, but dimension {place} has {extent} elements", FaultCode.INDEX_OUT_OF_RANGE
        )
    shape = replaced(input.shape, place, *((1,) if keepdim else ())) if input.shape else ()

    def value(np: Any, a: Any) -> Any:
        return np.sort(a, place).take(count - 1, place) if a.ndim else a

    def index(np: Any, a: Any) -> Any:
        return _order(np, a, place, False).take(count - 1, place) if a.ndim else np.zeros((), "int64")

    fixed = isinstance(count, int)
    return KthValue(
        Out(shape, input.dtype, compute(value, input) if fixed else None),
        Out(shape, int64, _untied(input, index) if fixed else None),
    )


def _distinct(input: Any, dim: Any, return_inverse: Any, return_counts: Any, consecutive: bool) -> Any:
    """Return the distinct elements or slices, and where they were and how many if asked."""
    shape = tuple(input.shape)
    place = None if dim is None else axis(dim, len(shape))
    if place is not None and not shape:
        raise Fault("unique: a tensor without dimensions has no dim", FaultCode.DIMENSION_OUT_OF_RANGE)
    if place is not None and equal(shape[place], 0) is True and product(shape[:place] + shape[place + 1 :]) == 0:
        raise Fault(f"unique: there are no elements in {text(shape)} to apply dim to", FaultCode.EMPTY_REDUCTION)

    def find(np: Any, a: Any) -> tuple[Any, Any, Any]:
        if not consecutive:
            found, inverse, counts = np.unique(a, return_inverse=True, return_counts=True, axis=place)
            return found, inverse, counts
        rows = a.reshape(-1, 1)
        if place is not None:
            rows = np.moveaxis(a, place, 0).reshape(a.shape[place], a.size // max(a.shape[place], 1))
        fresh = np.ones(len(rows), bool)
        fresh[1:] = (rows[1:] != rows[:-1]).any(1)
        starts = np.flatnonzero(fresh)
        found = a.reshape(-1)[starts] if place is None else a.take(starts, place)
        return found, np.cumsum(fresh) - 1, np.diff(np.append(starts, len(rows)))

    count: Any = unknown_size()
    if input.values_ is not None:
        import numpy

        count = len(find(numpy, input.array())[2])
    elif isinstance(product(shape), int) and product(shape) == 0:
        count = 0
    kept = (count,) if place is None else replaced(shape, place, count)
    counted = shape if place is None else (shape[place],)
    outs = [Out(kept, input.dtype, compute(lambda np, a: find(np, a)[0], input))]
    if return_inverse:
        outs.append(Out(counted, int64, compute(lambda np, a: find(np, a)[1], input)))
    if return_counts:
        outs.append(Out((count,), int64, compute(lambda np, a: find(np, a)[2], input)))
    return outs[0] if len(outs) == 1 else tuple(outs)


@op("torch.unique", "torch.Tensor.unique", "torch.functional.unique", strided=True)
def unique(input, sorted=True, return_inverse=False, return_counts=False, dim=None):
    return _distinct(input, dim, return_inverse, return_counts, consecutive=False)


@op("torch.unique_consecutive", "torch.Tensor.unique_consecutive", "torch.functional.unique_consecutive", strided=True)
def unique_consecutive(input, return_inverse=False, return_counts=False, dim=None):
    return _distinct(input, dim, return_inverse, return_counts, consecutive=True)
