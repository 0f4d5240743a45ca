"""The quantization modules that float models carry: functional wrappers and stubs."""

from __future__ import annotations

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.base.registry import KnownModule, row
from cutaway.knowledge.torch.nn.linear import Identity
from cutaway.knowledge.torch.nn.mode import copy_mode
from cutaway.knowledge.torch.nn.module import Module

F = KnownModule("torch.nn.functional")
torch = KnownModule("torch")
FUNCTIONAL = "torch.ao.nn.quantized.modules.functional_modules"
STUBS = "torch.ao.quantization.stubs"


def _functional(name: str) -> tuple[str, ...]:
    packages = ("torch.ao.nn.quantized", "torch.nn.quantized")
    homes = (FUNCTIONAL, *packages, *(f"{package}.modules" for package in packages))
    return tuple(f"{home}.{name}" for home in homes)


@row(*_functional("FXFloatFunctional"))
class FXFloatFunctional(Module):
    """Operators as methods of a module."""

    __module__ = FUNCTIONAL

    def forward(self, x):
        raise Fault(f"{type(self).__name__} is not called itself, its operations are", FaultCode.INVALID_CALL)

    def add(self, x, y):
        return torch.add(x, y)

    def add_scalar(self, x, y):
        return torch.add(x, y)

    def mul(self, x, y):
        return torch.mul(x, y)

    def mul_scalar(self, x, y):
        return torch.mul(x, y)

    def cat(self, x, dim=0):
        return torch.cat(x, dim=dim)

    def add_relu(self, x, y):
        return F.relu(torch.add(x, y))

    def matmul(self, x, y):
        return torch.matmul(x, y)


@row(*_functional("FloatFunctional"))
class FloatFunctional(Module):
    """Operators as methods of a module, so that their results can be observed."""

    __module__ = FUNCTIONAL

    def __init__(self):
        super().__init__()
        self.activation_post_process = Identity()

    forward = FXFloatFunctional.forward
    add_scalar = FXFloatFunctional.add_scalar
    mul_scalar = FXFloatFunctional.mul_scalar

    def add(self, x, y):
        return self.activation_post_process(torch.add(x, y))

    def mul(self, x, y):
        return self.activation_post_process(torch.mul(x, y))

    def cat(self, x, dim=0):
        return self.activation_post_process(torch.cat(x, dim=dim))

    def add_relu(self, x, y):
        return self.activation_post_process(F.relu(torch.add(x, y)))

    def matmul(self, x, y):
        return self.activation_post_process(torch.matmul(x, y))


def _stub(name: str) -> tuple[str, ...]:
    homes = (STUBS, "torch.ao.quantization", "torch.quantization.stubs", "torch.quantization")
    return tuple(f"{home}.{name}" for home in homes)


class _Stub(Module):
    """A place where a converted model quantizes or dequantizes."""

    def __init__(self, qconfig=None):
        super().__init__()
        if qconfig:
            self.qconfig = qconfig

    def forward(self, x):
        return x


@row(*_stub("QuantStub"))
class QuantStub(_Stub):
    """Where a converted model quantizes."""

    __module__ = STUBS


@row(*_stub("DeQuantStub"))
class DeQuantStub(_Stub):
    """Where a converted model dequantizes."""

    __module__ = STUBS


@row(*_stub("QuantWrapper"))
class QuantWrapper(Module):
    """A module between two stubs."""

    __module__ = STUBS

    def __init__(self, module):
        super().__init__()
        qconfig = getattr(module, "qconfig", None)
        self.add_module("quant", QuantStub(qconfig))
        self.add_module("dequant", DeQuantStub(qconfig))
        self.add_module("module", module)
        for part in (self, self.quant, self.dequant):
            copy_mode(module, part)

    def forward(self, X):
        return self.dequant(self.module(self.quant(X)))
