"""Functions of each element: activations, arithmetic, comparisons, conversions."""

from __future__ import annotations

from typing import Any

from cutaway.recover.graph import Input, Literal, Operand
from cutaway.recover.sources.torch.table import row
from cutaway.recover.sources.traced import Call

_LAYERS = {
    "relu": "nn.ReLU", "relu6": "nn.ReLU6", "sigmoid": "nn.Sigmoid", "tanh": "nn.Tanh", "hardswish": "nn.Hardswish",
    "hardsigmoid": "nn.Hardsigmoid", "mish": "nn.Mish", "silu": "nn.SiLU", "selu": "nn.SELU",
}  # fmt: skip
_FUNCTIONS = (
    "abs acos acosh asin asinh atan atanh ceil cos cosh erf erfc exp expm1 floor log log2 log10 log1p reciprocal rsqrt sign "
    "sin sinh sqrt square tan isnan isinf isfinite logical_not bitwise_not frac trunc lgamma digamma"
)
_INFIX = {
    "add": "+", "sub": "-", "mul": "*", "div": "/", "eq": "==", "gt": ">", "ge": ">=", "lt": "<", "le": "<=", "pow": "**",
    "matmul": "@", "bmm": "@", "mm": "@", "mv": "@", "logical_and": "&", "logical_or": "|", "bitwise_and": "&",
    "bitwise_or": "|", "bitwise_xor": "^", "remainder": "%", "multiply": "*", "true_divide": "/", "divide": "/",
    "subtract": "-", "__and__": "&", "__or__": "|", "__xor__": "^", "__mul__": "*", "__add__": "+", "__truediv__": "/",
    "__mod__": "%", "__pow__": "**", "__matmul__": "@", "__sub__": "-", "greater": ">", "less": "<", "greater_equal": ">=",
    "less_equal": "<=", "__lshift__": "<<", "__rshift__": ">>",
}  # fmt: skip
_SAME = (
    "contiguous dropout dropout1d dropout2d dropout3d alpha_dropout feature_dropout feature_alpha_dropout detach clone "
    "identity alias lift_fresh lift_fresh_copy requires_grad cpu cuda native_dropout resolve_conj "
    "stochastic_depth _assert_tensor_metadata"
)


@row(" ".join(_LAYERS))
def activation(call: Call) -> None:
    """An activation without settings."""
    call.emit(_LAYERS[call.key], call.name())


@row(_FUNCTIONS)
def function(call: Call) -> None:
    """A function of one tensor."""
    call.emit(f"torch.{call.key}", call.name())


@row(_SAME)
def same(call: Call) -> None:
    """A tensor as it is; in evaluation, nothing is dropped."""
    if call.get("training") is True or call.get("train") is True:
        call.unsupported("it is in training mode")
    call.outputs = call.outputs[:1]
    call.alias(call.name())


@row("neg negative __neg__")
def negative(call: Call) -> None:
    """A number with the other sign."""
    call.emit("neg", call.name())


def operands(call: Call) -> tuple[Operand, Operand]:
    """Return the two operands of an operator, as it is written."""
    left, right = call.arg("input"), call.arg("other")
    if left is None or right is None:
        left, right = (call.arg("self") or left, call.arg("exponent") or right)
    if left is None or right is None:
        call.unsupported("one of its operands is not known")
    return left, right


@row(" ".join(_INFIX), "input other")
def arithmetic(call: Call) -> None:
    """An operator on two tensors, or a tensor and a number."""
    if "mat2" in call.attributes or "vec" in call.attributes:
        call.unsupported("its operand is a number")
    if call.get("rounding_mode") is not None:
        left, right = operands(call)
        call.emit("torch.div", left, right, rounding_mode=call.get("rounding_mode"))
        return
    if call.key == "pow" and "exponent" not in call.attributes and len(call.inputs) == 1:
        base = call.attributes.get("self", call.attributes.get("input"))
        call.emit("**", Literal(base), call.inputs[0])
        return
    left, right = operands(call)
    if call.get("alpha", 1) != 1:
        right = _scaled(call, right)
    call.emit(_INFIX[call.key], left, right)


def _scaled(call: Call, operand: Operand) -> Operand:
    factor = call.get("alpha", 1)
    if isinstance(operand, Literal):
        return Literal(operand.value * factor)
    return call.temporary("*", operand, Literal(factor), shape=call.graph.shape(operand))


@row("rsub __rsub__ __rdiv__ __rtruediv__ __rpow__ __rmul__ __radd__ __rmod__ __rmatmul__", "input other")
def reflected(call: Call) -> None:
    """An operator whose operands are given in the other order."""
    left, right = operands(call)
    signs = {"rsub": "-", "__rsub__": "-", "__rdiv__": "/", "__rtruediv__": "/", "__rpow__": "**", "__rmul__": "*",
             "__radd__": "+", "__rmod__": "%", "__rmatmul__": "@"}  # fmt: skip
    call.emit(signs[call.key], right, _scaled(call, left) if call.get("alpha", 1) != 1 else left)


@row("ne not_equal", "input other")
def unequal(call: Call) -> None:
    """Where two tensors differ."""
    call.emit("torch.ne", *operands(call))


@row("floor_divide __floordiv__ __rfloordiv__", "input other")
def floor_division(call: Call) -> None:
    """A quotient that is rounded down."""
    left, right = operands(call)
    if call.key == "__rfloordiv__":
        left, right = right, left
    call.emit("torch.div", left, right, rounding_mode="floor")


@row("maximum minimum fmod atan2", "input other")
def pairwise(call: Call) -> None:
    """A function of two tensors."""
    left, right = operands(call)
    if call.key in ("maximum", "minimum") and isinstance(right, Literal):
        call.emit("torch.clamp", left, **{"min" if call.key == "maximum" else "max": right.value})
        return
    call.emit(f"torch.{call.key}", left, right)


@row("clamp clip clamp_min clamp_max hardtanh", "input min max")
def clamp(call: Call) -> None:
    """Numbers that are kept within limits."""
    low, high = call.arg("min"), call.arg("max")
    if call.key == "hardtanh":
        low, high = Literal(call.get("min_val", -1.0)), Literal(call.get("max_val", 1.0))
        if (low.value, high.value) == (0.0, 6.0):
            call.emit("nn.ReLU6", call.name())
            return
    config: dict[str, Any] = {}
    inputs = [call.name()]
    for word, limit in (("min", low), ("max", high)):
        if isinstance(limit, Literal):
            config[word] = limit.value
        elif limit is not None:
            config[word] = Input(len(inputs))
            inputs.append(limit)
    call.emit("torch.clamp", *inputs, **config)


@row("gelu")
def gelu(call: Call) -> None:
    """x times the distribution of the normal one."""
    call.emit("nn.GELU", call.name(), approximate=call.get("approximate", "none"))


@row("leaky_relu elu celu softplus threshold softshrink hardshrink")
def shaped_activation(call: Call) -> None:
    """An activation with a setting."""
    settings: dict[str, dict[str, Any]] = {
        "leaky_relu": {"negative_slope": 0.01}, "elu": {"alpha": 1.0}, "celu": {"alpha": 1.0}, "softplus": {},
        "threshold": {"threshold": 0.0, "value": 0.0}, "softshrink": {"lambd": 0.5}, "hardshrink": {"lambd": 0.5},
    }  # fmt: skip
    names = {"leaky_relu": "LeakyReLU", "elu": "ELU", "celu": "CELU", "softplus": "Softplus", "threshold": "Threshold",
             "softshrink": "Softshrink", "hardshrink": "Hardshrink"}  # fmt: skip
    if call.key == "softplus" and (call.get("beta", 1) != 1 or call.get("threshold", 20) != 20):
        call.emit("F.softplus", call.name(), beta=call.get("beta", 1), threshold=call.get("threshold", 20))
        return
    if call.key == "elu" and (call.get("scale", 1) != 1 or call.get("input_scale", 1) != 1):
        call.unsupported("its scale is not 1")
    config = {name: call.get(name, default) for name, default in settings[call.key].items()}
    call.emit(f"nn.{names[call.key]}", call.name(), **config)


@row("prelu", "input weight")
def prelu(call: Call) -> None:
    """A slope for negative numbers that is learned."""
    weight = call.tensor("weight")
    if weight is None:
        call.emit("F.prelu", call.name(), call.name("weight"))
        return
    call.emit(
        "nn.PReLU", call.name(), weights={"weight": weight}, num_parameters=weight.shape[0] if weight.shape else 1
    )


@row("softsign logsigmoid tanhshrink")
def plain_function(call: Call) -> None:
    """An activation that is a function."""
    call.emit(f"F.{call.key}", call.name())


@row("softmax _softmax log_softmax _log_softmax")
def softmax(call: Call) -> None:
    """Probabilities that add up to one."""
    dim = call.get("dim")
    if dim is None:
        dim = 0 if call.rank in (0, 1, 3) else 1
    if (
        call.get("dtype") is not None
        and str(call.get("dtype")).removeprefix("torch.") != call.graph.fact(call.name()).dtype
    ):
        call.unsupported("it changes the element type")
    call.emit("nn.LogSoftmax" if "log" in call.key else "nn.Softmax", call.name(), dim=dim)


@row("glu")
def gated(call: Call) -> None:
    """One half times the sigmoid of the other."""
    call.emit("F.glu", call.name(), dim=call.get("dim", -1))


@row("where", "condition input other")
def where(call: Call) -> None:
    """One of two tensors, element by element."""
    if "self" in call.attributes:
        call.attributes["input"] = call.attributes.pop("self")
        call.arguments["condition"], call.arguments["other"] = call.inputs[0], call.inputs[-1]
        call.arguments.pop("input", None)
    left, right = call.arg("input"), call.arg("other")
    if left is None or right is None:
        call.unsupported("it has only a condition")
    call.emit("torch.where", call.name("condition"), left, right)


@row("masked_fill", "input mask value")
def masked_fill(call: Call) -> None:
    """A number at the places of a mask."""
    value = call.arg("value")
    if value is None:
        call.unsupported("the number is not known")
    call.emit("torch.where", call.name("mask"), value, call.name())


_TYPES = {"float": "float32", "double": "float64", "half": "float16", "long": "int64", "int": "int32", "bool": "bool",
          "bfloat16": "bfloat16"}  # fmt: skip


@row("to type _to_copy float double half long int bool bfloat16 type_as to_copy convert_element_type", "input other")
def convert(call: Call) -> None:
    """Another element type."""
    own, new = call.graph.fact(call.name()).dtype, call.op.outputs[0].dtype
    if own == new:
        call.alias(call.name())
        return
    if new is None:
        call.unsupported("the element type is not known")
    call.emit(".to", call.name(), dtype=new)


@row("lerp", "input end weight")
def lerp(call: Call) -> None:
    """A point between two tensors."""
    weight = call.arg("weight")
    if weight is None:
        call.unsupported("its weight is not known")
    call.emit("torch.lerp", call.name(), call.name("end"), weight)


@row("addcmul addcdiv", "input tensor1 tensor2")
def added(call: Call) -> None:
    """A tensor plus a product or quotient of two others."""
    config = {} if call.get("value", 1) == 1 else {"value": call.get("value")}
    call.emit(f"torch.{call.key}", call.name(), call.name("tensor1"), call.name("tensor2"), **config)
