"""Activation functions; where `inplace` is true the input itself is written."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal
from cutaway.core.unknown import Unknown
from cutaway.knowledge.torch.functional.argument import axis, floating, same_dtype
from cutaway.knowledge.torch.tensor.op import Out, composite, compute, inplace_op, op
from cutaway.knowledge.torch.tensor.promote import float_type
from cutaway.knowledge.torch.tensor.types import bool_, uint8
from cutaway.ops.window import shown

_F = "torch.nn.functional."
_NN = "torch._C._nn."


def _like(name: str, input: Any, values: Any = None) -> Out:
    """The result of a function of one floating input, element by element."""
    return Out(input.shape, floating(name, input), values)


def _relu(name: str, input: Any, top: float | None = None) -> Out:
    if input.dtype is bool_ or input.dtype.is_complex:
        raise Fault(f"{name}: {input.dtype} inputs are not supported", FaultCode.UNSUPPORTED_DTYPE)
    return Out(input.shape, input.dtype, compute(lambda np, a: np.clip(a, 0, top), input))


@op(f"{_F}relu")
def relu(input, inplace=False):
    return _relu("relu", input)


@op("torch.relu", "torch.Tensor.relu", inplace=True)
def torch_relu(input):
    return _relu("relu", input)


@op(f"{_F}relu6")
def relu6(input, inplace=False):
    return _relu("relu6", input, 6)


@op(f"{_F}hardtanh")
def hardtanh(input, min_val=-1.0, max_val=1.0, inplace=False):
    if not isinstance(min_val, Unknown) and not isinstance(max_val, Unknown) and min_val > max_val:
        raise ArgumentFault(
            f"hardtanh: min_val {min_val} is greater than max_val {max_val}", FaultCode.INVALID_ARGUMENT
        )
    return _hardtanh(input, min_val, max_val)


def _hardtanh(input: Any, min_val: Any, max_val: Any) -> Out:
    if input.dtype is bool_:
        raise Fault(f"hardtanh: {input.dtype} inputs are not supported", FaultCode.UNSUPPORTED_DTYPE)
    if input.dtype is uint8 and any(isinstance(limit, (int, float)) and limit < 0 for limit in (min_val, max_val)):
        raise Fault(
            f"hardtanh: limits of {min_val} and {max_val} are not for {input.dtype}", FaultCode.UNSUPPORTED_DTYPE
        )
    return Out(
        input.shape, input.dtype, compute(lambda np, a, low, high: np.clip(a, low, high), input, min_val, max_val)
    )


def _threshold(input: Any, threshold: Any, value: Any) -> Out:
    return Out(input.shape, input.dtype, compute(lambda np, a, t, v: np.where(a > t, a, v), input, threshold, value))


@op(f"{_F}threshold")
def threshold(input, threshold, value, inplace=False):
    return _threshold(input, threshold, value)


@op("torch.threshold", inplace=True)
def torch_threshold(input, threshold, value):
    return _threshold(input, threshold, value)


@op(f"{_F}leaky_relu")
def leaky_relu(input, negative_slope=0.01, inplace=False):
    return _like("leaky_relu", input)


@op(f"{_F}elu")
def elu(input, alpha=1.0, inplace=False):
    return _like("elu", input)


@op(f"{_F}celu")
def celu(input, alpha=1.0, inplace=False):
    return _like("celu", input)


@op("torch.celu", inplace=True)
def torch_celu(input, alpha=1.0):
    return _like("celu", input)


@op(f"{_F}selu")
def selu(input, inplace=False):
    return _like("selu", input)


@op("torch.selu", inplace=True)
def torch_selu(input):
    return _like("selu", input)


def _rrelu(input: Any, lower: Any, upper: Any) -> Out:
    if isinstance(lower, (int, float)) and isinstance(upper, (int, float)) and lower > upper:
        raise Fault(f"rrelu: lower {lower} is greater than upper {upper}", FaultCode.INVALID_ARGUMENT)
    return _like("rrelu", input)


@op(f"{_F}rrelu")
def rrelu(input, lower=0.125, upper=0.3333333333333333, training=False, inplace=False):
    return _rrelu(input, lower, upper)


@op("torch.rrelu", inplace=True)
def torch_rrelu(input, lower=0.125, upper=0.3333333333333333, training=False, generator=None):
    return _rrelu(input, lower, upper)


@op(f"{_F}silu")
def silu(input, inplace=False):
    return Out(input.shape, floating("silu", input, complex=True))


def _simple(name: str) -> None:
    @op(f"{_F}{name}")
    def activation(input, inplace=False):
        return _like(name, input)


for _name in ("hardsigmoid", "hardswish", "mish"):
    _simple(_name)


@op(f"{_F}gelu", f"{_NN}gelu")
def gelu(input, approximate="none"):
    if not isinstance(approximate, Unknown) and approximate not in ("none", "tanh"):
        raise Fault(f"gelu: approximate must be 'none' or 'tanh', but is {approximate!r}", FaultCode.INVALID_ARGUMENT)
    return _like("gelu", input)


@op(f"{_F}softplus", f"{_NN}softplus")
def softplus(input, beta=1, threshold=20):
    return _like("softplus", input)


@op(f"{_F}softshrink", f"{_NN}softshrink")
def softshrink(input, lambd=0.5):
    if isinstance(lambd, (int, float)) and lambd < 0:
        raise Fault(f"softshrink: lambd must not be negative, but is {lambd}", FaultCode.INVALID_ARGUMENT)
    return _like("softshrink", input)


@op(f"{_F}hardshrink", "torch.hardshrink", "torch.Tensor.hardshrink")
def hardshrink(input, lambd=0.5):
    return _like("hardshrink", input)


@op(f"{_F}logsigmoid", f"{_NN}log_sigmoid")
def logsigmoid(input):
    return _like("logsigmoid", input)


@composite(f"{_F}sigmoid")
def sigmoid(input):
    return input.sigmoid()


@composite(f"{_F}tanh")
def tanh(input):
    return input.tanh()


def _float_of_number(name: str) -> None:
    @op(f"{_F}{name}")
    def activation(input):
        if input.dtype is bool_:
            raise Fault(f"{name}: {input.dtype} inputs are not supported", FaultCode.UNSUPPORTED_DTYPE)
        return Out(input.shape, float_type(input.dtype))


for _name in ("tanhshrink", "softsign"):
    _float_of_number(_name)


@op(f"{_F}prelu", "torch.prelu", "torch.Tensor.prelu")
def prelu(input, weight):
    same_dtype("prelu", input=input, weight=weight)
    weights = weight.shape
    if len(weights) > 1:
        raise Fault(f"prelu: weight must have one dimension, but its shape is {shown(weights)}", FaultCode.WRONG_RANK)
    if weights and equal(weights[0], 1) is False:
        if not input.shape:
            raise Fault(f"prelu: a single number can't have the {weights[0]} channels of weight", FaultCode.WRONG_RANK)
        channels = input.shape[1] if len(input.shape) > 1 else 1
        if equal(channels, weights[0]) is False:
            raise Fault(
                f"prelu: input has {channels} channels, but weight has {weights[0]} elements", FaultCode.SHAPE_MISMATCH
            )
    return _like("prelu", input)


@op(f"{_F}glu", f"{_NN}glu")
def glu(input, dim=-1):
    if not input.shape:
        raise Fault("glu: a single number can't be halved", FaultCode.WRONG_RANK)
    dim = axis("glu", dim, input.shape)
    size = input.shape[dim]
    if not session.require_equal(size % 2, 0, "glu"):
        raise Fault(
            f"glu: dimension {dim} of the input {shown(input.shape)} must be even, but is {size}",
            FaultCode.SHAPE_MISMATCH,
        )
    return Out((*input.shape[:dim], size // 2, *input.shape[dim + 1 :]), floating("glu", input))


def _softmax_out(name: str, input: Any, dim: Any, dtype: Any, values: Any = None) -> Out:
    axis(name, dim, input.shape)
    return Out(input.shape, floating(name, input) if dtype is None else dtype, values)


def _softmax(np: Any, a: Any, dim: Any) -> Any:
    return np.exp(_log_softmax(np, a, dim))


def _log_softmax(np: Any, a: Any, dim: Any) -> Any:
    a = np.asarray(a, dtype=float)
    if not a.ndim:
        return a - a
    a = a - a.max(axis=dim, keepdims=True, initial=-np.inf)
    return a - np.log(np.exp(a).sum(axis=dim, keepdims=True))


def _implicit(dim: Any, input: Any) -> Any:
    """The dimension that torch takes where none is given."""
    if dim is not None or isinstance(input.shape, Unknown):
        return -1 if dim is None else dim
    return 0 if len(input.shape) in (0, 1, 3) else 1


def _softmax_family(name: str, values: Any) -> None:
    @op(f"{_F}{name}")
    def functional(input, dim=None, _stacklevel=3, dtype=None):
        dim = _implicit(dim, input)
        return _softmax_out(name, input, dim, dtype, compute(values, input, dim))

    if name != "softmin":
        qualified = (f"torch.{name}", f"torch.Tensor.{name}")

        @op(*qualified)
        def torch_function(input, dim, dtype=None):
            return _softmax_out(name, input, dim, dtype, compute(values, input, dim))


_softmax_family("softmax", _softmax)
_softmax_family("log_softmax", _log_softmax)
_softmax_family("softmin", lambda np, a, dim: _softmax(np, np.negative(a), dim))


def _special_softmax(name: str) -> None:
    @op(f"torch.special.{name}")
    def special(input, dim, *, dtype=None):
        return _softmax_out(name, input, dim, dtype)


for _name in ("softmax", "log_softmax"):
    _special_softmax(_name)


@op(f"{_F}gumbel_softmax")
def gumbel_softmax(logits, tau=1, hard=False, eps=1e-10, dim=-1):
    return _softmax_out("gumbel_softmax", logits, dim, None)


# The in-place twins that `torch.nn.functional` has of some activations, each with its own signature.
_WRITTEN: dict[str, Any] = {
    "celu": lambda input, alpha=1.0: _like("celu", input),
    "elu": lambda input, alpha=1.0, scale=1, input_scale=1: _like("elu", input),
    "hardtanh": lambda input, min_val=-1.0, max_val=1.0: _hardtanh(input, min_val, max_val),
    "leaky_relu": lambda input, negative_slope=0.01: _like("leaky_relu", input),
    "relu": lambda input: _relu("relu", input),
    "rrelu": lambda input, lower=0.125, upper=1 / 3, training=False, generator=None: _rrelu(input, lower, upper),
    "selu": lambda input: _like("selu", input),
    "threshold": lambda input, threshold, value: _threshold(input, threshold, value),
}
for _name, _rule in _WRITTEN.items():
    _owners = (_F, _NN) if _name in ("elu", "hardtanh", "leaky_relu") else (_F,)
    inplace_op(*(f"{_owner}{_name}_" for _owner in _owners))(_rule)
