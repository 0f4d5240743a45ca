"""Arithmetic, comparisons and rounding, element by element."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import unknown_size
from cutaway.knowledge.keras.ops.binary import operands
from cutaway.knowledge.keras.ops.binary import sizes as size_arithmetic
from cutaway.knowledge.keras.tensors.dtypes import DTYPES, DType, differ, standardize
from cutaway.knowledge.keras.tensors.op import Out, compute
from cutaway.knowledge.keras.tensors.shape import text
from cutaway.knowledge.keras.tensors.tensor import Tensor, convert
from cutaway.knowledge.tensorflow.rows import tf
from cutaway.knowledge.tensorflow.types import divided, require
from cutaway.ops.elementwise import broadcast
from cutaway.ops.norm import fits

_TYPES = {"abs": "fic", "negative": "fic", "reciprocal": "fic", "sign": "fic", "round": "fiuc", "square": "fiuc",
          "invert_permutation": "i"}  # fmt: skip
for _name in "ceil floor rint erf softplus lgamma digamma log_sigmoid".split():
    _TYPES[_name] = "f"
for (
    _name
) in """acos acosh asin asinh atan atanh cos cosh exp expm1 log log1p rsqrt sigmoid sin sinh sqrt tan tanh""".split():
    _TYPES[_name] = "fc"
"""The functions of one tensor, both in `tf` and in `tf.math`, with the types that they take."""
_NUMPY = {
    "acos": "arccos",
    "acosh": "arccosh",
    "asin": "arcsin",
    "asinh": "arcsinh",
    "atan": "arctan",
    "atanh": "arctanh",
}
_ALSO = {"log": "log", "negative": "neg", "ceil": "ceil", "sign": "sgn"}


def _unary(name: str) -> Any:
    numbers = _NUMPY.get(name, name)

    def rule(x: Any, name: Any = None) -> Out:
        x = convert(x)
        require(label, x._dtype, types)
        values = compute(lambda np, a: getattr(np, numbers)(a), x) if hasattr(_numpy(), numbers) else None
        kind = x._dtype
        if label == "abs" and kind.is_complex:
            kind = DTYPES["float32" if kind == "complex64" else "float64"]
        return Out(x._shape, kind, values)

    label, types = name, _TYPES[name]
    return rule


def _numpy() -> Any:
    import numpy

    return numpy


for _name in _TYPES:
    tf(_name, f"math.{_name}", *([_ALSO[_name]] if _ALSO.get(_name, _name) != _name else []))(_unary(_name))
for _name in ("is_finite", "is_inf", "is_nan", "logical_not"):

    def _test(x: Any, name: Any = None, label: str = _name) -> Out:
        x = convert(x)
        require(label, x._dtype, "b" if label == "logical_not" else "f")
        return Out(x._shape, DTYPES["bool"])

    tf(f"math.{_name}", _name)(_test)


def two(name: str, x: Any, y: Any, dtype: Any = None, numbers: str | None = None) -> Out:
    """Apply a function to two tensors, of which one may be a number of Python's; their types must agree."""
    shape, left, right = operands(name, x, y)
    left_is, right_is = isinstance(x, Tensor), isinstance(y, Tensor)
    if left_is and right_is and differ(left._dtype, right._dtype):
        raise TypeFault(
            f"{name}: the operands are of types {left._dtype} and {right._dtype}, which differ",
            FaultCode.DTYPE_MISMATCH,
        )
    kind = left._dtype if left_is or not right_is else right._dtype
    if name in _TAKEN:
        require(name, kind, _TAKEN[name])
    if left_is != right_is and kind.is_integer and type(y if left_is else x) is float:
        raise TypeFault(
            f"{name}: a tensor of {kind} does not combine with {y if left_is else x}", FaultCode.DTYPE_MISMATCH
        )
    values = None if numbers is None else compute(lambda np, a, b: getattr(np, numbers)(a, b), left, right)
    return Out(shape, dtype or kind, values, sizes=size_arithmetic(_SIZES.get(name, ""), left, right))


_TAKEN = {
    "add": "fiucs", "subtract": "fiuc", "multiply": "fiuc", "divide": "fiuc", "truediv": "fiuc", "floordiv": "fiuc",
    "mod": "fiu", "floormod": "fiu", "pow": "fic", "maximum": "fiu", "minimum": "fiu", "squared_difference": "fic",
    "divide_no_nan": "fiuc", "atan2": "f", "less": "fiu", "less_equal": "fiu", "greater": "fiu",
    "greater_equal": "fiu", "logical_and": "b", "logical_or": "b",
}  # fmt: skip
_SIZES = {
    "add": "add",
    "subtract": "subtract",
    "multiply": "multiply",
    "floordiv": "floor_divide",
    "maximum": "maximum",
    "minimum": "minimum",
}
_BINARY = {
    "add": "add", "subtract": "subtract", "multiply": "multiply", "divide": "true_divide", "truediv": "true_divide",
    "floordiv": "floor_divide", "mod": "mod", "floormod": "mod", "pow": "power", "maximum": "maximum",
    "minimum": "minimum", "squared_difference": None, "divide_no_nan": None, "atan2": "arctan2",
}  # fmt: skip
_COMPARED = {
    "equal": "equal", "not_equal": "not_equal", "less": "less", "less_equal": "less_equal", "greater": "greater",
    "greater_equal": "greater_equal", "logical_and": "logical_and", "logical_or": "logical_or",
}  # fmt: skip
_FORMER = {"subtract": "sub", "multiply": "mul", "divide": "div"}


def _binary(name: str, numbers: str | None, dtype: Any) -> Any:
    def rule(x: Any, y: Any, name: Any = None) -> Out:
        made = two(label, x, y, dtype, numbers)
        if label in ("divide", "truediv", "divide_no_nan") and isinstance(made.dtype, DType):
            made.dtype = divided(made.dtype)
        return made

    label = name
    return rule


for _name, _numbers in _BINARY.items():
    tf(_name, f"math.{_name}", *([_FORMER[_name]] if _name in _FORMER else []))(_binary(_name, _numbers, None))
for _name, _numbers in _COMPARED.items():
    tf(_name, f"math.{_name}")(_binary(_name, _numbers, DTYPES["bool"]))


@tf("add_n", "math.add_n")
def add_n(inputs, name=None):
    tensors = [convert(x) for x in inputs]
    for tensor in tensors[1:]:
        if not fits(tuple(tensor._shape), tuple(tensors[0]._shape)):
            raise ArgumentFault(
                f"add_n: shapes {text(tensors[0]._shape)} and {text(tensor._shape)} differ", FaultCode.SHAPE_MISMATCH
            )
    return Out(tensors[0]._shape, tensors[0]._dtype)


@tf("cast")
def cast(x, dtype, name=None):
    x = convert(x)
    return Out(x._shape, standardize(dtype), x._values, sizes=x._sizes)


for _name, _dtype in (("to_float", "float32"), ("to_int32", "int32"), ("to_int64", "int64"), ("to_double", "float64")):

    def _to(x: Any, name: Any = None, dtype: str = _dtype) -> Out:
        x = convert(x)
        return Out(x._shape, standardize(dtype), x._values, sizes=x._sizes)

    tf(_name)(_to)


@tf("clip_by_value")
def clip_by_value(t, clip_value_min, clip_value_max, name=None):
    t = convert(t)
    return Out(t._shape, t._dtype)


@tf("clip_by_norm")
def clip_by_norm(t, clip_norm, axes=None, name=None):
    t = convert(t)
    return Out(t._shape, t._dtype)


@tf("identity", "stop_gradient")
def identity(input, name=None):
    x = convert(input)
    return Out(x._shape, x._dtype, x._values, sizes=x._sizes)


@tf("where", "where_v2")
def where(condition, x=None, y=None, name=None):
    c = convert(condition)
    if x is None or y is None:
        return Out((unknown_size(), len(c._shape)), DTYPES["int64"])
    made = two("where", x, y)
    return Out(broadcast("where", c._shape, made.shape), made.dtype)
