"""Functions of one tensor that keep its shape: arithmetic, rounding, tests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.knowledge.keras.tensors.dtypes import DTYPES, DType, standardize, to_float
from cutaway.knowledge.keras.tensors.op import Out, compute, op
from cutaway.knowledge.keras.tensors.tensor import convert

# Name -> numpy's name where that differs; the result is of a float type.
_FLOAT = """arccos arccosh arcsin arcsinh arctan arctanh cos cosh exp exp2 expm1 log log10 log1p log2 sin sinh sqrt tan
tanh floor ceil sinc deg2rad rad2deg angle nan_to_num""".split()
_KEPT_WITHOUT_NUMBERS = "rsqrt erf erfinv".split()
_SAME = "negative sign conjugate real imag trunc invert bitwise_not bitwise_invert positive flip_sign".split()
_TESTS = "isfinite isinf isnan isneginf isposinf isreal logical_not".split()


def unary(name: str, dtype: Callable[[DType], Any], numbers: str | None) -> Callable[..., Any]:
    """Make the rule of a function of one tensor."""

    def rule(x: Any) -> Out:
        x = convert(x)
        values = None if numbers is None else compute(lambda np, a: getattr(np, numbers)(a), x)
        return Out(x._shape, dtype(x._dtype), values)

    rule.__name__ = name
    return rule


def _same(dtype: DType) -> DType:
    return dtype


def _sign(dtype: DType) -> DType:
    return DTYPES["int32"] if dtype == "bool" else dtype


for _name in _FLOAT:
    op(f"keras.ops.{_name}")(unary(_name, to_float, None if _name in ("angle",) else _name))
for _name in _KEPT_WITHOUT_NUMBERS:
    op(f"keras.ops.{_name}")(unary(_name, _same, None))
op("keras.ops.cbrt")(unary("cbrt", lambda dtype: DTYPES["float64"] if dtype == "int64" else to_float(dtype), "cbrt"))
for _name in _SAME[:-1]:
    op(
        f"keras.ops.{_name}",
        methods=("__neg__",) if _name == "negative" else ("__invert__",) if _name == "invert" else (),
    )(unary(_name, _same, {"bitwise_not": "invert", "bitwise_invert": "invert"}.get(_name, _name)))
for _name in _TESTS:
    op(f"keras.ops.{_name}")(unary(_name, lambda _: DTYPES["bool"], _name))
op("keras.ops.conj", node="conjugate")(unary("conj", _same, "conj"))


@op("keras.ops.absolute", methods=("__abs__",))
def absolute(x):
    x = convert(x)
    return Out(x._shape, x._dtype, compute(lambda np, a: np.abs(a), x))


@op("keras.ops.abs", node="absolute")
def abs_(x):
    return absolute.__wrapped__(x)


@op("keras.ops.square")
def square(x):
    x = convert(x)
    return Out(x._shape, _sign(x._dtype), compute(lambda np, a: np.square(a), x))


@op("keras.ops.reciprocal")
def reciprocal(x):
    x = convert(x)
    return Out(x._shape, to_float(x._dtype), compute(lambda np, a: np.reciprocal(a.astype("float64")), x))


@op("keras.ops.round", methods=("__round__",))
def round_(x, decimals=0):
    x = convert(x)
    return Out(x._shape, _sign(x._dtype), compute(lambda np, a: np.round(a, decimals), x))


@op("keras.ops.clip")
def clip(x, x_min, x_max):
    x = convert(x)
    dtype = DTYPES["int32"] if x._dtype == "bool" else x._dtype
    return Out(x._shape, dtype, compute(lambda np, a, low, high: np.clip(a, low, high), x, x_min, x_max))


@op("keras.ops.cast")
def cast(x, dtype):
    x = convert(x)
    return Out(x._shape, standardize(dtype), x._values, sizes=x._sizes)


@op("keras.ops.stop_gradient")
def stop_gradient(variable):
    x = convert(variable)
    return Out(x._shape, x._dtype, x._values, sizes=x._sizes)


@op("keras.ops.copy")
def copy(x):
    x = convert(x)
    return Out(x._shape, x._dtype, x._values, sizes=x._sizes)
