"""Activations, arithmetic, reductions."""

from __future__ import annotations

from typing import Any

from cutaway.recover.graph import Literal
from cutaway.recover.targets.keras.table import Rewriting, row

_ACTIVATIONS = {
    "nn.Sigmoid": "sigmoid", "nn.Tanh": "tanh", "nn.Hardswish": "hard_silu", "nn.Hardsigmoid": "hard_sigmoid",
    "nn.SiLU": "silu", "nn.SELU": "selu", "nn.Softplus": "softplus",
}  # fmt: skip
_SAME = "+ - * / ** % == > >= < <= & | ^ @ neg"
_FUNCTIONS = {
    "torch.abs": "abs", "torch.exp": "exp", "torch.log": "log", "torch.sqrt": "sqrt", "torch.rsqrt": "rsqrt",
    "torch.square": "square", "torch.erf": "erf", "torch.floor": "floor", "torch.ceil": "ceil", "torch.round": "round",
    "torch.sign": "sign", "torch.sin": "sin", "torch.cos": "cos", "torch.tan": "tan", "torch.reciprocal": "reciprocal",
    "torch.log1p": "log1p", "torch.expm1": "expm1", "torch.logical_not": "logical_not", "torch.isnan": "isnan",
    "torch.maximum": "maximum", "torch.minimum": "minimum", "torch.ne": "not_equal", "torch.where": "where",
    "F.softsign": "soft_sign", "F.logsigmoid": "log_sigmoid", "torch.tanh": "tanh", "torch.sigmoid": "sigmoid",
    "torch.einsum": "einsum", "torch.atan": "arctan", "torch.asin": "arcsin", "torch.acos": "arccos", "torch.sinh": "sinh",
    "torch.cosh": "cosh",
}  # fmt: skip


@row(_SAME)
def operator(call: Rewriting) -> None:
    """An operator."""
    call.emit(call.op, *call.node.inputs)


@row(" ".join(_FUNCTIONS))
def function(call: Rewriting) -> None:
    """A function of the same tensors."""
    call.emit(f"ops.{_FUNCTIONS[call.op]}", *call.node.inputs)


@row(" ".join(_ACTIVATIONS))
def activation(call: Rewriting) -> None:
    """An activation without settings."""
    call.emit("layers.Activation", call.name(), activation=_ACTIVATIONS[call.op])


@row("nn.ReLU")
def relu(call: Rewriting) -> None:
    """No negative numbers."""
    call.emit("layers.ReLU", call.name())


@row("nn.ReLU6")
def relu6(call: Rewriting) -> None:
    """Numbers between 0 and 6."""
    call.emit("layers.ReLU", call.name(), max_value=6.0)


@row("nn.GELU")
def gelu(call: Rewriting) -> None:
    """x times the distribution of the normal one."""
    call.emit("ops.gelu", call.name(), approximate=call.get("approximate") == "tanh")


@row("nn.Mish")
def mish(call: Rewriting) -> None:
    """x * tanh(softplus(x))."""
    soft = call.temporary("ops.softplus", call.name(), shape=call.shape())
    gate = call.temporary("ops.tanh", soft, shape=call.shape())
    call.emit("*", call.name(), gate)


@row("nn.LeakyReLU")
def leaky(call: Rewriting) -> None:
    """A small slope for negative numbers."""
    call.emit("layers.LeakyReLU", call.name(), negative_slope=call.get("negative_slope", 0.01))


@row("nn.ELU")
def elu(call: Rewriting) -> None:
    """An exponential for negative numbers."""
    call.emit("layers.ELU", call.name(), alpha=call.get("alpha", 1.0))


@row("nn.PReLU")
def prelu(call: Rewriting) -> None:
    """A slope for negative numbers that is learned; channels come last."""
    rank, slope = len(call.shape()), call.weights["weight"]
    channels = call.shape()[-1]
    if slope.shape != (channels,) and channels != 1:
        call.unsupported("it has one slope for all channels")
    weights = {"alpha": slope.reshaped(*[1] * (rank - 2), channels)}
    call.emit("layers.PReLU", call.name(), weights=weights, shared_axes=list(range(1, rank - 1)))


@row("nn.Softmax")
def softmax(call: Rewriting) -> None:
    """Probabilities that add up to one."""
    call.emit("layers.Softmax", call.name(), axis=call.get("dim", -1))


@row("nn.LogSoftmax")
def log_softmax(call: Rewriting) -> None:
    """The logarithm of probabilities."""
    call.emit("ops.log_softmax", call.name(), axis=call.get("dim", -1))


@row("torch.clamp")
def clamp(call: Rewriting) -> None:
    """Numbers that are kept within limits."""
    low, high = call.get("min"), call.get("max")
    if len(call.node.inputs) != 1:
        call.unsupported("its limits are tensors")
    if low is not None and high is not None:
        call.emit("ops.clip", call.name(), Literal(low), Literal(high))
    elif low is not None:
        call.emit("ops.maximum", call.name(), Literal(low))
    else:
        call.emit("ops.minimum", call.name(), Literal(high))


_REDUCTIONS = {".mean": "mean", ".sum": "sum", ".amax": "max", ".amin": "min", ".prod": "prod", ".logsumexp": "logsumexp",
               ".any": "any", ".all": "all", ".max": "max", ".min": "min"}  # fmt: skip


@row(" ".join(_REDUCTIONS))
def reduction(call: Rewriting) -> None:
    """A number for all along some dimensions."""
    if len([name for name in call.outputs if name]) > 1:
        call.unsupported("it also returns where numbers are")
    config: dict[str, Any] = {}
    if call.get("dim") is not None:
        config["axis"] = call.get("dim")
        if call.get("keepdim"):
            config["keepdims"] = True
    call.emit(f"ops.{_REDUCTIONS[call.op]}", call.name(), **config)


@row("torch.var torch.std")
def variance(call: Rewriting) -> None:
    """How far numbers are from their mean."""
    if call.get("correction", 1) != 0:
        call.unsupported("it is corrected for samples")
    config: dict[str, Any] = {} if call.get("dim") is None else {"axis": call.get("dim")}
    if call.get("keepdim"):
        config["keepdims"] = True
    call.emit(f"ops.{call.op.rpartition('.')[2]}", call.name(), **config)


@row("torch.linalg.vector_norm")
def norm(call: Rewriting) -> None:
    """The length of vectors."""
    config: dict[str, Any] = {"axis": call.get("dim")}
    if call.get("ord", 2) != 2:
        call.unsupported(f"its order is {call.get('ord')}")
    if call.get("keepdim"):
        config["keepdims"] = True
    call.emit("ops.norm", call.name(), **config)


@row(".argmax .argmin")
def position(call: Rewriting) -> None:
    """Where the largest or smallest number is."""
    if call.get("keepdim"):
        call.unsupported("it keeps the dimension")
    made = call.temporary(f"ops.{call.op[1:]}", call.name(), shape=call.out_shape(), axis=call.get("dim"))
    call.emit("ops.cast", made, dtype="int64")


@row("torch.div")
def division(call: Rewriting) -> None:
    """A quotient that is rounded."""
    if call.get("rounding_mode") != "floor":
        call.unsupported("it rounds towards zero")
    call.emit("ops.floor_divide", *call.node.inputs)


@row(".to")
def convert(call: Rewriting) -> None:
    """Another element type."""
    call.emit("ops.cast", call.name(), dtype=call.get("dtype"))


@row("torch.cumsum")
def cumulative(call: Rewriting) -> None:
    """Sums of all numbers so far."""
    call.emit("ops.cumsum", call.name(), axis=call.get("dim"))
