"""Functions of two tensors that broadcast: arithmetic, comparisons, bits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core.size.dim import Dim, floordiv, maximum, minimum, mod, unknown_size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.keras.tensors.dtypes import DTYPES, floatx, promote, to_float
from cutaway.knowledge.keras.tensors.op import Out, compute, op
from cutaway.knowledge.keras.tensors.tensor import Tensor, convert
from cutaway.ops.elementwise import broadcast

_SIZES: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "floor_divide": floordiv,
    "mod": mod,
    "maximum": maximum,
    "minimum": minimum,
}


def kind_of(value: Any) -> Any:
    """Return the dtype of an operand; Python's own numbers have weak ones."""
    if isinstance(value, Tensor):
        return convert(value)._dtype
    if isinstance(value, bool):
        return DTYPES["bool"]
    if isinstance(value, (int, Dim)):
        return int
    if isinstance(value, float):
        return float
    return convert(value)._dtype


def operands(name: str, x1: Any, x2: Any) -> tuple[Any, Tensor, Tensor]:
    """Return the common shape of two operands, and both as tensors."""
    for value in (x1, x2):
        if isinstance(value, Unknown):
            raise Undecidable(value)
    left, right = convert(x1), convert(x2)
    return broadcast(name, left._shape, right._shape), left, right


def sizes(name: str, left: Tensor, right: Tensor) -> Any:
    """Return the sizes that a function makes of operands that hold sizes."""
    function = _SIZES.get(name)
    if function is None or (left._sizes is None and right._sizes is None):
        return None
    if not (left._dtype.is_integer and right._dtype.is_integer):
        return None
    if max(len(left._shape), len(right._shape)) > 1:
        return None
    a, b = left.sizes(), right.sizes()
    if not isinstance(a, tuple) and not isinstance(b, tuple):
        return function(a, b)
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) != len(b):
        return None
    count = len(a) if isinstance(a, tuple) else len(b)
    one = lambda v, i: v[i] if isinstance(v, tuple) else v
    return tuple(function(one(a, i), one(b, i)) for i in range(count))


def binary(name: str, dtype: Callable[..., Any], numbers: str | None) -> Callable[..., Any]:
    """Make the rule of a function of two tensors."""

    def rule(x1: Any, x2: Any) -> Out:
        shape, left, right = operands(name, x1, x2)
        values = None if numbers is None else compute(lambda np, a, b: getattr(np, numbers)(a, b), left, right)
        return Out(shape, dtype(kind_of(x1), kind_of(x2)), values, sizes=sizes(name, left, right))

    rule.__name__ = name
    return rule


def reflected(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return the operator for a tensor on the right."""
    return lambda self, other: function(other, self)


def _bool(*_dtypes: Any) -> Any:
    return DTYPES["bool"]


def _divided(left: Any, right: Any) -> Any:
    return to_float(promote(left, right, float))


def _float(left: Any, right: Any) -> Any:
    return promote(left, right, float)


_ARITHMETIC = {
    "add": ("add", promote, "add"),
    "subtract": ("subtract", promote, "sub"),
    "multiply": ("multiply", promote, "mul"),
    "true_divide": ("true_divide", _divided, "truediv"),
    "floor_divide": ("floor_divide", promote, "floordiv"),
    "mod": ("mod", promote, "mod"),
    "power": ("power", promote, "pow"),
    "logical_and": ("logical_and", _bool, "and"),
    "logical_or": ("logical_or", _bool, "or"),
    "logical_xor": ("logical_xor", _bool, "xor"),
}
for _name, (_numbers, _dtype, _operator) in _ARITHMETIC.items():
    _made = op(f"keras.ops.{_name}", methods=(f"__{_operator}__",))(binary(_name, _dtype, _numbers))
    setattr(Tensor, f"__r{_operator}__", reflected(_made))
op("keras.ops.divide")(binary("divide", _divided, "true_divide"))
_COMPARISONS = {
    "equal": "eq",
    "not_equal": "ne",
    "less": "lt",
    "less_equal": "le",
    "greater": "gt",
    "greater_equal": "ge",
}
for _name, _operator in _COMPARISONS.items():
    op(f"keras.ops.{_name}", methods=(f"__{_operator}__",))(binary(_name, _bool, _name))
for _name in "maximum minimum bitwise_and bitwise_or bitwise_xor left_shift right_shift gcd lcm fmod fmax fmin".split():
    op(f"keras.ops.{_name}")(binary(_name, promote, _name))
for _name in "bitwise_left_shift bitwise_right_shift".split():
    op(f"keras.ops.{_name}")(binary(_name, promote, _name.removeprefix("bitwise_")))


def _wide(left: Any, right: Any) -> Any:
    """Return the type of what is computed of coordinates: a number of Python's counts as a float, `int64` as wide."""
    kinds = [floatx() if isinstance(kind, type) else kind for kind in (left, right)]
    return DTYPES["float64"] if "int64" in kinds and not any(k.is_floating for k in kinds) else promote(*kinds, float)


op("keras.ops.arctan2")(binary("arctan2", _wide, "arctan2"))
op("keras.ops.hypot")(binary("hypot", _wide, "hypot"))
for _name in "logaddexp copysign nextafter".split():
    op(f"keras.ops.{_name}")(binary(_name, _float, _name))
op("keras.ops.divide_no_nan")(binary("divide_no_nan", _divided, None))
op("keras.ops.isclose")(binary("isclose", _bool, "isclose"))
op("keras.ops.heaviside")(binary("heaviside", _float, "heaviside"))
op("keras.ops.ldexp")(binary("ldexp", lambda a, b: to_float(a if not isinstance(a, type) else promote(a)), None))
Tensor.__hash__ = lambda self: id(self)  # type: ignore[method-assign]  # `==` makes a tensor, and takes this away


@op("keras.ops.where")
def where(condition, x1=None, x2=None):
    given = convert(condition)
    if x1 is None or x2 is None:
        rank = len(given._shape)
        return tuple(Out((unknown_size(),), DTYPES["int32"]) for _ in range(rank))
    shape, left, right = operands("where", x1, x2)
    values = compute(lambda np, c, a, b: np.where(c, a, b), given, left, right)
    return Out(broadcast("where", given._shape, shape), promote(kind_of(x1), kind_of(x2)), values)
