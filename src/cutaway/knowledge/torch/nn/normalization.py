"""`torch.nn.modules.normalization`: layer, group, RMS and local response norms."""

from __future__ import annotations

import numbers
from typing import Any

from cutaway.core.fault import ArgumentFault, Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.torch.nn import init
from cutaway.knowledge.torch.nn.module import Module, layer
from cutaway.knowledge.torch.nn.weights import indivisible, vector, weight
from cutaway.knowledge.torch.tensor.op import Out, op

F = KnownModule("torch.nn.functional")
HOME = "torch.nn.modules.normalization"


@layer
class LocalResponseNorm(Module):
    """Normalisation over neighbouring channels."""

    __module__ = HOME
    __constants__ = ["size", "alpha", "beta", "k"]

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1.0):
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input):
        return F.local_response_norm(input, self.size, self.alpha, self.beta, self.k)


@op("torch.nn.modules._functions.CrossMapLRN2d.apply")
def cross_map_lrn2d(input, size, alpha=1e-4, beta=0.75, k=1):
    if len(input.shape) != 4:
        raise ArgumentFault(f"CrossMapLRN2d: expected 4D input, got {len(input.shape)}D input", FaultCode.WRONG_RANK)
    if not (input.dtype.is_floating_point or input.dtype.is_complex):
        raise Fault(
            f"CrossMapLRN2d: the input must be floating, but has dtype {input.dtype}", FaultCode.UNSUPPORTED_DTYPE
        )
    return Out(input.shape, input.dtype)


@layer
class CrossMapLRN2d(Module):
    """Local response norm of images, in its older form."""

    __module__ = HOME

    def __init__(self, size, alpha=1e-4, beta=0.75, k=1):
        super().__init__()
        self.size = size
        self.alpha = alpha
        self.beta = beta
        self.k = k

    def forward(self, input):
        return cross_map_lrn2d(input, self.size, self.alpha, self.beta, self.k)


def _normalized(module: Any, shape: Any) -> Any:
    """Return `normalized_shape` as the tuple that torch keeps."""
    if isinstance(shape, Unknown):
        return shape
    if isinstance(shape, (numbers.Integral, Dim)):
        return (shape,)
    try:
        return tuple(shape)
    except TypeError:
        raise TypeFault(
            f"{type(module).__name__}: normalized_shape must be an integer or a sequence of integers, got {shape!r}",
            FaultCode.WRONG_TYPE,
        ) from None


@layer
class LayerNorm(Module):
    """Normalisation over the last dimensions."""

    __module__ = HOME
    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape, eps=1e-05, elementwise_affine=True, bias=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = _normalized(self, normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if self.elementwise_affine:
            self.weight = weight(self, self.normalized_shape, device, dtype)
            if bias:
                self.bias = weight(self, self.normalized_shape, device, dtype)
            else:
                self.register_parameter("bias", None)
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        if self.elementwise_affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input):
        return F.layer_norm(input, self.normalized_shape, self.weight, self.bias, self.eps)


@layer
class GroupNorm(Module):
    """Normalisation over groups of channels."""

    __module__ = HOME
    __constants__ = ["num_groups", "num_channels", "eps", "affine"]

    def __init__(self, num_groups, num_channels, eps=1e-05, affine=True, device=None, dtype=None, *, bias=True):
        super().__init__()
        if indivisible(num_channels, num_groups):
            raise ArgumentFault(
                f"GroupNorm: num_channels {num_channels} is not divisible by num_groups {num_groups}",
                FaultCode.SHAPE_MISMATCH,
            )
        self.num_groups = num_groups
        self.num_channels = num_channels
        self.eps = eps
        self.affine = affine
        if self.affine:
            self.weight = weight(self, vector(num_channels), device, dtype)
            if bias:
                self.bias = weight(self, vector(num_channels), device, dtype)
            else:
                self.register_parameter("bias", None)
        else:
            self.register_parameter("weight", None)
            self.register_parameter("bias", None)
        self.reset_parameters()

    def reset_parameters(self):
        if self.affine:
            init.ones_(self.weight)
            if self.bias is not None:
                init.zeros_(self.bias)

    def forward(self, input):
        return F.group_norm(input, self.num_groups, self.weight, self.bias, self.eps)


@layer
class RMSNorm(Module):
    """Division by the root mean square of the last dimensions."""

    __module__ = HOME
    __constants__ = ["normalized_shape", "eps", "elementwise_affine"]

    def __init__(self, normalized_shape, eps=None, elementwise_affine=True, device=None, dtype=None):
        super().__init__()
        self.normalized_shape = _normalized(self, normalized_shape)
        self.eps = eps
        self.elementwise_affine = elementwise_affine
        if self.elementwise_affine:
            self.weight = weight(self, self.normalized_shape, device, dtype)
        else:
            self.register_parameter("weight", None)
        self.reset_parameters()

    def reset_parameters(self):
        if self.elementwise_affine:
            init.ones_(self.weight)

    def forward(self, x):
        return F.rms_norm(x, self.normalized_shape, self.weight, self.eps)
