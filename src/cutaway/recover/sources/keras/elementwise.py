"""Operations on each element."""

from __future__ import annotations

from typing import Any

from cutaway.recover.graph import Literal, Operand
from cutaway.recover.sources.keras.table import row
from cutaway.recover.sources.traced import Call

_LAYERS = {
    "relu": "nn.ReLU", "relu6": "nn.ReLU6", "sigmoid": "nn.Sigmoid", "tanh": "nn.Tanh", "hard_silu": "nn.Hardswish",
    "hard_swish": "nn.Hardswish", "hard_sigmoid": "nn.Hardsigmoid", "mish": "nn.Mish", "silu": "nn.SiLU", "swish": "nn.SiLU",
    "selu": "nn.SELU", "softplus": "nn.Softplus",
}  # fmt: skip
_FUNCTIONS = {
    "abs": "torch.abs", "absolute": "torch.abs", "exp": "torch.exp", "log": "torch.log", "sqrt": "torch.sqrt",
    "rsqrt": "torch.rsqrt", "square": "torch.square", "erf": "torch.erf", "floor": "torch.floor", "ceil": "torch.ceil",
    "sign": "torch.sign", "sin": "torch.sin", "cos": "torch.cos", "tan": "torch.tan", "reciprocal": "torch.reciprocal",
    "log1p": "torch.log1p", "expm1": "torch.expm1", "logical_not": "torch.logical_not", "isnan": "torch.isnan",
    "softsign": "F.softsign", "log_sigmoid": "F.logsigmoid", "tanh_shrink": "F.tanhshrink", "round": "torch.round",
    "sinh": "torch.sinh", "cosh": "torch.cosh", "arctan": "torch.atan", "arcsin": "torch.asin", "arccos": "torch.acos",
}  # fmt: skip
_INFIX = {
    "add": "+", "subtract": "-", "multiply": "*", "divide": "/", "true_divide": "/", "power": "**", "equal": "==",
    "greater": ">", "greater_equal": ">=", "less": "<", "less_equal": "<=", "logical_and": "&", "logical_or": "|",
    "mod": "%",
}  # fmt: skip


@row(" ".join(_LAYERS), "x")
def activation(call: Call) -> None:
    """An activation without settings."""
    call.emit(_LAYERS[call.key], call.name("x"))


@row(" ".join(_FUNCTIONS), "x")
def function(call: Call) -> None:
    """A function of one tensor."""
    call.emit(_FUNCTIONS[call.key], call.name("x"))


def operands(call: Call) -> tuple[Operand, Operand]:
    """Return both operands."""
    left, right = call.arg("x1"), call.arg("x2")
    if left is None or right is None:
        call.unsupported("one of its operands is not known")
    return left, right


@row(" ".join(_INFIX), "x1 x2")
def arithmetic(call: Call) -> None:
    """An operator; one that changes nothing is left out."""
    left, right = operands(call)
    sign = _INFIX[call.key]
    neutral = {"+": 0, "-": 0, "*": 1, "/": 1}.get(sign)
    if isinstance(right, Literal) and right.value == neutral and isinstance(left, str):
        call.alias(left)
        return
    call.emit(sign, left, right)


@row("maximum minimum", "x1 x2")
def extremes(call: Call) -> None:
    """The larger or smaller of two numbers."""
    left, right = operands(call)
    if isinstance(right, Literal) and isinstance(left, str):
        call.emit("torch.clamp", left, **{"min" if call.key == "maximum" else "max": right.value})
        return
    call.emit(f"torch.{call.key}", left, right)


@row("not_equal", "x1 x2")
def unequal(call: Call) -> None:
    """Where two tensors differ."""
    call.emit("torch.ne", *operands(call))


@row("floor_divide", "x1 x2")
def floor_division(call: Call) -> None:
    """A quotient that is rounded down."""
    call.emit("torch.div", *operands(call), rounding_mode="floor")


@row("negative", "x")
def negative(call: Call) -> None:
    """A number with the other sign."""
    call.emit("neg", call.name("x"))


@row("clip", "x")
def clip(call: Call) -> None:
    """Numbers that are kept within limits."""
    call.emit("torch.clamp", call.name("x"), min=call.get("x_min"), max=call.get("x_max"))


@row("gelu", "x")
def gelu(call: Call) -> None:
    """x times the distribution of the normal one."""
    call.emit("nn.GELU", call.name("x"), approximate="tanh" if call.get("approximate", True) else "none")


@row("leaky_relu elu celu", "x")
def shaped(call: Call) -> None:
    """An activation with a setting."""
    if call.key == "leaky_relu":
        call.emit("nn.LeakyReLU", call.name("x"), negative_slope=call.get("negative_slope", 0.2))
        return
    call.emit({"elu": "nn.ELU", "celu": "nn.CELU"}[call.key], call.name("x"), alpha=call.get("alpha", 1.0))


@row("softmax log_softmax", "x")
def softmax(call: Call) -> None:
    """Probabilities that add up to one."""
    axis = call.get("axis", -1)
    if isinstance(axis, list):
        if len(axis) != 1:
            call.unsupported("it has several axes")
        axis = axis[0]
    call.emit("nn.Softmax" if call.key == "softmax" else "nn.LogSoftmax", call.name("x"), dim=axis)


@row("cast", "x")
def cast(call: Call) -> None:
    """Another element type."""
    own, new = call.graph.fact(call.name("x")).dtype, call.op.outputs[0].dtype
    if own == new:
        call.alias(call.name("x"))
    elif new is None:
        call.unsupported("the element type is not known")
    else:
        call.emit(".to", call.name("x"), dtype=new)


@row("where", "condition x1 x2")
def where(call: Call) -> None:
    """One of two tensors, element by element."""
    left, right = operands(call)
    call.emit("torch.where", call.name("condition"), left, right)


@row("stop_gradient copy identity convert_to_tensor", "x")
def same(call: Call) -> None:
    """A tensor as it is."""
    call.alias(call.inputs[0])


def reduction_config(call: Call) -> dict[str, Any]:
    """Return the dimensions along which numbers are reduced."""
    axis = call.get("axis")
    config: dict[str, Any] = {}
    if axis is not None:
        config["dim"] = (
            tuple(axis) if isinstance(axis, list) and len(axis) > 1 else axis[0] if isinstance(axis, list) else axis
        )
        if call.get("keepdims", False):
            config["keepdim"] = True
    return config


_REDUCED = {"mean": ".mean", "sum": ".sum", "max": ".amax", "min": ".amin", "prod": ".prod", "logsumexp": ".logsumexp",
            "any": ".any", "all": ".all"}  # fmt: skip


@row(" ".join(_REDUCED), "x")
def reduction(call: Call) -> None:
    """A number for all along some dimensions."""
    config = reduction_config(call)
    if not config and call.key in ("max", "min"):
        call.emit(f".{call.key}", call.name("x"))
        return
    call.emit(_REDUCED[call.key], call.name("x"), **config)


@row("var std", "x")
def variance(call: Call) -> None:
    """How far numbers are from their mean."""
    call.emit(f"torch.{call.key}", call.name("x"), **reduction_config(call), correction=0)


@row("argmax argmin", "x")
def position(call: Call) -> None:
    """Where the largest or smallest number is."""
    config = {} if call.get("axis") is None else {"dim": call.get("axis")}
    whole = call.temporary(f".{call.key}", call.name("x"), shape=call.out_shape(), **config)
    call.emit(".to", whole, dtype=call.op.outputs[0].dtype)


@row("normalize", "x")
def normalize(call: Call) -> None:
    """Vectors of length one."""
    order, axis = call.get("order", 2), call.get("axis", -1)
    if not isinstance(axis, int) or not isinstance(order, int):
        call.unsupported("it is over several axes")
    call.emit("F.normalize", call.name("x"), dim=axis, p=float(order), eps=call.get("epsilon", 1e-12))
