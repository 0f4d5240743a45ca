"""Operations on each element, and reductions."""

from __future__ import annotations

from typing import Any

from cutaway.recover.graph import Literal
from cutaway.recover.sources.emission import shortest
from cutaway.recover.sources.onnx.registry import Call
from cutaway.recover.sources.tensorflow.operation import known_shape, operands, operation, out_shape, whole

_LAYERS = {
    "Relu": "nn.ReLU", "Relu6": "nn.ReLU6", "Sigmoid": "nn.Sigmoid", "Tanh": "nn.Tanh", "Softplus": "nn.Softplus",
    "Selu": "nn.SELU",
}  # fmt: skip
_FUNCTIONS = {
    "Abs": "torch.abs", "Exp": "torch.exp", "Log": "torch.log", "Log1p": "torch.log1p", "Expm1": "torch.expm1",
    "Sqrt": "torch.sqrt", "Rsqrt": "torch.rsqrt", "Square": "torch.square", "Erf": "torch.erf", "Floor": "torch.floor",
    "Ceil": "torch.ceil", "Round": "torch.round", "Rint": "torch.round", "Sign": "torch.sign", "Sin": "torch.sin",
    "Cos": "torch.cos", "Tan": "torch.tan", "Reciprocal": "torch.reciprocal", "Inv": "torch.reciprocal",
    "LogicalNot": "torch.logical_not", "IsNan": "torch.isnan", "Softsign": "F.softsign", "Sinh": "torch.sinh",
    "Cosh": "torch.cosh", "Asin": "torch.asin", "Acos": "torch.acos", "Atan": "torch.atan", "Asinh": "torch.asinh",
    "Acosh": "torch.acosh", "Atanh": "torch.atanh", "Erfc": "torch.erfc", "Lgamma": "torch.lgamma", "Invert": "torch.bitwise_not",
    "IsFinite": "torch.isfinite", "IsInf": "torch.isinf", "Digamma": "torch.digamma",
}  # fmt: skip
_INFIX = {
    "Add": "+", "AddV2": "+", "Sub": "-", "Mul": "*", "RealDiv": "/", "Pow": "**", "Greater": ">", "GreaterEqual": ">=",
    "Less": "<", "LessEqual": "<=", "Equal": "==", "LogicalAnd": "&", "LogicalOr": "|", "FloorMod": "%", "BitwiseAnd": "&",
    "BitwiseOr": "|", "BitwiseXor": "^", "BiasAddV1": "+",
}  # fmt: skip


@operation(" ".join(_LAYERS))
def activation(call: Call) -> None:
    """An activation without settings."""
    call.emit(_LAYERS[call.op], call.name())


@operation("Elu")
def elu(call: Call) -> None:
    """An exponential for negative numbers."""
    call.emit("nn.ELU", call.name(), alpha=1.0)


@operation("LeakyRelu")
def leaky(call: Call) -> None:
    """A small slope for negative numbers."""
    call.emit("nn.LeakyReLU", call.name(), negative_slope=shortest(call.get("alpha", 0.2)))


@operation(" ".join(_FUNCTIONS))
def function(call: Call) -> None:
    """A function of one tensor."""
    call.emit(_FUNCTIONS[call.op], call.name())


@operation("Neg")
def negative(call: Call) -> None:
    """A number with the other sign."""
    call.emit("neg", call.name())


@operation(" ".join(_INFIX))
def arithmetic(call: Call) -> None:
    """An operator."""
    call.emit(_INFIX[call.op], *operands(call))


@operation("Div")
def division(call: Call) -> None:
    """A quotient; that of whole numbers is rounded towards zero."""
    if "float" in (call.fact().dtype or ""):
        call.emit("/", *operands(call))
    else:
        call.emit("torch.div", *operands(call), rounding_mode="trunc")


@operation("FloorDiv TruncateDiv")
def whole_division(call: Call) -> None:
    """A quotient that is rounded."""
    call.emit("torch.div", *operands(call), rounding_mode="floor" if call.op == "FloorDiv" else "trunc")


@operation("DivNoNan")
def safe_division(call: Call) -> None:
    """A quotient that is zero where it is divided by zero."""
    shape = out_shape(call)
    left, right = operands(call)
    if isinstance(right, Literal):
        call.unsupported("it divides by a number")
    is_zero = call.temporary("==", right, Literal(0), shape=known_shape(call, 1))
    quotient = call.temporary("/", left, right, shape=shape)
    call.emit("torch.where", is_zero, Literal(0.0), quotient)


@operation("NotEqual")
def unequal(call: Call) -> None:
    """Where two tensors differ."""
    call.emit("torch.ne", *operands(call))


@operation("Atan2")
def angle(call: Call) -> None:
    """The angle of a point."""
    call.emit("torch.atan2", call.name(0), call.name(1))


@operation("Maximum Minimum")
def extremes(call: Call) -> None:
    """The larger or smaller of two numbers."""
    key = "min" if call.op == "Maximum" else "max"
    left, right = operands(call)
    if isinstance(left, Literal):
        left, right = right, left
    if isinstance(right, Literal):
        call.emit("torch.clamp", left, **{key: shortest(right.value)})
        return
    call.emit(f"torch.{call.op.lower()}", left, right)


@operation("ClipByValue")
def clip(call: Call) -> None:
    """Numbers between two limits."""
    low, high = whole(call, 1, "its lower limit"), whole(call, 2, "its upper limit")
    call.emit("torch.clamp", call.name(), min=shortest(low[0]), max=shortest(high[0]))


@operation("SquaredDifference")
def squared_difference(call: Call) -> None:
    """The square of a difference."""
    made = call.temporary("-", *operands(call), shape=call.graph.shape(call.operation.outputs[0]))
    call.emit("torch.square", made)


@operation("AddN")
def total(call: Call) -> None:
    """The sum of several tensors."""
    names = [name for name in call.operation.inputs if name]
    if len(names) == 1:
        call.alias(names[0])
        return
    so_far = names[0]
    for name in names[1:-1]:
        so_far = call.temporary("+", so_far, name, shape=call.graph.shape(call.operation.outputs[0]))
    call.emit("+", so_far, names[-1])


@operation("SelectV2 Select")
def select(call: Call) -> None:
    """One of two tensors, element by element."""
    if call.op == "Select" and call.rank(0) != call.rank(1) and call.rank(0):
        call.unsupported("its condition is for the first dimension only")
    call.emit("torch.where", call.name(0), call.operand(1, 0), call.operand(2, 0))


@operation("Cast")
def cast(call: Call) -> None:
    """Another element type."""
    dtype = call.graph.fact(call.operation.outputs[0]).dtype
    if dtype is None or dtype not in TYPES:
        call.unsupported(f"there is no element type {dtype}")
    if dtype == call.fact().dtype:
        call.alias(call.name())
    else:
        call.emit(".to", call.name(), dtype=dtype)


TYPES = frozenset("float32 float64 float16 bfloat16 int64 int32 int16 int8 uint8 bool".split())
_REDUCED = {
    "Mean": ".mean",
    "Sum": ".sum",
    "Max": ".amax",
    "Min": ".amin",
    "Prod": ".prod",
    "All": ".all",
    "Any": ".any",
}


@operation(" ".join(_REDUCED))
def reduction(call: Call) -> None:
    """A number for all along some dimensions."""
    rank = len(known_shape(call))
    axes = sorted(axis % rank for axis in whole(call, 1, "which dimensions it is along")) if rank else []
    method = _REDUCED[call.op]
    if not axes:
        call.alias(call.name())
        return
    if method in (".prod", ".all", ".any") and len(axes) != 1:
        call.unsupported("it has several axes")
    last = axes == list(range(rank - len(axes), rank)) and rank > 2
    dims: list[Any] = [axis - rank for axis in axes] if last else list(axes)
    config: dict[str, Any] = {"dim": dims[0] if len(dims) == 1 else tuple(dims)}
    if call.get("keep_dims", False):
        config["keepdim"] = True
    call.emit(method, call.name(), **config)


@operation("ArgMax ArgMin")
def position(call: Call) -> None:
    """Where the largest or smallest number is."""
    axis = whole(call, 1, "its axis")[0]
    method = f".{call.op.lower()}"
    if call.graph.fact(call.operation.outputs[0]).dtype == "int64":
        call.emit(method, call.name(), dim=axis)
        return
    made = call.temporary(method, call.name(), shape=out_shape(call), dim=axis)
    call.emit(".to", made, dtype=call.graph.fact(call.operation.outputs[0]).dtype)


@operation("Softmax LogSoftmax")
def softmax(call: Call) -> None:
    """Probabilities that add up to one."""
    call.emit("nn.Softmax" if call.op == "Softmax" else "nn.LogSoftmax", call.name(), dim=-1)


@operation("Cumsum Cumprod")
def cumulative(call: Call) -> None:
    """Sums or products of all numbers up to one."""
    if call.get("exclusive", False) or call.get("reverse", False):
        call.unsupported("it leaves out the number itself, or runs backwards")
    call.emit(f"torch.{call.op.lower()}", call.name(), dim=whole(call, 1, "its axis")[0])


@operation("StopGradient PreventGradient Snapshot CheckNumerics")
def same(call: Call) -> None:
    """A tensor as it is."""
    call.alias(call.name())


@operation("TopKV2")
def largest(call: Call) -> None:
    """The largest numbers and where they are."""
    call.emit("torch.topk", call.name(), k=whole(call, 1, "how many it takes")[0], dim=-1)
