"""Elementwise functions of one tensor."""

from __future__ import annotations

import math
from collections import namedtuple
from collections.abc import Callable
from typing import Any

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.base.registry import register
from cutaway.knowledge.torch.elementwise.rows import at, elementwise, refuse, tensor
from cutaway.knowledge.torch.tensor.op import Out, compute, inplace_op, op
from cutaway.knowledge.torch.tensor.promote import float_type
from cutaway.knowledge.torch.tensor.tensor import attach_method
from cutaway.knowledge.torch.tensor.types import DTYPES, DType, bool_, int64

Numbers = Callable[..., Any] | None


def _same(dtype: DType) -> DType:
    return dtype


def _bool(dtype: DType) -> DType:
    return bool_


def _elements(function: Callable[[float], float]) -> Callable[..., Any]:
    """Make a function of arrays from one of `math`; what it rejects is not a number."""

    def value(x: float) -> float:
        try:
            return function(x)
        except (ValueError, OverflowError):
            return math.inf if x > 0 or function is math.lgamma else math.nan

    return lambda np, a: np.vectorize(value, otypes=["float64"])(a)


def _unary(
    names: str,
    result: Callable[[DType], DType],
    numbers: Numbers,
    refused: str = "",
    *,
    inplace: bool = True,
    method_only: bool = False,
    special: str = "",
) -> None:
    """Enter one function: `names` are its names in `torch` and `Tensor`, `special` those in `torch.special`."""
    short = names.split()
    rows = [f"{owner}.{n}" for n in short for owner in ("torch", "torch.Tensor")]
    rows += [f"torch.special.{n}" for n in special.split()]

    def rule(input):
        dtype = tensor(rule.__name__, input).dtype
        if refused:
            refuse(rule.__name__, dtype, refused)
        made = result(dtype)
        work = made if result is float_type else dtype
        return Out(input.shape, made, None if numbers is None else at(work, numbers, input))

    rule.__name__ = short[0]
    elementwise(*rows, inplace=inplace, inplace_function=inplace and not method_only)(rule)


def _sigmoid(np: Any, a: Any) -> Any:
    return 1 / (1 + np.exp(-a))


# Always floating
for _names, _numbers in {
    "sqrt": lambda np, a: np.sqrt(a),
    "rsqrt": lambda np, a: 1 / np.sqrt(a),
    "exp": lambda np, a: np.exp(a),
    "log": lambda np, a: np.log(a),
    "log2": lambda np, a: np.log2(a),
    "log10": lambda np, a: np.log10(a),
    "sin": lambda np, a: np.sin(a),
    "cos": lambda np, a: np.cos(a),
    "tan": lambda np, a: np.tan(a),
    "asin arcsin": lambda np, a: np.arcsin(a),
    "acos arccos": lambda np, a: np.arccos(a),
    "atan arctan": lambda np, a: np.arctan(a),
    "sinh": lambda np, a: np.sinh(a),
    "cosh": lambda np, a: np.cosh(a),
    "tanh": lambda np, a: np.tanh(a),
    "asinh arcsinh": lambda np, a: np.arcsinh(a),
    "acosh arccosh": lambda np, a: np.arccosh(a),
    "atanh arctanh": lambda np, a: np.arctanh(a),
    "reciprocal": lambda np, a: 1 / a,
}.items():
    _unary(_names, float_type, _numbers)
_unary("exp2", float_type, lambda np, a: np.exp2(a), special="exp2")
_unary("expm1", float_type, lambda np, a: np.expm1(a), special="expm1")
_unary("log1p", float_type, lambda np, a: np.log1p(a), special="log1p")
_unary("sinc", float_type, None, special="sinc")
_unary("sigmoid", float_type, _sigmoid, special="expit")
_unary("deg2rad", float_type, lambda np, a: a * (math.pi / 180), "c")
_unary("rad2deg", float_type, lambda np, a: a * (180 / math.pi), "c")
_unary("erf", float_type, _elements(math.erf), "c", special="erf")
_unary("erfc", float_type, _elements(math.erfc), "c", special="erfc")
_unary("i0", float_type, None, "c", special="i0")
_unary("erfinv", float_type, None, "c", special="erfinv", method_only=True)
_unary("lgamma", float_type, _elements(math.lgamma), "c", special="gammaln", method_only=True)
_unary("digamma", float_type, None, "c", special="digamma psi", method_only=True)

# Of the input's own dtype
_unary("neg negative", _same, lambda np, a: -a, "b")
_unary("ceil", _same, lambda np, a: np.ceil(a), "bc")
_unary("floor", _same, lambda np, a: np.floor(a), "bc")
_unary("trunc fix", _same, lambda np, a: np.trunc(a), "bc")
_unary("frac", _same, lambda np, a: a - np.trunc(a), "bic")
_unary("sign", _same, lambda np, a: a if a.dtype == bool else np.sign(a), "c", method_only=True)
_unary("sgn", _same, lambda np, a: a if a.dtype == bool else _direction(np, a), method_only=True)
_unary("bitwise_not", _same, lambda np, a: ~a, "fc", method_only=True)
_unary("abs", DType.to_real, lambda np, a: np.abs(a), "b")
_unary("absolute", DType.to_real, lambda np, a: np.abs(a), "b", method_only=True)
_unary("square", lambda d: int64 if d is bool_ else d, lambda np, a: a * a if a.dtype != bool else a)
_unary("angle", lambda d: float_type(d).to_real(), lambda np, a: np.angle(a), inplace=False)

# Questions
_unary("isnan", _bool, lambda np, a: np.isnan(a), inplace=False)
_unary("isinf", _bool, lambda np, a: np.isinf(a), inplace=False)
_unary("isfinite", _bool, lambda np, a: np.isfinite(a), inplace=False)
_unary("isposinf", _bool, lambda np, a: np.isinf(a) & (a > 0), "c", inplace=False)
_unary("isneginf", _bool, lambda np, a: np.isinf(a) & (a < 0), "c", inplace=False)
_unary("isreal", _bool, lambda np, a: np.isreal(a), inplace=False)
_unary("signbit", _bool, lambda np, a: np.signbit(a) if a.dtype.kind == "f" else a < 0, "c", inplace=False)
_unary("logical_not", _bool, lambda np, a: a == 0, method_only=True)


def _direction(np: Any, a: Any) -> Any:
    if a.dtype.kind != "c":
        return np.sign(a)
    return np.where(a == 0, 0, a / np.where(a == 0, 1, np.abs(a)))


def _special(name: str, refused: str) -> None:
    def rule(input):
        refuse(name, tensor(name, input).dtype, refused)
        return Out(input.shape, float_type(input.dtype))

    def of_x(x):
        return rule(x)

    chosen = of_x if name in _OF_X else rule
    chosen.__name__ = name
    op(f"torch.special.{name}")(chosen)


_OF_X = ("airy_ai", "scaled_modified_bessel_k0", "scaled_modified_bessel_k1", "spherical_bessel_j0")
for _name in "entr i0e i1 i1e ndtr".split():
    _special(_name, "c")
for _name in (
    "airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 erfcx log_ndtr modified_bessel_i0 modified_bessel_i1 "
    "modified_bessel_k0 modified_bessel_k1 ndtri scaled_modified_bessel_k0 scaled_modified_bessel_k1 "
    "spherical_bessel_j0"
).split():
    _special(_name, "ch")


@op("torch.conj", "torch.Tensor.conj")
def conj(input):
    if not tensor("conj", input).dtype.is_complex:
        return input
    return Out(input.shape, input.dtype, compute(lambda np, a: a.conj(), input), view=True)


def _conjugated(input):
    return Out(input.shape, input.dtype, compute(lambda np, a: a.conj(), input))


@op("torch.conj_physical", "torch.Tensor.conj_physical")
def conj_physical(input):
    return _conjugated(input) if tensor("conj_physical", input).dtype.is_complex else input


@inplace_op("torch.Tensor.conj_physical_", "torch.conj_physical_")
def conj_physical_(input):
    return _conjugated(tensor("conj_physical_", input))


@op("torch.positive", "torch.Tensor.positive")
def positive(input):
    refuse("positive", tensor("positive", input).dtype, "b")
    return input


@op("torch.resolve_conj", "torch.Tensor.resolve_conj", "torch.resolve_neg", "torch.Tensor.resolve_neg")
def resolve_conj(input):
    return tensor("resolve_conj", input)


@op("torch.real")
def real(input):
    if not tensor("real", input).dtype.is_complex:
        return input
    return Out(input.shape, input.dtype.to_real(), compute(lambda np, a: a.real, input), view=True)


@op("torch.imag")
def imag(input):
    if not tensor("imag", input).dtype.is_complex:
        raise Fault(f"imag: needs a complex tensor, but got {input.dtype.name}", FaultCode.UNSUPPORTED_DTYPE)
    return Out(input.shape, input.dtype.to_real(), compute(lambda np, a: a.imag, input), view=True)


attach_method("real", property(real))
attach_method("imag", property(imag))


@elementwise("torch.round", "torch.Tensor.round", inplace_function=True)
def round(input, *, decimals=0):
    refuse("round", tensor("round", input).dtype, "bc" if decimals == 0 else "bic")
    if input.dtype.is_floating_point and decimals != 0:
        return Out(input.shape, input.dtype, compute(lambda np, a: _round_decimals(np, a, decimals), input))
    return Out(input.shape, input.dtype, compute(lambda np, a: np.rint(a), input))


def _round_decimals(np: Any, a: Any, decimals: int) -> Any:
    scale = a.dtype.type(10.0 ** abs(decimals))
    return np.rint(a * scale) / scale if decimals > 0 else np.rint(a / scale) * scale


@op("torch.special.round")
def special_round(input, *, decimals=0):
    refuse("special.round", tensor("special.round", input).dtype, "bic")
    return Out(input.shape, input.dtype, compute(lambda np, a: _round_decimals(np, a, decimals), input))


@elementwise("torch.nan_to_num", "torch.Tensor.nan_to_num", inplace_function=True)
def nan_to_num(input, nan=None, posinf=None, neginf=None):
    dtype = tensor("nan_to_num", input).dtype
    if not dtype.is_floating_point:
        return Out(input.shape, dtype, compute(lambda np, a: np.nan_to_num(a), input))
    replace = {"nan": 0.0 if nan is None else nan, "posinf": posinf, "neginf": neginf}
    return Out(input.shape, dtype, compute(lambda np, a: np.nan_to_num(a, **replace), input))


@elementwise("torch.logit", "torch.Tensor.logit", "torch.special.logit", inplace_function=True)
def logit(input, eps=None):
    refuse("logit", tensor("logit", input).dtype, "c")

    def numbers(np: Any, a: Any) -> Any:
        a = a if eps is None else np.where(a < eps, eps, np.where(a > 1 - eps, 1 - eps, a))
        return np.log(a / (1 - a))

    dtype = float_type(input.dtype)
    return Out(input.shape, dtype, at(dtype, numbers, input))


_Frexp = namedtuple("frexp", ["mantissa", "exponent"])  # type: ignore[name-match]
register("torch.return_types.frexp", _Frexp)


@op("torch.frexp", "torch.Tensor.frexp")
def frexp(input):
    refuse("frexp", tensor("frexp", input).dtype, "bic")
    return _Frexp(
        Out(input.shape, input.dtype, compute(lambda np, a: np.frexp(a)[0], input)),
        Out(input.shape, DTYPES["int32"], compute(lambda np, a: np.frexp(a)[1], input)),
    )


@elementwise("torch.mvlgamma", "torch.Tensor.mvlgamma", "torch.special.multigammaln", inplace=True)
def mvlgamma(input, p):
    refuse("mvlgamma", tensor("mvlgamma", input).dtype, "c")
    return Out(input.shape, float_type(input.dtype))


@op("torch.polygamma", "torch.special.polygamma")
def polygamma(n, input):
    refuse("polygamma", tensor("polygamma", input).dtype, "c")
    return Out(input.shape, float_type(input.dtype))


@elementwise("torch.Tensor.polygamma", inplace=True)
def _polygamma(self, n):
    refuse("polygamma", self.dtype, "c")
    return Out(self.shape, float_type(self.dtype))


_polygamma.__name__ = "polygamma"
