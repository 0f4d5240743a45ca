"""`torch.nn.init`: what fills a weight makes its numbers unknown, unless it is a constant."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import wraps
from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, AttributeFault, Fault, NotImplementedFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, product
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import register, row
from cutaway.knowledge.base.values import Lazy, cast
from cutaway.knowledge.torch.nn.weights import certain, indivisible, rank
from cutaway.knowledge.torch.tensor.op import Out, compute, inplace_op, write
from cutaway.knowledge.torch.tensor.tensor import Tensor

_LINEAR = ("linear", *(f"{kind}{n}d" for kind in ("conv", "conv_transpose") for n in (1, 2, 3)))


@row("torch.nn.init.calculate_gain")
def calculate_gain(nonlinearity, param=None):
    """Return the recommended gain of a nonlinearity."""
    if nonlinearity in _LINEAR or nonlinearity == "sigmoid":
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "selu":
        return 3.0 / 4
    if nonlinearity != "leaky_relu":
        raise ArgumentFault(
            f"calculate_gain: {nonlinearity!r} is not a nonlinearity it knows", FaultCode.INVALID_ARGUMENT
        )
    if isinstance(param, Unknown):
        return param
    slope = 0.01 if param is None else param
    if isinstance(slope, bool) or not isinstance(slope, (int, float)):
        raise ArgumentFault(f"calculate_gain: negative_slope {slope!r} is not a number", FaultCode.INVALID_ARGUMENT)
    return math.sqrt(2.0 / (1 + slope**2))


@row("torch.nn.init._calculate_fan_in_and_fan_out")
def fans(tensor):
    """Return how many inputs feed one output of a weight, and the other way round."""
    dims = rank(tensor)
    if dims is None:
        return (Unknown("the fan of a weight of unknown shape is not known"),) * 2
    if dims < 2:
        raise ArgumentFault(
            f"fan in and fan out need a tensor of at least 2 dimensions, but this one has shape {_shape(tensor)}",
            FaultCode.WRONG_RANK,
        )
    receptive = product(tensor.shape[2:])
    return tensor.shape[1] * receptive, tensor.shape[0] * receptive


@row("torch.nn.init._calculate_correct_fan")
def correct_fan(tensor, mode):
    """Return the fan that `mode` names."""
    if mode.lower() not in ("fan_in", "fan_out"):
        raise ArgumentFault(f"mode {mode!r} is neither 'fan_in' nor 'fan_out'", FaultCode.INVALID_ARGUMENT)
    return fans(tensor)[mode.lower() == "fan_out"]


def _shape(tensor: Any) -> str:
    return f"({', '.join(map(str, tensor.shape))})"


def _drawn(tensor: Any) -> Out:
    """Return the tensor filled with random numbers, which only floating and complex ones can be."""
    dtype = tensor.dtype
    drawable = dtype.itemsize > 1 and (dtype.is_floating_point or dtype.is_complex)
    if not drawable and certain(lambda: equal(product(tensor.shape), 0) is False):
        raise NotImplementedFault(
            f"random numbers can't be drawn into a tensor of dtype {dtype}", FaultCode.UNSUPPORTED_DTYPE
        )
    return Out(tensor.shape, dtype)


def _filled(tensor: Any, value: Any) -> Out:
    if isinstance(value, Tensor):
        if rank(value):
            raise Fault(
                f"fill_ takes a number or a 0-dimensional tensor, but got one of shape {_shape(value)}",
                FaultCode.WRONG_RANK,
            )
    elif value is None or isinstance(value, (str, list, tuple)):
        raise TypeFault(f"fill_ takes a number, but got {value!r}", FaultCode.WRONG_TYPE)
    shape = tensor.shape
    numbers = None if rank(tensor) is None else compute(lambda np, number: np.full(shape, number), value)
    return Out(shape, tensor.dtype, numbers)


def fill(tensor: Any, number: int) -> None:
    """Fill a weight that is being made with 0 or 1; while operations are recorded, by one."""
    if session.current().recording or not isinstance(tensor, Tensor) or rank(tensor) is None:
        (ones_ if number else zeros_)(tensor)
        return
    shape = tensor.shape
    write(tensor, cast(Lazy(lambda np: np.full(shape, number)), tensor.dtype.name, shape))


def _fills(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Register an initialiser, which needs a tensor; `layer.bias` of a layer without one is None."""

    def decorate(rule: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(rule)
        def fill(tensor: Any, *args: Any, **kwargs: Any) -> Any:
            if not isinstance(tensor, Tensor):
                raise AttributeFault(
                    f"{rule.__name__}: expected a tensor to fill, got {tensor!r}", FaultCode.WRONG_TYPE
                )
            return rule(tensor, *args, **kwargs)

        return inplace_op(*names)(fill)

    return decorate


@_fills("torch.nn.init.uniform_")
def uniform_(tensor, a=0.0, b=1.0, generator=None):
    if certain(lambda: a > b):
        raise Fault(f"uniform_: the range from {a} to {b} is empty", FaultCode.INVALID_ARGUMENT)
    return _drawn(tensor)


@_fills("torch.nn.init._no_grad_uniform_")
def _no_grad_uniform_(tensor, a, b, generator=None):
    return _drawn(tensor)


@_fills("torch.nn.init.normal_")
def normal_(tensor, mean=0.0, std=1.0, generator=None):
    if certain(lambda: std < 0):
        raise Fault(f"normal_: the standard deviation {std} is negative", FaultCode.INVALID_ARGUMENT)
    return _drawn(tensor)


@_fills("torch.nn.init._no_grad_normal_")
def _no_grad_normal_(tensor, mean, std, generator=None):
    return _drawn(tensor)


@_fills("torch.nn.init.trunc_normal_")
def trunc_normal_(tensor, mean=0.0, std=1.0, a=-2.0, b=2.0, generator=None):
    if certain(lambda: std == 0):
        raise ZeroDivisionError("float division by zero")
    return _drawn(tensor)


@_fills("torch.nn.init._no_grad_trunc_normal_")
def _no_grad_trunc_normal_(tensor, mean, std, a, b, generator=None):
    return _drawn(tensor)


@_fills("torch.nn.init.constant_", "torch.nn.init._no_grad_fill_")
def constant_(tensor, val):
    return _filled(tensor, val)


@_fills("torch.nn.init.ones_")
def ones_(tensor):
    return _filled(tensor, 1.0)


@_fills("torch.nn.init.zeros_", "torch.nn.init._no_grad_zero_")
def zeros_(tensor):
    return _filled(tensor, 0.0)


@_fills("torch.nn.init.eye_")
def eye_(tensor):
    _require_rank("eye_", tensor, (2,))
    shape = tensor.shape
    return Out(shape, tensor.dtype, compute(lambda np, rows, columns: np.eye(rows, columns), *shape))


@_fills("torch.nn.init.dirac_")
def dirac_(tensor, groups=1):
    _require_rank("dirac_", tensor, (3, 4, 5))
    if indivisible(tensor.shape[0], groups):
        raise ArgumentFault(
            f"dirac_: the first size {tensor.shape[0]} is not divisible by groups {groups}", FaultCode.SHAPE_MISMATCH
        )
    return Out(tensor.shape, tensor.dtype)


@_fills("torch.nn.init.xavier_uniform_")
def xavier_uniform_(tensor, gain=1.0, generator=None):
    return _xavier(tensor)


@_fills("torch.nn.init.xavier_normal_")
def xavier_normal_(tensor, gain=1.0, generator=None):
    return _xavier(tensor)


def _xavier(tensor: Any) -> Out:
    fan_in, fan_out = fans(tensor)
    if certain(lambda: equal(fan_in + fan_out, 0)):
        raise ZeroDivisionError("float division by zero")
    return _drawn(tensor)


@_fills("torch.nn.init.kaiming_uniform_")
def kaiming_uniform_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    return _kaiming(tensor, a, mode, nonlinearity)


@_fills("torch.nn.init.kaiming_normal_")
def kaiming_normal_(tensor, a=0, mode="fan_in", nonlinearity="leaky_relu", generator=None):
    return _kaiming(tensor, a, mode, nonlinearity)


def _kaiming(tensor: Any, a: Any, mode: Any, nonlinearity: Any) -> Out:
    if rank(tensor) is not None and 0 in tensor.shape:
        return Out(tensor.shape, tensor.dtype)
    correct_fan(tensor, mode)
    calculate_gain(nonlinearity, a)
    return _drawn(tensor)


@_fills("torch.nn.init.orthogonal_")
def orthogonal_(tensor, gain=1, generator=None):
    dims = rank(tensor)
    if dims is not None and dims < 2:
        raise ArgumentFault(
            f"orthogonal_: needs a tensor of at least 2 dimensions, but got shape {_shape(tensor)}",
            FaultCode.WRONG_RANK,
        )
    if certain(lambda: equal(product(tensor.shape), 0)):
        return Out(tensor.shape, tensor.dtype)
    return _drawn(tensor)


@_fills("torch.nn.init.sparse_")
def sparse_(tensor, sparsity, std=0.01, generator=None):
    _require_rank("sparse_", tensor, (2,))
    return _drawn(tensor)


def _require_rank(name: str, tensor: Any, ranks: tuple[int, ...]) -> None:
    dims = rank(tensor)
    if dims is not None and dims not in ranks:
        wanted = " or ".join(map(str, ranks))
        raise ArgumentFault(
            f"{name}: needs a tensor of {wanted} dimensions, but got shape {_shape(tensor)}", FaultCode.WRONG_RANK
        )


def _deprecated(function: Callable[..., Any]) -> Callable[..., Any]:
    @wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        return function(*args, **kwargs)

    call.__name__ = function.__name__[:-1]
    return call


for _function in (
    uniform_, normal_, constant_, eye_, dirac_, xavier_uniform_, xavier_normal_,
    kaiming_uniform_, kaiming_normal_, orthogonal_, sparse_,
):  # fmt: skip
    register(f"torch.nn.init.{_function.__name__[:-1]}", _deprecated(_function))
