"""Elementwise functions of two tensors, or of a tensor and a number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core import dtype as kinds
from cutaway.core.fault import ArgumentFault, Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.protocols import is_tensor
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.torch.elementwise.rows import (
    NUMBERS,
    at,
    common,
    elementwise,
    fit,
    operand,
    refuse,
    rule_of,
    tensor,
)
from cutaway.knowledge.torch.tensor.op import Out, inplace_op, op, temporary
from cutaway.knowledge.torch.tensor.promote import float_type
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import DTYPES, DType, bool_, float64

Numbers = Callable[..., Any] | None


def _same(dtype: DType) -> DType:
    return dtype


def _bool(dtype: DType) -> DType:
    return bool_


def _require_tensor(name: str, which: str, value: Any) -> None:
    if isinstance(value, NUMBERS):
        if is_tensor(value):
            raise Undecidable(Unknown("the tensor of another framework"))
        raise TypeFault(f"{name}: {which} must be a tensor, but got {type(value).__name__}", FaultCode.WRONG_TYPE)


def _refuse_zero(name: str, dtype: DType, divisor: Any) -> None:
    """Raise where integers are definitely divided by 0."""
    if dtype.is_floating_point or dtype.is_complex:
        return
    if isinstance(divisor, Tensor):
        zero = divisor.values_ is not None and bool((divisor.array() == 0).any())
    else:
        zero = isinstance(divisor, int) and divisor == 0
    if zero:
        raise Fault(f"{name}: integers are divided by 0", FaultCode.DIVISION_BY_ZERO)


def _binary(
    names: str,
    result: Callable[[DType], DType],
    numbers: Numbers,
    refused: str = "",
    *,
    tensors: str = "",
    inplace: bool = True,
    inplace_function: bool = False,
    wide: bool = True,
    real_numbers: bool = False,
    divides: bool = False,
    special: str = "",
) -> None:
    """Enter one function; `tensors` names the parameters that may not be numbers."""
    short = names.split()
    rows = [f"{owner}.{n}" for n in short for owner in ("torch", "torch.Tensor")]
    rows += [f"torch.special.{n}" for n in special.split()]

    def rule(input, other):
        name = rule.__name__
        left, right = operand(name, input), operand(name, other)
        if "input" in tensors:
            _require_tensor(name, "input", left)
        if "other" in tensors:
            _require_tensor(name, "other", right)
        shape, dtype = common(name, left, right)
        if refused:
            refuse(name, dtype, refused)
        if divides:
            _refuse_zero(name, dtype, right)
        made = result(dtype)
        work = made if result is float_type else dtype
        if numbers is None or (real_numbers and dtype.is_complex):
            return Out(shape, made)
        return Out(shape, made, at(work, numbers, left, right, wide=wide))

    rule.__name__ = short[0]
    elementwise(*rows, inplace=inplace, inplace_function=inplace_function)(rule)


_binary("mul multiply", _same, lambda np, a, b: a * b)
_binary("remainder", _same, lambda np, a, b: np.mod(a, b), "bc", wide=False, divides=True)
_binary("fmod", _same, lambda np, a, b: np.fmod(a, b), "bc", tensors="input", divides=True)
_binary("floor_divide", _same, lambda np, a, b: np.floor_divide(a, b), "bc", wide=False, divides=True)

for _names, _numbers in {
    "maximum": lambda np, a, b: np.maximum(a, b),
    "minimum": lambda np, a, b: np.minimum(a, b),
    "fmax": lambda np, a, b: np.fmax(a, b),
    "fmin": lambda np, a, b: np.fmin(a, b),
}.items():
    _binary(_names, _same, _numbers, "c", tensors="input other", inplace=False)

_binary("atan2 arctan2", float_type, lambda np, a, b: np.arctan2(a, b), "c", tensors="input other")
_binary("copysign", float_type, lambda np, a, b: np.copysign(a, b), "c", tensors="input")
_binary(
    "xlogy",
    float_type,
    lambda np, a, b: np.where((a == 0) & ~np.isnan(b), 0, a * np.log(b)),
    "c",
    special="xlogy",
    inplace_function=True,
)
_binary("hypot", _same, lambda np, a, b: np.hypot(a, b), "bic", tensors="input other")
_binary("nextafter", _same, lambda np, a, b: np.nextafter(a, b), "bic", tensors="input other", wide=False)
_binary(
    "logaddexp",
    _same,
    lambda np, a, b: np.logaddexp(a, b),
    "bi",
    tensors="input other",
    inplace=False,
    real_numbers=True,
)
_binary("logaddexp2", _same, lambda np, a, b: np.logaddexp2(a, b), "bic", tensors="input other", inplace=False)
_binary("igamma", _same, None, "bic", tensors="input other", special="gammainc")
_binary("igammac", _same, None, "bic", tensors="input other", special="gammaincc")
_binary("ldexp", float_type, lambda np, a, b: a * np.exp2(b), tensors="input other", inplace_function=True)
_binary("gcd", _same, lambda np, a, b: np.gcd(a, b), "bfc", tensors="input other", inplace_function=True)
_binary("lcm", _same, lambda np, a, b: np.lcm(a, b), "bfc", tensors="input other", inplace_function=True)

_binary("bitwise_and", _same, lambda np, a, b: a & b, "fc")
_binary("bitwise_or", _same, lambda np, a, b: a | b, "fc")
_binary("bitwise_xor", _same, lambda np, a, b: a ^ b, "fc")
_binary("bitwise_left_shift", _same, lambda np, a, b: a << b, "bfc")
_binary("bitwise_right_shift", _same, lambda np, a, b: a >> b, "bfc")
_binary("eq", _bool, lambda np, a, b: a == b, tensors="input")
_binary("ne not_equal", _bool, lambda np, a, b: a != b, tensors="input")
_binary("lt less", _bool, lambda np, a, b: a < b, "c", tensors="input")
_binary("le less_equal", _bool, lambda np, a, b: a <= b, "c", tensors="input")
_binary("gt greater", _bool, lambda np, a, b: a > b, "c", tensors="input")
_binary("ge greater_equal", _bool, lambda np, a, b: a >= b, "c", tensors="input")


def _logical(name: str, numbers: Callable[..., Any]) -> None:
    """Enter a function of truth values; each operand is judged in its own dtype."""

    def rule(input, other):
        left, right = operand(name, input), operand(name, other)
        _require_tensor(name, "other", right)
        shape, _ = common(name, left, right)
        return Out(shape, bool_, at(bool_, numbers, left, right))

    rule.__name__ = name
    elementwise(f"torch.{name}", f"torch.Tensor.{name}", inplace=True)(rule)


_logical("logical_and", lambda np, a, b: a & b)
_logical("logical_or", lambda np, a, b: a | b)
_logical("logical_xor", lambda np, a, b: a ^ b)


def _special(name: str, refused: str) -> None:
    def rule(input, other):
        left, right = operand(name, input), operand(name, other)
        shape, dtype = common(name, left, right)
        refuse(name, dtype, refused)
        return Out(shape, float_type(dtype))

    def polynomial(x, n):
        return rule(x, n)

    chosen = polynomial if "polynomial" in name else rule
    chosen.__name__ = name
    op(f"torch.special.{name}")(chosen)


_special("xlog1py", "c")
for _name in (
    "chebyshev_polynomial_t chebyshev_polynomial_u chebyshev_polynomial_v chebyshev_polynomial_w "
    "hermite_polynomial_h hermite_polynomial_he laguerre_polynomial_l legendre_polynomial_p "
    "shifted_chebyshev_polynomial_t shifted_chebyshev_polynomial_u shifted_chebyshev_polynomial_v "
    "shifted_chebyshev_polynomial_w zeta"
).split():
    _special(_name, "ch")


def _check_alpha(name: str, dtype: DType, alpha: Any) -> None:
    if isinstance(alpha, complex) and not dtype.is_complex:
        raise Fault(f"{name}: alpha is complex, but the operands are {dtype.name}", FaultCode.DTYPE_MISMATCH)
    if isinstance(alpha, float) and not (dtype.is_floating_point or dtype.is_complex):
        raise Fault(f"{name}: alpha is a float, but the operands are {dtype.name}", FaultCode.DTYPE_MISMATCH)


def _refuse_bool(name: str, *operands: Any) -> None:
    for value in operands:
        if isinstance(value, bool) or (isinstance(value, Tensor) and value.dtype is bool_):
            raise Fault(
                f"{name}: subtraction with a bool operand is not supported; use ~ or logical_not to invert a mask",
                FaultCode.UNSUPPORTED_DTYPE,
            )


@elementwise("torch.add", "torch.Tensor.add", inplace=True)
def add(input, other, *, alpha=1):
    left, right = operand("add", input), operand("add", other)
    shape, dtype = common("add", left, right)
    _check_alpha("add", dtype, alpha)
    numbers = lambda np, a, b, k: a + (k * b if alpha != 1 else b)
    return Out(shape, dtype, at(dtype, numbers, left, right, alpha))


@elementwise("torch.sub", "torch.Tensor.sub", "torch.subtract", "torch.Tensor.subtract", inplace=True)
def sub(input, other, *, alpha=1):
    left, right = operand("sub", input), operand("sub", other)
    shape, dtype = common("sub", left, right)
    _refuse_bool("sub", left, right)
    _check_alpha("sub", dtype, alpha)
    return Out(shape, dtype, at(dtype, lambda np, a, b, k: a - k * b, left, right, alpha))


@op("torch.rsub")
def rsub(input, other, *, alpha=1):
    left, right = operand("rsub", input), operand("rsub", other)
    shape, dtype = common("rsub", left, right)
    _refuse_bool("rsub", left, right)
    _check_alpha("rsub", dtype, alpha)
    return Out(shape, dtype, at(dtype, lambda np, a, b, k: b - k * a, left, right, alpha))


@elementwise(
    "torch.div", "torch.Tensor.div", "torch.divide", "torch.Tensor.divide",
    "torch.true_divide", "torch.Tensor.true_divide", inplace=True,
)  # fmt: skip
def div(input, other, *, rounding_mode=None):
    left, right = operand("div", input), operand("div", other)
    shape, dtype = common("div", left, right)
    if rounding_mode is None:
        dtype = float_type(dtype)
        return Out(shape, dtype, at(dtype, lambda np, a, b: a / b, left, right))
    if rounding_mode not in ("trunc", "floor"):
        raise Fault(
            f"div: rounding_mode must be None, 'trunc' or 'floor', but got {rounding_mode!r}",
            FaultCode.INVALID_ARGUMENT,
        )
    refuse("div", dtype, "bc" if rounding_mode == "floor" else "c")
    _refuse_zero("div", dtype, right)
    if rounding_mode == "floor":
        return Out(shape, dtype, at(dtype, lambda np, a, b: np.floor_divide(a, b), left, right, wide=False))
    return Out(shape, dtype, at(dtype, _divide_and_truncate, left, right, wide=False))


def _divide_and_truncate(np: Any, a: Any, b: Any) -> Any:
    if a.dtype.kind == "f":
        return np.trunc(a / b)
    return (a - np.fmod(a, b)) // b


@op("torch.Tensor.__rdiv__")
def rdiv(self, other):
    """torch multiplies by the rounded reciprocal."""
    tensor("div", self, "self")
    right = operand("div", other)
    inverse = float_type(self.dtype)
    shape, dtype = common("div", self, right)
    dtype = float_type(dtype)
    numbers = lambda np, a, b: (1 / a.astype(inverse.name)).astype(dtype.name) * b.astype(dtype.name)
    reciprocal = temporary(self.shape, inverse.name)
    return Out(shape, dtype, at(dtype, numbers, self, right, wide=False), temporaries=[reciprocal])


def _power(input, exponent):
    base, power = operand("pow", input), operand("pow", exponent)
    shape, dtype = common("pow", base, power)
    if isinstance(power, NUMBERS):
        if isinstance(power, int) and power < 0 and kinds.category(dtype.name) <= kinds.INTEGER:
            raise Fault("pow: integers to negative integer powers are not allowed", FaultCode.INVALID_ARGUMENT)
    else:
        refuse("pow", dtype, "b")
    return Out(shape, dtype, at(dtype, _raised, base, power))


_power.__name__ = "pow"
elementwise("torch.pow", "torch.Tensor.pow", inplace=True)(_power)


def _raised(np: Any, a: Any, b: Any) -> Any:
    if a.dtype.kind == "b":
        return a | ~b
    if a.dtype.kind not in "iu" or not (b < 0).any():
        return np.power(a, b)
    inverse = np.where(a == 1, 1, np.where(a == -1, np.where(b % 2 == 0, 1, -1), 0))
    return np.where(b < 0, inverse, np.power(a, np.maximum(b, 0)))


@elementwise("torch.float_power", "torch.Tensor.float_power")
def float_power(input, exponent):
    base, power = operand("float_power", input), operand("float_power", exponent)
    shape, dtype = common("float_power", base, power)
    dtype = DTYPES["complex128"] if dtype.is_complex else float64
    return Out(shape, dtype, None if dtype.is_complex else at(dtype, lambda np, a, b: np.power(a, b), base, power))


@inplace_op("torch.Tensor.float_power_")
def float_power_(self, exponent):
    result = rule_of(float_power)(self, exponent)
    if self.dtype is not result.dtype:
        raise Fault(
            f"float_power_: the result is {result.dtype.name}, but the tensor it is written to is {self.dtype.name}",
            FaultCode.DTYPE_MISMATCH,
        )
    return fit("float_power_", self, result)


@elementwise("torch.heaviside", "torch.Tensor.heaviside", inplace=True)
def heaviside(input, values):
    tensor("heaviside", input), tensor("heaviside", values, "values")
    if input.dtype is not values.dtype:
        raise Fault(
            f"heaviside: input is {input.dtype.name}, but values is {values.dtype.name}; they must be the same",
            FaultCode.DTYPE_MISMATCH,
        )
    refuse("heaviside", input.dtype, "c")
    shape, dtype = common("heaviside", input, values)
    return Out(shape, dtype, at(dtype, lambda np, a, b: np.where(a == 0, b, a > 0), input, values))


@op("torch.isclose", "torch.Tensor.isclose")
def isclose(input, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    tensor("isclose", input), tensor("isclose", other, "other")
    if input.dtype is not other.dtype:
        raise Fault(
            f"isclose: input is {input.dtype.name}, but other is {other.dtype.name}; they must be the same",
            FaultCode.DTYPE_MISMATCH,
        )
    if rtol < 0 or atol < 0:
        raise ArgumentFault("isclose: rtol and atol must not be negative", FaultCode.INVALID_ARGUMENT)
    shape, dtype = common("isclose", input, other)
    numbers = lambda np, a, b: np.isclose(a, b, rtol, atol, equal_nan)
    return Out(shape, bool_, at(dtype, numbers, input, other))
