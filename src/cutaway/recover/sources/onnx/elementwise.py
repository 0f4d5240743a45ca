"""Operators on each element: functions, arithmetic, comparisons, conversions."""

from __future__ import annotations

import math
from typing import Any

from cutaway.core.record import replace
from cutaway.recover.graph import Literal, Node, Operand
from cutaway.recover.sources.emission import shortest
from cutaway.recover.sources.onnx.registry import Call, operator

_FUNCTIONS = {
    "Abs": "torch.abs", "Acos": "torch.acos", "Acosh": "torch.acosh", "Asin": "torch.asin", "Asinh": "torch.asinh",
    "Atan": "torch.atan", "Atanh": "torch.atanh", "Ceil": "torch.ceil", "Cos": "torch.cos", "Cosh": "torch.cosh",
    "Erf": "torch.erf", "Exp": "torch.exp", "Floor": "torch.floor", "Log": "torch.log", "Reciprocal": "torch.reciprocal",
    "Round": "torch.round", "Sign": "torch.sign", "Sin": "torch.sin", "Sinh": "torch.sinh", "Sqrt": "torch.sqrt",
    "Tan": "torch.tan", "IsNaN": "torch.isnan", "Det": "torch.det", "BitwiseNot": "torch.bitwise_not",
    "Not": "torch.logical_not", "Softsign": "F.softsign",
}  # fmt: skip
_LAYERS = {
    "Relu": "nn.ReLU", "Sigmoid": "nn.Sigmoid", "Tanh": "nn.Tanh", "HardSwish": "nn.Hardswish", "Mish": "nn.Mish",
    "Softplus": "nn.Softplus",
}  # fmt: skip
_INFIX = {
    "Add": "+", "Sub": "-", "Mul": "*", "Equal": "==", "Greater": ">", "GreaterOrEqual": ">=", "Less": "<",
    "LessOrEqual": "<=", "And": "&", "Or": "|", "Xor": "^", "BitwiseAnd": "&", "BitwiseOr": "|", "BitwiseXor": "^",
}  # fmt: skip
_FOLDS = {"Sum": "+", "Max": "torch.maximum", "Min": "torch.minimum"}


@operator(" ".join(_FUNCTIONS))
def function(call: Call) -> None:
    """A function of one tensor."""
    call.emit(_FUNCTIONS[call.op], call.name())


@operator(" ".join(_LAYERS))
def activation(call: Call) -> None:
    """An activation without settings."""
    call.emit(_LAYERS[call.op], call.name())


@operator("Neg")
def negative(call: Call) -> None:
    """A number with the other sign."""
    call.emit("neg", call.name())


@operator("Identity Dropout")
def same(call: Call) -> None:
    """A tensor as it is; in evaluation, nothing is dropped."""
    if len([name for name in call.operation.outputs if name]) > 1:
        mask = call.operation.outputs[1]
        call.nodes.append(Node("torch.ones_like", [call.name()], [mask], {"dtype": "bool"}, path=call.path))
    call.outputs = call.outputs[:1]
    tensor = call.tensor(0)
    if tensor is not None:
        # An exporter stores equal tensors once; under its own name, each is a tensor of its own.
        name = call.operation.outputs[0]
        call.graph.tensors[name] = replace(tensor, stored=replace(tensor.stored, name=name))
        return
    call.alias(call.name())


@operator("LeakyRelu")
def leaky(call: Call) -> None:
    """A slope below zero."""
    call.emit("nn.LeakyReLU", call.name(), negative_slope=shortest(call.get("alpha", 0.01)))


@operator("Elu")
def elu(call: Call) -> None:
    """An exponential below zero."""
    call.emit("nn.ELU", call.name(), alpha=shortest(call.get("alpha", 1.0)))


@operator("Celu")
def celu(call: Call) -> None:
    """A continuously differentiable exponential below zero."""
    call.emit("nn.CELU", call.name(), alpha=shortest(call.get("alpha", 1.0)))


@operator("Selu")
def selu(call: Call) -> None:
    """A scaled exponential below zero."""
    if abs(call.get("alpha", 1.67326319) - 1.67326319) > 1e-5 or abs(call.get("gamma", 1.05070102) - 1.05070102) > 1e-5:
        call.unsupported("its alpha and gamma are not those of the paper")
    call.emit("nn.SELU", call.name())


@operator("PRelu")
def prelu(call: Call) -> None:
    """A learned slope below zero."""
    slope, shape = call.tensor(1), call.fact(0).shape
    if slope is not None and shape is not None and len(shape) >= 2:
        count = math.prod(slope.shape)
        padded = (1,) * (len(shape) - len(slope.shape)) + slope.shape
        if count == 1 or (shape[1] == count and padded[1] == count):
            call.emit("nn.PReLU", call.name(), num_parameters=count, weights={"weight": slope.reshaped(count)})
            return
    call.emit("torch.where", call.temporary(">=", call.name(), Literal(0), shape=shape), call.name(), _scaled(call))


def _scaled(call: Call) -> str:
    return call.temporary("*", call.name(), call.operand(1, 0), shape=call.fact(0).shape)


@operator("ThresholdedRelu")
def thresholded(call: Call) -> None:
    """Zero up to a threshold."""
    call.emit("nn.Threshold", call.name(), threshold=shortest(call.get("alpha", 1.0)), value=0.0)


@operator("Shrink")
def shrink(call: Call) -> None:
    """Zero near zero."""
    bias, limit = shortest(call.get("bias", 0.0)), shortest(call.get("lambd", 0.5))
    if bias not in (0.0, limit):
        call.unsupported("its bias is neither 0 nor its threshold")
    call.emit("nn.Softshrink" if bias else "nn.Hardshrink", call.name(), lambd=limit)


@operator("HardSigmoid")
def hard_sigmoid(call: Call) -> None:
    """A line between zero and one."""
    alpha, beta = call.get("alpha", 0.2), call.get("beta", 0.5)
    if abs(alpha - 1 / 6) < 1e-6 and abs(beta - 0.5) < 1e-6:
        call.emit("nn.Hardsigmoid", call.name())
        return
    shape = call.fact().shape
    line = call.temporary("*", call.name(), Literal(shortest(alpha)), shape=shape)
    call.emit("torch.clamp", call.temporary("+", line, Literal(shortest(beta)), shape=shape), min=0, max=1)


@operator("Gelu")
def gelu(call: Call) -> None:
    """A Gaussian error linear unit."""
    call.emit("nn.GELU", call.name(), approximate=call.get("approximate", "none"))


@operator("Swish")
def swish(call: Call) -> None:
    """A number times its sigmoid."""
    if call.get("alpha", 1.0) != 1.0:
        call.unsupported("its alpha is not 1")
    call.emit("nn.SiLU", call.name())


@operator(" ".join(_INFIX))
def arithmetic(call: Call) -> None:
    """An operator between two tensors, or a tensor and a number."""
    left, right = pair(call)
    call.emit(_INFIX[call.op], left, right)


def pair(call: Call) -> tuple[Operand, Operand]:
    """Return two operands, one of which may be a number."""
    right = call.operand(1, 0)
    if isinstance(right, Literal):
        return call.name(0), _typed(right, call.fact(0).dtype)
    left = call.operand(0, 1)
    return (_typed(left, call.fact(1).dtype) if isinstance(left, Literal) else left), right


def _typed(literal: Literal, dtype: str | None) -> Literal:
    value = literal.value
    if isinstance(value, float) and dtype == "float32":
        return Literal(shortest(value))
    return literal


@operator("Div")
def division(call: Call) -> None:
    """A quotient, rounded towards zero between whole numbers."""
    left, right = pair(call)
    if "int" in (call.fact(0).dtype or ""):
        call.emit("torch.div", left, right, rounding_mode="trunc")
    else:
        call.emit("/", left, right)


@operator("Pow")
def power(call: Call) -> None:
    """A power."""
    left, right = pair(call)
    base, exponent = call.fact(0).dtype, call.fact(1).dtype
    if base is not None and base != exponent and base in DTYPES.values() and "float" not in base:
        call.emit(
            ".to", call.temporary("**", left, right, shape=call.graph.shape(call.operation.outputs[0])), dtype=base
        )
    else:
        call.emit("**", left, right)


@operator("Mod")
def modulo(call: Call) -> None:
    """A remainder."""
    left, right = pair(call)
    call.emit("torch.fmod" if call.get("fmod", 0) else "%", left, right)


@operator(" ".join(_FOLDS))
def fold(call: Call) -> None:
    """A sum, maximum or minimum of several tensors."""
    names = [name for name in call.operation.inputs if name]
    operator_name = _FOLDS[call.op]
    if len(names) == 1:
        call.alias(names[0])
        return
    if len(names) == 2 and call.op != "Sum":
        left, right = call.operand(0, 1), call.operand(1, 0)
        if isinstance(right, Literal) and isinstance(left, str):
            call.emit("torch.clamp", left, **{"min" if call.op == "Max" else "max": right.value})
            return
        if isinstance(left, Literal) and isinstance(right, str):
            call.emit("torch.clamp", right, **{"min" if call.op == "Max" else "max": left.value})
            return
    so_far = names[0]
    for name in names[1:-1]:
        so_far = call.temporary(operator_name, so_far, name, shape=call.graph.shape(call.operation.outputs[0]))
    call.emit(operator_name, so_far, names[-1])


@operator("Mean")
def mean(call: Call) -> None:
    """The mean of several tensors."""
    names = [name for name in call.operation.inputs if name]
    total = names[0]
    for name in names[1:]:
        total = call.temporary("+", total, name, shape=call.graph.shape(call.operation.outputs[0]))
    call.emit("/", total, Literal(len(names)))


@operator("Clip")
def clip(call: Call) -> None:
    """Numbers between two limits."""
    low, high = _limit(call, 1, "min"), _limit(call, 2, "max")
    if low == 0 and high == 6:
        call.emit("nn.ReLU6", call.name())
        return
    limits = {name: value for name, value in (("min", low), ("max", high)) if value is not None}
    if not limits:
        call.alias(call.name())
    else:
        call.emit("torch.clamp", call.name(), **limits)


def _limit(call: Call, place: int, name: str) -> Any:
    if call.has(place):
        numbers = call.numbers(place)
        if numbers is None or len(numbers) != 1:
            call.unsupported(f"its {name} is computed from the numbers of a tensor")
        value = numbers[0]
    else:
        value = call.get(name)
    if isinstance(value, float) and abs(value) >= 3.4e38:
        return None
    return shortest(value)


@operator("Where")
def where(call: Call) -> None:
    """Numbers of one tensor or of another."""
    call.emit("torch.where", call.name(0), call.operand(1, 0), call.operand(2, 0))


DTYPES = {
    1: "float32", 2: "uint8", 3: "int8", 5: "int16", 6: "int32", 7: "int64", 9: "bool", 10: "float16", 11: "float64",
    16: "bfloat16",
}  # fmt: skip


@operator("Cast")
def cast(call: Call) -> None:
    """Another element type."""
    dtype = DTYPES.get(call.get("to", 0))
    if dtype is None:
        call.unsupported(f"there is no element type {call.get('to')} in PyTorch")
    if dtype == call.fact().dtype:
        call.alias(call.name())
    else:
        call.emit(".to", call.name(), dtype=dtype)


@operator("CastLike")
def cast_like(call: Call) -> None:
    """The element type of another tensor."""
    dtype = call.fact(1).dtype
    if dtype is None or dtype not in DTYPES.values():
        call.emit(".type_as", call.name(), call.name(1))
    elif dtype == call.fact().dtype:
        call.alias(call.name())
    else:
        call.emit(".to", call.name(), dtype=dtype)


@operator("IsInf")
def is_infinite(call: Call) -> None:
    """Whether a number is infinite."""
    positive, negative = call.get("detect_positive", 1), call.get("detect_negative", 1)
    call.emit(
        "torch.isinf" if positive and negative else "torch.isposinf" if positive else "torch.isneginf", call.name()
    )


@operator("BitShift")
def shifted(call: Call) -> None:
    """Bits moved to one side."""
    call.emit("<<" if call.get("direction") == "LEFT" else ">>", call.name(), call.operand(1, 0))


@operator("CumSum")
def cumulative(call: Call) -> None:
    """Sums of all numbers up to each."""
    axis = call.numbers(1)
    if axis is None or call.get("exclusive", 0):
        call.unsupported("its axis is computed, or it leaves out each number itself")
    if call.get("reverse", 0):
        turned = call.temporary("torch.flip", call.name(), shape=call.fact().shape, dims=(axis[0],))
        summed = call.temporary("torch.cumsum", turned, shape=call.fact().shape, dim=axis[0])
        call.emit("torch.flip", summed, dims=(axis[0],))
    else:
        call.emit("torch.cumsum", call.name(), dim=axis[0])
