"""`torch.nn.modules.linear`: identity, linear and bilinear maps."""

from __future__ import annotations

import math

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.base.registry import KnownModule, row
from cutaway.knowledge.torch.nn import init
from cutaway.knowledge.torch.nn.lazy import LazyModuleMixin, UninitializedParameter
from cutaway.knowledge.torch.nn.module import Module, layer
from cutaway.knowledge.torch.nn.weights import certain, weight

F = KnownModule("torch.nn.functional")
HOME = "torch.nn.modules.linear"


@layer
class Identity(Module):
    """Its input."""

    __module__ = HOME

    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, input):
        return input


@layer
class Linear(Module):
    """`x @ weight.T + bias`."""

    __module__ = HOME
    __constants__ = ["in_features", "out_features"]

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in_features = in_features
        self.out_features = out_features
        self.weight = weight(self, (out_features, in_features), device, dtype)
        if bias:
            self.bias = weight(self, (out_features,), device, dtype)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            init.uniform_(self.bias)

    def forward(self, input):
        return F.linear(input, self.weight, self.bias)


@row(f"{HOME}.NonDynamicallyQuantizableLinear")
class NonDynamicallyQuantizableLinear(Linear):
    """A `Linear` that dynamic quantization leaves alone."""

    __module__ = HOME

    def __init__(self, in_features, out_features, bias=True, device=None, dtype=None):
        super().__init__(in_features, out_features, bias=bias, device=device, dtype=dtype)


@layer
class Bilinear(Module):
    """`x1 @ weight @ x2 + bias`."""

    __module__ = HOME
    __constants__ = ["in1_features", "in2_features", "out_features"]

    def __init__(self, in1_features, in2_features, out_features, bias=True, device=None, dtype=None):
        super().__init__()
        self.in1_features = in1_features
        self.in2_features = in2_features
        self.out_features = out_features
        self.weight = weight(self, (out_features, in1_features, in2_features), device, dtype)
        if bias:
            self.bias = weight(self, (out_features,), device, dtype)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        if certain(lambda: self.in1_features <= 0):
            raise ArgumentFault(
                f"Bilinear: in1_features must be greater than 0, got {self.in1_features}", FaultCode.INVALID_ARGUMENT
            )
        init.uniform_(self.weight)
        if self.bias is not None:
            init.uniform_(self.bias)

    def forward(self, input1, input2):
        return F.bilinear(input1, input2, self.weight, self.bias)


@layer
class LazyLinear(LazyModuleMixin, Linear):
    """A `Linear` whose `in_features` are the last size of its first input."""

    __module__ = HOME
    cls_to_become = Linear

    def __init__(self, out_features, bias=True, device=None, dtype=None):
        super().__init__(0, 0, False)
        self.weight = UninitializedParameter(device=device, dtype=dtype)
        self.out_features = out_features
        if bias:
            self.bias = UninitializedParameter(device=device, dtype=dtype)

    def reset_parameters(self):
        if not (self.has_uninitialized_params() or certain(lambda: self.in_features == 0)):
            super().reset_parameters()

    def initialize_parameters(self, input):
        if self.has_uninitialized_params():
            self.in_features = input.shape[-1]
            self.weight.materialize((self.out_features, self.in_features))
            if self.bias is not None:
                self.bias.materialize((self.out_features,))
            self.reset_parameters()
        if certain(lambda: self.in_features == 0):
            self.in_features = input.shape[-1]
