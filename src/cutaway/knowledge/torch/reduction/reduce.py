"""Reductions: sums, extremes, statistics and norms over some or all dimensions."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable
from typing import Any

from cutaway.core import dtype as kinds
from cutaway.core.fault import Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import register
from cutaway.knowledge.torch.elementwise.rows import at, common, elementwise, refuse, refuse_filled, rule_of, tensor
from cutaway.knowledge.torch.tensor.op import RULES, Out, compute, op
from cutaway.knowledge.torch.tensor.promote import float_type
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import DType, bool_, int64, uint8
from cutaway.ops import reduce


def methods(*names: str) -> tuple[str, ...]:
    """Return the names of functions that are in `torch` and are methods too."""
    return tuple(f"{owner}.{name}" for name in names for owner in ("torch", "torch.Tensor"))


def over(name: str, input: Any, dim: Any, keepdim: Any = False) -> tuple[tuple[int, ...], Any]:
    """Return the dimensions that are reduced, and the shape that stays."""
    tensor(name, input)
    if not isinstance(keepdim, (bool, Unknown)):
        raise TypeFault(f"{name}: keepdim must be a bool, but got {keepdim!r}", FaultCode.WRONG_TYPE)
    if isinstance(input.shape, Unknown) and dim is None and keepdim is False:
        return (), ()
    rank = len(input.shape)
    dims = reduce.axes(name, dim, rank)
    return (dims if rank else ()), reduce.reduced(input.shape, dims, bool(keepdim))


def one(name: str, dim: Any) -> None:
    """Raise where a single dimension is wanted and several are given."""
    if isinstance(dim, (tuple, list)):
        raise TypeFault(f"{name}: dim must be an integer, but got {dim!r}", FaultCode.WRONG_TYPE)


def numbers_over(dtype: DType, function: Callable[..., Any], input: Any, dims: Any) -> Any:
    """Defer `function(numpy, array, axis)` on the input converted to `dtype`."""
    return at(dtype, lambda np, a: function(np, a, dims if a.ndim else ()), input)


def summed(dtype: DType) -> DType:
    """Return the dtype of a sum: integers and truth values add up in int64."""
    return int64 if kinds.category(dtype.name) <= kinds.INTEGER else dtype


def _floating(name: str, input: Any) -> None:
    if not (input.dtype.is_floating_point or input.dtype.is_complex):
        raise Fault(
            f"{name}: needs a floating or complex tensor, but got {input.dtype.name}", FaultCode.UNSUPPORTED_DTYPE
        )


@op(*methods("sum"))
def sum(input, dim=None, keepdim=False, *, dtype=None):
    dims, shape = over("sum", input, dim, keepdim)
    dtype = dtype or summed(input.dtype)
    return Out(shape, dtype, numbers_over(dtype, lambda np, a, axis: np.sum(a, axis), input, dims))


@op(*methods("nansum"))
def nansum(input, dim=None, keepdim=False, *, dtype=None):
    refuse("nansum", input.dtype, "c")
    dims, shape = over("nansum", input, dim, keepdim)
    dtype = dtype or summed(input.dtype)
    return Out(shape, dtype, numbers_over(dtype, lambda np, a, axis: np.nansum(a, axis), input, dims))


@op(*methods("prod"))
def prod(input, dim=None, keepdim=False, *, dtype=None):
    one("prod", dim)
    dims, shape = over("prod", input, dim, keepdim)
    dtype = dtype or summed(input.dtype)
    return Out(shape, dtype, numbers_over(dtype, lambda np, a, axis: np.prod(a, axis), input, dims))


@op(*methods("mean"))
def mean(input, dim=None, keepdim=False, *, dtype=None):
    dims, shape = over("mean", input, dim, keepdim)
    dtype = dtype or input.dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        raise Fault(
            f"mean: the result must be floating or complex, but the input is {dtype.name}; convert it or give dtype",
            FaultCode.UNSUPPORTED_DTYPE,
        )
    average = lambda np, a, axis: np.sum(a, axis) / _count(np, a, axis)
    return Out(shape, dtype, numbers_over(dtype, average, input, dims))


def _count(np: Any, a: Any, axis: Any) -> Any:
    return np.float64(np.prod([a.shape[i] for i in axis], dtype="float64"))


@op(*methods("nanmean"))
def nanmean(input, dim=None, keepdim=False, *, dtype=None):
    _floating("nanmean", input)
    refuse("nanmean", input.dtype, "c")
    dims, shape = over("nanmean", input, dim, keepdim)

    def numbers(np: Any, a: Any, axis: Any) -> Any:
        return np.nansum(a, axis) / np.sum(~np.isnan(a), axis)

    return Out(shape, dtype or input.dtype, numbers_over(input.dtype, numbers, input, dims))


@op(*methods("count_nonzero"))
def count_nonzero(input, dim=None):
    dims, shape = over("count_nonzero", input, dim)
    return Out(shape, int64, compute(lambda np, a: np.sum(a != 0, dims if a.ndim else ()), input))


def _truth(name: str) -> None:
    def rule(input, dim=None, keepdim=False):
        dtype = uint8 if input.dtype is uint8 else bool_
        test = lambda np, a, axis: getattr(np, name)(a != 0, axis)
        if isinstance(dim, (tuple, list)) and not dim:
            return Out(input.shape, dtype, numbers_over(input.dtype, test, input, ()))
        dims, shape = over(name, input, dim, keepdim)
        return Out(shape, dtype, numbers_over(input.dtype, test, input, dims))

    rule.__name__ = name
    op(*methods(name))(rule)


_truth("any")
_truth("all")


# Extremes


def pair(name: str) -> Any:
    """Return torch's named tuple of values and indices for the function `name`."""
    return register(f"torch.return_types.{name}", namedtuple(name, ["values", "indices"]))


def _extreme(name: str, of_two: str) -> None:
    made = pair(name)

    def rule(input, dim=None, keepdim=False, other=None):
        second = dim if isinstance(dim, Tensor) else other
        if second is not None:
            return rule_of(RULES[f"torch.{of_two}"])(input, second)
        one(name, dim)
        dims, shape = over(name, input, dim, keepdim)
        refuse(name, input.dtype, "c")
        if not isinstance(input.shape, Unknown):
            reduce.require_nonempty(name, input.shape, dims, dim)
        values = numbers_over(input.dtype, lambda np, a, axis: getattr(np, name)(a, axis), input, dims)
        if dim is None:
            return Out(shape, input.dtype, values)
        return made(Out(shape, input.dtype, values), Out(shape, int64, _position(name, input, dims)))

    rule.__name__ = name
    op(*methods(name))(rule)


def _position(name: str, input: Any, dims: Any) -> Any:
    return compute(lambda np, a: getattr(np, f"arg{name}")(a, dims[0]) if a.ndim else np.int64(0), input)


def _extreme_values(name: str) -> None:
    def rule(input, dim=(), keepdim=False):
        refuse(f"a{name}", input.dtype, "c")
        dims, shape = over(f"a{name}", input, dim, keepdim)
        reduce.require_nonempty(f"a{name}", input.shape, dims, dim)
        numbers = lambda np, a, axis: getattr(np, name)(a, axis)
        return Out(shape, input.dtype, numbers_over(input.dtype, numbers, input, dims))

    rule.__name__ = f"a{name}"
    op(*methods(f"a{name}"))(rule)


def _extreme_index(name: str) -> None:
    def rule(input, dim=None, keepdim=False):
        one(f"arg{name}", dim)
        refuse(f"arg{name}", input.dtype, "bc")
        dims, shape = over(f"arg{name}", input, dim, keepdim)
        if not isinstance(input.shape, Unknown):
            reduce.require_nonempty(f"arg{name}", input.shape, dims, dim)
        if dim is None:
            return Out(shape, int64, compute(lambda np, a: getattr(np, f"arg{name}")(a), input))
        return Out(shape, int64, _position(name, input, dims))

    rule.__name__ = f"arg{name}"
    op(*methods(f"arg{name}"))(rule)


for _name, _of_two in (("max", "maximum"), ("min", "minimum")):
    _extreme(_name, _of_two)
    _extreme_values(_name)
    _extreme_index(_name)

_Aminmax: Any = register("torch.return_types.aminmax", namedtuple("aminmax", ["min", "max"]))


@op(*methods("aminmax"))
def aminmax(input, *, dim=None, keepdim=False):
    one("aminmax", dim)
    refuse("aminmax", input.dtype, "c")
    dims, shape = over("aminmax", input, dim, keepdim)
    reduce.require_nonempty("aminmax", input.shape, dims, dim)
    return _Aminmax(
        Out(shape, input.dtype, numbers_over(input.dtype, lambda np, a, axis: np.min(a, axis), input, dims)),
        Out(shape, input.dtype, numbers_over(input.dtype, lambda np, a, axis: np.max(a, axis), input, dims)),
    )


# Statistics


def _spread(name: str, root: bool, with_mean: bool) -> None:
    """Enter `std`, `var` and their forms that return the mean too."""

    def rule(input, dim=None, unbiased=None, keepdim=False, *, correction=None):
        if isinstance(dim, bool):
            dim, unbiased = None, dim
        _floating(name, input)
        dims, shape = over(name, input, dim, keepdim)
        if correction is None:
            correction = 0 if unbiased is False else 1

        def numbers(np: Any, a: Any, axis: Any) -> Any:
            centred = a - np.mean(a, axis, keepdims=True)
            count = np.maximum(_count(np, a, axis) - correction, 0) if a.size else 0
            variance = np.sum(np.abs(centred) ** 2, axis) / np.float64(count)
            return np.sqrt(variance) if root else variance

        dtype = input.dtype.to_real()
        spread = Out(shape, dtype, numbers_over(input.dtype, numbers, input, dims))
        if not with_mean:
            return spread
        average = numbers_over(input.dtype, lambda np, a, axis: np.mean(a, axis), input, dims)
        return spread, Out(shape, input.dtype, average)

    rule.__name__ = name
    op(*(methods(name) if not with_mean else (f"torch.{name}",)))(rule)


_spread("std", True, False)
_spread("var", False, False)
_spread("std_mean", True, True)
_spread("var_mean", False, True)


def _median(name: str) -> None:
    made = pair(name)

    def rule(input, dim=None, keepdim=False):
        one(name, dim)
        refuse(name, input.dtype, "bc")
        dims, shape = over(name, input, dim, keepdim)
        if dim is None:
            middle = lambda np, a: np.nan if not a.size or np.isnan(a).any() else np.sort(a, None)[(a.size - 1) // 2]
            return Out(shape, input.dtype, compute(middle, input) if name == "median" else None)
        reduce.require_nonempty(name, input.shape, dims, dim)
        return made(Out(shape, input.dtype), Out(shape, int64))

    rule.__name__ = name
    op(*methods(name))(rule)


_median("median")
_median("nanmedian")
_Mode = pair("mode")


@op(*methods("mode"))
def mode(input, dim=-1, keepdim=False):
    one("mode", dim)
    dims, shape = over("mode", input, dim, keepdim)
    refuse_filled("mode", input, "c")
    reduce.require_nonempty("mode", input.shape, dims, dim)
    return _Mode(Out(shape, input.dtype), Out(shape, int64))


def _quantile(name: str) -> None:
    def rule(input, q, dim=None, keepdim=False, *, interpolation="linear"):
        one(name, dim)
        if input.dtype.name not in ("float32", "float64"):
            raise Fault(
                f"{name}: input must be float32 or float64, but is {input.dtype.name}", FaultCode.UNSUPPORTED_DTYPE
            )
        _, shape = over(name, input, dim, keepdim)
        reduce.require_nonempty(name, input.shape, (), None)
        if interpolation not in ("linear", "lower", "higher", "midpoint", "nearest"):
            raise Fault(f"{name}: unknown interpolation {interpolation!r}", FaultCode.INVALID_ARGUMENT)
        if not isinstance(q, Tensor):
            if isinstance(q, (int, float)) and not 0 <= q <= 1:
                raise Fault(f"{name}: q must be between 0 and 1, but is {q}", FaultCode.INVALID_ARGUMENT)
            return Out(shape, input.dtype)
        if q.dtype is not input.dtype:
            raise Fault(f"{name}: q is {q.dtype.name}, but input is {input.dtype.name}", FaultCode.DTYPE_MISMATCH)
        if q.ndim > 1:
            raise Fault(f"{name}: q must have at most 1 dimension, but has {q.ndim}", FaultCode.WRONG_RANK)
        return Out((*q.shape, *shape), input.dtype)

    rule.__name__ = name
    op(*methods(name), strided=True)(rule)


_quantile("quantile")
_quantile("nanquantile")


# Norms and the like


@op(*methods("logsumexp"), "torch.special.logsumexp")
def logsumexp(input, dim, keepdim=False):
    if dim is None:
        raise TypeFault("logsumexp: dim must be given", FaultCode.MISSING_ARGUMENT)
    dims, shape = over("logsumexp", input, dim, keepdim)
    dtype = float_type(input.dtype)

    def numbers(np: Any, a: Any, axis: Any) -> Any:
        top = np.max(a, axis, keepdims=True, initial=-np.inf)
        top = np.where(np.isfinite(top), top, 0)
        return np.log(np.sum(np.exp(a - top), axis)) + top.reshape(np.sum(a, axis).shape)

    return Out(shape, dtype, None if dtype.is_complex else numbers_over(dtype, numbers, input, dims))


@op("torch.norm", "torch.functional.norm", "torch.Tensor.norm")
def norm(input, p="fro", dim=None, keepdim=False, out=None, dtype=None):
    _floating("norm", input)
    dims, shape = over("norm", input, dim, keepdim)
    if isinstance(p, str) and p not in ("fro", "nuc"):
        raise Fault(f"norm: p must be a number, 'fro' or 'nuc', but is {p!r}", FaultCode.INVALID_ARGUMENT)
    if p == "nuc" and len(dims) != 2:
        raise Fault(f"norm: p='nuc' is over 2 dimensions, but {len(dims)} are given", FaultCode.WRONG_RANK)
    made = (dtype or input.dtype).to_real()
    if p == "nuc":
        return Out(shape, made)
    power = 2.0 if p in ("fro", None) else p

    def numbers(np: Any, a: Any, axis: Any) -> Any:
        size = np.abs(a)
        if power == np.inf:
            return np.max(size, axis)
        if power == -np.inf:
            return np.min(size, axis)
        if power == 0:
            return np.sum(size != 0, axis)
        return np.sum(size**power, axis) ** (1 / power)

    return Out(shape, made, numbers_over(input.dtype, numbers, input, dims))


@op("torch.frobenius_norm")
def frobenius_norm(input, dim=None, keepdim=False):
    return rule_of(norm)(input, "fro", dim, keepdim)


@op("torch.nuclear_norm")
def nuclear_norm(input, dim=None, keepdim=False):
    return rule_of(norm)(input, "nuc", dim, keepdim)


@op(*methods("dist"))
def dist(input, other, p=2):
    _, dtype = common("dist", input, other)
    return Out((), dtype.to_real())


@op(*methods("trace"))
def trace(input):
    if len(input.shape) != 2:
        raise Fault(f"trace: needs a matrix, but the input has {len(input.shape)} dimensions", FaultCode.WRONG_RANK)
    return Out((), summed(input.dtype), compute(lambda np, a: np.trace(a), input))


@elementwise(*methods("renorm"), inplace=True)
def renorm(input, p, dim, maxnorm):
    _floating("renorm", input)
    rank = len(input.shape)
    if rank < 2:
        raise Fault(f"renorm: needs at least 2 dimensions, but the input has {rank}", FaultCode.WRONG_RANK)
    reduce.axis("renorm", dim, rank)
    return Out(input.shape, input.dtype)
