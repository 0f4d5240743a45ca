"""`torch.nn.modules.activation`: the elementwise functions and softmaxes as modules."""

from __future__ import annotations

from cutaway.core.fault import ArgumentFault, AssertionFault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.torch.nn import init as initial
from cutaway.knowledge.torch.nn.module import Module, layer
from cutaway.knowledge.torch.nn.weights import certain, rank, vector, weight

F = KnownModule("torch.nn.functional")
torch = KnownModule("torch")
HOME = "torch.nn.modules.activation"


def _made(name: str, function: str, **members: object) -> type:
    return layer(type(name, (Module,), {"__doc__": f"`{function}` of its input.", "__module__": HOME, **members}))


def _plain(name: str, namespace: KnownModule, function: str) -> type:
    """Make an activation without arguments."""

    def forward(self, input):
        return getattr(namespace, function)(input)

    return _made(name, function, forward=forward)


def _inplace(name: str, function: str) -> type:
    """Make an activation whose one argument is `inplace`."""

    def __init__(self, inplace=False):
        Module.__init__(self)
        self.inplace = inplace

    def forward(self, input):
        return getattr(F, function)(input, inplace=self.inplace)

    return _made(name, function, __constants__=["inplace"], __init__=__init__, forward=forward)


def _scaled(name: str, function: str) -> type:
    """Make an activation with `alpha` and `inplace`."""

    def __init__(self, alpha=1.0, inplace=False):
        Module.__init__(self)
        self.alpha = alpha
        self.inplace = inplace

    def forward(self, input):
        return getattr(F, function)(input, self.alpha, self.inplace)

    return _made(name, function, __constants__=["alpha", "inplace"], __init__=__init__, forward=forward)


def _shrink(name: str, function: str) -> type:
    """Make an activation with `lambd`."""

    def __init__(self, lambd=0.5):
        Module.__init__(self)
        self.lambd = lambd

    def forward(self, input):
        return getattr(F, function)(input, self.lambd)

    return _made(name, function, __constants__=["lambd"], __init__=__init__, forward=forward)


def _along(name: str, function: str) -> type:
    """Make a softmax along `dim`."""

    def __init__(self, dim=None):
        Module.__init__(self)
        self.dim = dim

    def forward(self, input):
        return getattr(F, function)(input, self.dim, _stacklevel=5)

    return _made(name, function, __constants__=["dim"], __init__=__init__, forward=forward)


Sigmoid = _plain("Sigmoid", torch, "sigmoid")
Tanh = _plain("Tanh", torch, "tanh")
LogSigmoid = _plain("LogSigmoid", F, "logsigmoid")
Softsign = _plain("Softsign", F, "softsign")
Tanhshrink = _plain("Tanhshrink", F, "tanhshrink")

ReLU = _inplace("ReLU", "relu")
Hardsigmoid = _inplace("Hardsigmoid", "hardsigmoid")
SiLU = _inplace("SiLU", "silu")
Mish = _inplace("Mish", "mish")
Hardswish = _inplace("Hardswish", "hardswish")
SELU = _inplace("SELU", "selu")

ELU = _scaled("ELU", "elu")
CELU = _scaled("CELU", "celu")
Hardshrink = _shrink("Hardshrink", "hardshrink")
Softshrink = _shrink("Softshrink", "softshrink")

Softmin = _along("Softmin", "softmin")
Softmax = _along("Softmax", "softmax")
LogSoftmax = _along("LogSoftmax", "log_softmax")


@layer
class Softmax2d(Module):
    """Softmax over the channels of images."""

    __module__ = HOME

    def forward(self, input):
        dims = rank(input)
        if dims is not None and dims not in (3, 4):
            raise ArgumentFault(f"Softmax2d: expected 3D or 4D input, got {dims}D input", FaultCode.WRONG_RANK)
        return F.softmax(input, -3, _stacklevel=5)


@layer
class Threshold(Module):
    """Its input where above a threshold, elsewhere a value."""

    __module__ = HOME
    __constants__ = ["threshold", "value", "inplace"]

    def __init__(self, threshold, value, inplace=False):
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input):
        return F.threshold(input, self.threshold, self.value, self.inplace)


@layer
class RReLU(Module):
    """Leaky ReLU with a random slope."""

    __module__ = HOME
    __constants__ = ["lower", "upper", "inplace"]

    def __init__(self, lower=1.0 / 8, upper=1.0 / 3, inplace=False):
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input):
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)


@layer
class Hardtanh(Module):
    """Its input clipped to a range."""

    __module__ = HOME
    __constants__ = ["min_val", "max_val", "inplace"]

    def __init__(self, min_val=-1.0, max_val=1.0, inplace=False, min_value=None, max_value=None):
        super().__init__()
        self.min_val = min_val if min_value is None else min_value
        self.max_val = max_val if max_value is None else max_value
        self.inplace = inplace
        if certain(lambda: self.max_val <= self.min_val):
            raise AssertionFault(
                f"{type(self).__name__}: max_val {self.max_val} must be greater than min_val {self.min_val}",
                FaultCode.INVALID_ARGUMENT,
            )

    def forward(self, input):
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)


@layer
class ReLU6(Hardtanh):
    """Its input clipped to 0 to 6."""

    __module__ = HOME

    def __init__(self, inplace=False):
        super().__init__(0.0, 6.0, inplace)


@layer
class GLU(Module):
    """One half of its input gated by the other."""

    __module__ = HOME
    __constants__ = ["dim"]

    def __init__(self, dim=-1):
        super().__init__()
        self.dim = dim

    def forward(self, input):
        return F.glu(input, self.dim)


@layer
class GELU(Module):
    """The Gaussian error linear unit."""

    __module__ = HOME
    __constants__ = ["approximate"]

    def __init__(self, approximate="none"):
        super().__init__()
        self.approximate = approximate

    def forward(self, input):
        return F.gelu(input, approximate=self.approximate)


@layer
class LeakyReLU(Module):
    """ReLU with a slope below zero."""

    __module__ = HOME
    __constants__ = ["inplace", "negative_slope"]

    def __init__(self, negative_slope=1e-2, inplace=False):
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input):
        return F.leaky_relu(input, self.negative_slope, self.inplace)


@layer
class Softplus(Module):
    """A smooth ReLU."""

    __module__ = HOME
    __constants__ = ["beta", "threshold"]

    def __init__(self, beta=1.0, threshold=20.0):
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input):
        return F.softplus(input, self.beta, self.threshold)


@layer
class PReLU(Module):
    """Leaky ReLU whose slope is learned."""

    __module__ = HOME
    __constants__ = ["num_parameters"]

    def __init__(self, num_parameters=1, init=0.25, device=None, dtype=None):
        self.num_parameters = num_parameters
        super().__init__()
        self.init = init
        self.weight = weight(self, vector(num_parameters), device, dtype)
        self.reset_parameters()

    def reset_parameters(self):
        initial.constant_(self.weight, self.init)

    def forward(self, input):
        return F.prelu(input, self.weight)
