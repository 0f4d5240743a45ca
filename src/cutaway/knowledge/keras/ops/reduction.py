"""Functions that reduce dimensions of a tensor, and running sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core.size.dim import product
from cutaway.knowledge.keras.tensors.dtypes import DTYPES, DType, promote, standardize, to_float
from cutaway.knowledge.keras.tensors.op import Out, compute, op
from cutaway.knowledge.keras.tensors.tensor import convert
from cutaway.ops.reduce import axes, axis, reduced


def over(name: str, x: Any, dims: Any) -> tuple[int, ...]:
    """Return the dimensions that an `axis` argument names; an empty one names none."""
    if isinstance(dims, (list, tuple)) and not dims:
        return ()
    held = getattr(dims, "sizes", None)
    return axes(name, held() if held is not None else dims, len(x._shape))


def _summed(dtype: DType) -> DType:
    if dtype in ("bool", "int8", "int16"):
        return DTYPES["int32"]
    return DTYPES["uint32"] if dtype in ("uint8", "uint16") else dtype


def reduction(name: str, dtype: Callable[[DType], Any], numbers: str | None) -> Callable[..., Any]:
    """Make the rule of a reduction."""

    def rule(x: Any, axis: Any = None, keepdims: bool = False) -> Out:
        x = convert(x)
        gone = over(name, x, axis)
        values = None
        if numbers is not None:
            values = compute(lambda np, a: getattr(np, numbers)(a, axis=gone, keepdims=bool(keepdims)), x)
        return Out(reduced(x._shape, gone, bool(keepdims)), dtype(x._dtype), values)

    rule.__name__ = name
    return rule


for _name in "mean median".split():
    op(f"keras.ops.{_name}")(reduction(_name, to_float, _name))
for _name in "std var".split():
    op(f"keras.ops.{_name}")(reduction(_name, to_float, _name))
op("keras.ops.logsumexp")(reduction("logsumexp", lambda _: DTYPES["float32"], None))
for _name in "any all".split():
    op(f"keras.ops.{_name}")(reduction(_name, lambda _: DTYPES["bool"], _name))
op("keras.ops.count_nonzero")(
    lambda x, axis=None: reduction("count_nonzero", lambda _: DTYPES["int32"], "count_nonzero")(x, axis)
)


@op("keras.ops.max")
def max_(x, axis=None, keepdims=False, initial=None):
    return reduction("max", lambda d: d, "max")(x, axis, keepdims)


@op("keras.ops.min")
def min_(x, axis=None, keepdims=False, initial=None):
    return reduction("min", lambda d: d, "min")(x, axis, keepdims)


for _name in ("amax", "amin"):
    op(f"keras.ops.{_name}")(reduction(_name, lambda d: d, _name))


@op("keras.ops.sum")
def sum_(x, axis=None, keepdims=False):
    return reduction("sum", _summed, "sum")(x, axis, keepdims)


@op("keras.ops.prod")
def prod(x, axis=None, keepdims=False, dtype=None):
    made = reduction("prod", _summed, "prod")(x, axis, keepdims)
    if dtype is not None:
        made.dtype = standardize(dtype)
    return made


@op("keras.ops.average")
def average(x, axis=None, weights=None):
    x = convert(x)
    kinds = [x._dtype, float] + ([convert(weights)._dtype] if weights is not None else [])
    return Out(reduced(x._shape, over("average", x, axis), False), promote(*kinds))


@op("keras.ops.quantile")
def quantile(x, q, axis=None, method="linear", keepdims=False):
    x, q = convert(x), convert(q)
    kept = reduced(x._shape, over("quantile", x, axis), bool(keepdims))
    return Out((*q._shape, *kept), to_float(x._dtype))


@op("keras.ops.norm")
def norm(x, ord=None, axis=None, keepdims=False):
    x = convert(x)
    return Out(reduced(x._shape, over("norm", x, axis), bool(keepdims)), to_float(x._dtype))


def _arg(name: str) -> Callable[..., Any]:
    def rule(x: Any, axis: Any = None, keepdims: bool = False) -> Out:
        x = convert(x)
        gone = over(name, x, axis)
        return Out(reduced(x._shape, gone, bool(keepdims)), DTYPES["int32"])

    rule.__name__ = name
    return rule


for _name in ("argmax", "argmin"):
    op(f"keras.ops.{_name}")(_arg(_name))


def _scan(name: str) -> Callable[..., Any]:
    def rule(x: Any, axis: Any = None, dtype: Any = None) -> Out:
        x = convert(x)
        if axis is None:
            shape: Any = (product(x._shape),)
        else:
            _axis(name, axis, len(x._shape))
            shape = x._shape
        kind = standardize(dtype) if dtype is not None else x._dtype
        kind = DTYPES["int32"] if kind == "bool" else kind
        values = compute(lambda np, a: getattr(np, name)(a, axis=axis), x)
        return Out(shape, kind, values)

    rule.__name__ = name
    return rule


_axis = axis
for _name in ("cumsum", "cumprod"):
    op(f"keras.ops.{_name}")(_scan(_name))


for _name in "nanmean nanmedian nanstd nanvar ptp".split():
    op(f"keras.ops.{_name}")(reduction(_name, (lambda d: d) if _name == "ptp" else to_float, None))
for _name in "nanmax nanmin".split():
    op(f"keras.ops.{_name}")(reduction(_name, lambda d: d, None))
for _name in "nansum nanprod".split():
    op(f"keras.ops.{_name}")(reduction(_name, _summed, None))
for _name in ("nanargmax", "nanargmin"):
    op(f"keras.ops.{_name}")(_arg(_name))


@op("keras.ops.percentile")
def percentile(x, q, axis=None, method="linear", keepdims=False):
    x, q = convert(x), convert(q)
    return Out((*q._shape, *reduced(x._shape, over("percentile", x, axis), bool(keepdims))), to_float(x._dtype))
