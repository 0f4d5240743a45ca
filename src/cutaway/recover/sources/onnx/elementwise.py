"""Operators on each element: functions, arithmetic, comparisons, conversions."""

from __future__ import annotations

import math
from typing import Any

from cutaway.core.record import replace
from cutaway.recover.graph import Literal, Node, Numbers, Operand
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
    alpha, gamma = call.get("alpha", 1.67326319), call.get("gamma", 1.05070102)
    if abs(alpha - 1.67326319) < 1e-5 and abs(gamma - 1.05070102) < 1e-5:
        call.emit("nn.SELU", call.name())
        return
    inner = call.temporary("nn.ELU", call.name(), shape=call.fact().shape, alpha=shortest(alpha))
    call.emit("*", inner, Literal(shortest(gamma)))


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
    if bias in (0.0, limit):
        call.emit("nn.Softshrink" if bias else "nn.Hardshrink", call.name(), lambd=limit)
        return
    shape = call.fact().shape
    kept = call.temporary("nn.Hardshrink", call.name(), shape=shape, lambd=limit)
    sign = call.temporary("torch.sign", kept, shape=shape)
    call.emit("-", kept, call.temporary("*", sign, Literal(bias), shape=shape))


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
    alpha, shape = shortest(call.get("alpha", 1.0)), call.fact().shape
    if alpha == 1.0:
        call.emit("nn.SiLU", call.name())
        return
    scaled = call.temporary("*", call.name(), Literal(alpha), shape=shape)
    call.emit("*", call.name(), call.temporary("nn.Sigmoid", scaled, shape=shape))


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
    if any(call.has(place) and call.numbers(place) is None for place in (1, 2)):
        source = call.name()
        for place, function in ((1, "torch.maximum"), (2, "torch.minimum")):
            if call.has(place):
                source = call.temporary(function, source, call.name(place), shape=call.fact().shape)
        call.alias(source)
        return
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
    one, other = call.operand(1, 0), call.operand(2, 0)
    if (
        isinstance(one, Literal)
        and isinstance(other, Literal)
        and call.fact(1).dtype not in ("float32", "int64", "bool")
    ):
        other = call.name(2)  # two numbers say nothing of the element type
    call.emit("torch.where", call.name(0), one, other)


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


@operator("BitCast")
def bits(call: Call) -> None:
    """The same bits as another element type."""
    dtype = DTYPES.get(call.get("to", 0))
    if dtype is None:
        call.unsupported(f"there is no element type {call.get('to')} in PyTorch")
    call.emit(".view", call.name(), dtype=dtype)


@operator("CumSum CumProd")
def cumulative(call: Call) -> None:
    """Sums or products of all numbers up to each."""
    axis, rank, shape = call.numbers(1), call.known_rank(), call.fact().shape
    function = f"torch.{call.op.lower()}"
    extra = [call.name(1)] if axis is None else []
    dim: Any = Numbers(1, only=True) if axis is None else axis[0]
    source = call.name()
    if call.get("reverse", 0):
        source = call.temporary("torch.flip", source, *extra, shape=shape, dims=(dim,))
    if call.get("exclusive", 0):
        if axis is None:
            call.unsupported("its axis is computed, and it leaves out each number itself")
        source = _shifted(call, source, dim % rank)
    if call.get("reverse", 0):
        done = call.temporary(function, source, *extra, shape=shape, dim=dim)
        call.emit("torch.flip", done, *extra, dims=(dim,))
    else:
        call.emit(function, source, *extra, dim=dim)


def _shifted(call: Call, source: str, axis: int) -> str:
    """Return a tensor whose numbers are moved on by one place; the first are what changes nothing."""
    before = [slice(None)] * axis
    first = call.temporary("getitem", source, index=(*before, slice(None, 1)))
    others = call.temporary("getitem", source, index=(*before, slice(None, -1)))
    neutral = call.temporary("torch.zeros_like" if call.op == "CumSum" else "torch.ones_like", first)
    return call.temporary("torch.cat", neutral, others, shape=call.fact().shape, dim=axis)


@operator("MeanVarianceNormalization")
def standardised(call: Call) -> None:
    """Numbers minus their mean, divided by their deviation."""
    axes = tuple(call.get("axes", [0, 2, 3]))
    mean = call.temporary(".mean", call.name(), dim=axes, keepdim=True)
    shape = call.fact().shape
    inner = call.temporary("-", call.name(), mean, shape=shape)
    spread = call.temporary("torch.std", call.name(), dim=axes, unbiased=False, keepdim=True)
    call.emit("/", inner, call.temporary("+", spread, Literal(1e-9)))
