"""Operators that work on each element by itself: arithmetic, activations, comparisons, conversions, choices."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Unknown
from cutaway.formats.graph.value import Call, Known, Out, one, several
from cutaway.formats.onnx.messages import dtype_name
from cutaway.formats.onnx.operators import arithmetic
from cutaway.formats.onnx.operators.registry import operator
from cutaway.ops.elementwise import broadcast

_MOST_COMPUTED = 1024


def same(call: Call) -> Out:
    """Return a result that has the shape and the element type of the first input."""
    return one(call.input(0).shape, call.dtype())


@operator(
    "Acos Acosh Affine Asin Asinh Atan Atanh BitwiseNot Celu Cos Cosh Elu Erf Exp Gelu Hardmax HardSigmoid HardSwish",
    "ImageScaler LeakyRelu Log LogSoftmax LpNormalization LRN MeanVarianceNormalization Mish ParametricSoftplus",
    "Reciprocal Relu Scale ScaledTanh Selu Shrink Sigmoid Sign Sin Sinh Softmax Softplus Softsign Sqrt SwiGLU Swish Tan Tanh",
    "ThresholdedRelu Trilu CumSum CumProd Clip ReverseSequence Scatter ScatterElements ScatterND TensorScatter Bernoulli",
)
def unary(call: Call) -> Out:
    """A function of each element, or one that keeps the shape in another way."""
    if call.name == "Bernoulli":
        return one(call.input(0).shape, dtype_name(call.integer("dtype")) or call.dtype())
    if call.name in _UNARY:
        return mapped(call, _UNARY[call.name], call.dtype())
    return same(call)


_UNARY: dict[str, Callable[[Any], Any]] = {
    "Sqrt": lambda number: math.sqrt(number) if isinstance(number, (int, float)) else None,
    "Reciprocal": lambda number: arithmetic.divide(1, number, False),
    "Log": lambda number: math.log(number) if isinstance(number, (int, float)) else None,
    "Exp": lambda number: math.exp(number) if isinstance(number, (int, float)) else None,
    "Sign": lambda number: (number > 0) - (number < 0) if isinstance(number, (int, float)) else None,
    "Relu": lambda number: arithmetic.extreme(number, 0, True),
}


def mapped(call: Call, function: Callable[..., Any], dtype: str | None, *, shape: Any = None) -> Out:
    """Return a function of the elements of all inputs, with its numbers where those of the inputs are known."""
    values = [value for value in call.inputs if value is not None]
    if shape is None:
        shapes = [value.shape for value in values]
        if None in shapes:
            return one(None, dtype)
        shape = broadcast(call.name, *shapes)
    return one(shape, dtype, _computed(values, shape, function, dtype))


def _computed(values: list[Known], shape: Any, function: Callable[..., Any], dtype: str | None) -> Any:
    operands = [(value.shape, value.numbers) for value in values]
    if any(own is None or numbers is None for own, numbers in operands):
        return None
    count = 1
    for size in shape:
        count = count * size
    if not isinstance(count, int) or count > _MOST_COMPUTED:
        return None
    return arithmetic.combined(function, operands, dtype)  # type: ignore[arg-type]


_WHOLE = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


@operator("Add Sub Mul Div Mod Pow Max Min Sum Mean PRelu BitShift BitwiseAnd BitwiseOr BitwiseXor")
def binary(call: Call) -> Out:
    """Arithmetic of two or more tensors that are broadcast."""
    dtype = call.dtype() or (None if call.name == "Pow" else call.dtype(1))
    if _is_old(call):
        shape = call.input(0).shape
        return one(shape, dtype)
    whole = dtype in _WHOLE
    function = _ARITHMETIC.get(call.name)
    if function is None:
        return mapped(call, lambda *numbers: None, dtype, shape=_prelu_shape(call))
    if call.name == "Mod":
        like_c = call.integer("fmod") == 1
        return mapped(call, lambda left, right: arithmetic.remainder(left, right, like_c), dtype)
    if call.name == "Div":
        return mapped(call, lambda left, right: arithmetic.divide(left, right, whole), dtype)
    return mapped(call, function, dtype)


def _prelu_shape(call: Call) -> Any:
    """Return the shape of PRelu, whose slope is broadcast to its input; None for other operators."""
    if call.name != "PRelu":
        return None
    shape = call.shape(0)
    slope = call.input(1).shape
    return shape if slope is None or len(slope) <= len(shape) else broadcast(call.name, shape, slope)


def _is_old(call: Call) -> bool:
    """Tell whether an operator broadcasts in the way of the first versions: the second input to the first."""
    return call.version < 7 and (call.integer("broadcast") == 1 or "axis" in call.attributes)


def _folded(function: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    def over(*numbers: Any) -> Any:
        result = numbers[0]
        for number in numbers[1:]:
            if result is None:
                return None
            result = function(result, number)
        return result

    return over


def _power(left: Any, right: Any) -> Any:
    if isinstance(left, Dim) and isinstance(right, float) and right.is_integer():
        right = int(right)
    if isinstance(left, (int, float)) and isinstance(right, (int, float)) and abs(right) > 1024:
        return None
    result = left**right
    return None if isinstance(result, complex) else result


_ARITHMETIC: dict[str, Callable[..., Any]] = {
    "Add": lambda left, right: left + right,
    "Sub": lambda left, right: left - right,
    "Mul": arithmetic.times,
    "Div": lambda left, right: None,
    "Mod": lambda left, right: None,
    "Pow": _power,
    "Max": _folded(lambda left, right: arithmetic.extreme(left, right, True)),
    "Min": _folded(lambda left, right: arithmetic.extreme(left, right, False)),
    "Sum": _folded(lambda left, right: left + right),
}


@operator("Equal Less Greater LessOrEqual GreaterOrEqual And Or Xor")
def comparison(call: Call) -> Out:
    """Comparisons of two tensors, and logic."""
    if _is_old(call):
        return one(call.input(0).shape, "bool")
    return mapped(call, _COMPARISONS[call.name], "bool")


def _negated(answer: bool | None) -> bool | None:
    return None if answer is None else not answer


_COMPARISONS: dict[str, Callable[..., Any]] = {
    "Equal": lambda left, right: arithmetic.compared("equal", left, right),
    "Less": lambda left, right: arithmetic.compared("less", left, right),
    "Greater": lambda left, right: arithmetic.compared("less", right, left),
    "LessOrEqual": lambda left, right: _negated(arithmetic.compared("less", right, left)),
    "GreaterOrEqual": lambda left, right: _negated(arithmetic.compared("less", left, right)),
    "And": lambda left, right: left and right,
    "Or": lambda left, right: left or right,
    "Xor": lambda left, right: left != right,
}


@operator("Not")
def negation(call: Call) -> Out:
    """The opposite of each truth value."""
    return mapped(call, lambda number: not number, "bool")


@operator("IsNaN IsInf")
def question(call: Call) -> Out:
    """A truth value for each element."""
    return one(call.input(0).shape, "bool")


@operator("Neg Abs")
def sign(call: Call) -> Out:
    """A change of sign."""
    if call.name == "Neg":
        return mapped(call, lambda number: -number, call.dtype())
    return mapped(call, lambda number: abs(number), call.dtype())


@operator("Floor Ceil Round")
def rounding(call: Call) -> Out:
    """The nearest whole numbers."""
    way = call.name.lower()
    if way == "round":
        return mapped(
            call, lambda number: number if isinstance(number, (int, Dim)) else float(round(number)), call.dtype()
        )
    return mapped(call, lambda number: arithmetic.rounded(number, way), call.dtype())


@operator("Identity")
def identity(call: Call) -> Out:
    """The value itself, of whatever kind."""
    return Out((call.input(0),), view=True)


@operator("Dropout")
def dropout(call: Call) -> Out:
    """The value itself where nothing is trained, and which elements are kept."""
    shape, dtype = call.input(0).shape, call.dtype()
    return several((shape, dtype), (shape, "bool" if call.version >= 10 else dtype))


@operator("Cast CastLike BitCast")
def conversion(call: Call) -> Out:
    """The same numbers as another element type."""
    value = call.input(0)
    if call.name == "CastLike":
        dtype = call.dtype(1)
    else:
        named = call.attributes.get("to")
        dtype = _OLD_NAMES.get(named) if isinstance(named, str) else dtype_name(call.integer("to"))
    if call.name == "BitCast" or value.numbers is None:
        return one(value.shape, dtype)
    return one(value.shape, dtype, [arithmetic.cast(number, value.dtype, dtype) for number in value.numbers])


_OLD_NAMES = {
    "FLOAT": "float32", "DOUBLE": "float64", "FLOAT16": "float16", "INT8": "int8", "INT16": "int16", "INT32": "int32",
    "INT64": "int64", "UINT8": "uint8", "UINT16": "uint16", "UINT32": "uint32", "UINT64": "uint64", "BOOL": "bool",
    "STRING": "string",
}  # fmt: skip
"""Element types in the first version of Cast, where they are written as words."""


@operator("Where")
def choice(call: Call) -> Out:
    """Elements of one tensor or another, as a condition says."""

    def chosen(condition: Any, yes: Any, no: Any) -> Any:
        if condition is None or isinstance(condition, (Dim, Unknown)):
            return None
        return yes if condition else no

    dtype = call.dtype(1) or call.dtype(2)
    values = [call.input(place) for place in range(3)]
    if any(value.shape is None for value in values):
        return one(None, dtype)
    shape = broadcast(call.name, *(value.shape for value in values))
    condition, yes, no = values
    if None in (condition.numbers, yes.numbers, no.numbers):
        return one(shape, dtype)
    # A number that is not chosen need not be known.
    hidden = [replace_unknown(value) for value in (yes, no)]
    numbers = _computed([condition, *hidden], shape, chosen, dtype)
    return one(shape, dtype, None if numbers is None else [_shown(number) for number in numbers])


_HIDDEN = "not known"


def replace_unknown(value: Known) -> Known:
    """Return a value whose unknown numbers are marked, so that a choice can leave them out."""
    return Known(value.shape, value.dtype, tuple(_HIDDEN if each is None else each for each in value.numbers or ()))


def _shown(number: Any) -> Any:
    return None if isinstance(number, str) and number == _HIDDEN else number
