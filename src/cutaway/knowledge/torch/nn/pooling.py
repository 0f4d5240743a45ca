"""`torch.nn.modules.pooling`."""

from __future__ import annotations

from functools import partial
from operator import ge, le
from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.torch.nn.module import Module, layer
from cutaway.knowledge.torch.nn.sizes import ntuple, single
from cutaway.knowledge.torch.nn.weights import certain

F = KnownModule("torch.nn.functional")
HOME = "torch.nn.modules.pooling"


def _subclass(base: type, name: str, doc: str, **members: object) -> type:
    return layer(type(name, (base,), {"__doc__": doc, "__module__": HOME, **members}))


@layer
class _MaxPoolNd(Module):
    """What max pools share."""

    __module__ = HOME
    __constants__ = ["kernel_size", "stride", "padding", "dilation", "return_indices", "ceil_mode"]

    def __init__(self, kernel_size, stride=None, padding=0, dilation=1, return_indices=False, ceil_mode=False):
        super().__init__()
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.dilation = dilation
        self.return_indices = return_indices
        self.ceil_mode = ceil_mode


def _max_pool(n: int) -> type:
    def forward(self, input):
        return getattr(F, f"max_pool{n}d")(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.dilation,
            ceil_mode=self.ceil_mode,
            return_indices=self.return_indices,
        )

    return _subclass(_MaxPoolNd, f"MaxPool{n}d", f"The largest value in a window of {n} dimension(s).", forward=forward)


@layer
class _MaxUnpoolNd(Module):
    """What max unpools share."""

    __module__ = HOME


def _max_unpool(n: int) -> type:
    several = ntuple(n)

    def __init__(self, kernel_size, stride=None, padding=0):
        Module.__init__(self)
        self.kernel_size = several(kernel_size)
        self.stride = several(stride if stride is not None else kernel_size)
        self.padding = several(padding)

    def forward(self, input, indices, output_size=None):
        function = getattr(F, f"max_unpool{n}d")
        return function(input, indices, self.kernel_size, self.stride, self.padding, output_size)

    doc = f"Values put back where max pooling over {n} dimension(s) took them from."
    return _subclass(_MaxUnpoolNd, f"MaxUnpool{n}d", doc, __init__=__init__, forward=forward)


@layer
class _AvgPoolNd(Module):
    """What average pools share."""

    __module__ = HOME
    __constants__ = ["kernel_size", "stride", "padding", "ceil_mode", "count_include_pad"]


@layer
class AvgPool1d(_AvgPoolNd):
    """The mean of a window."""

    __module__ = HOME

    def __init__(self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True):
        super().__init__()
        self.kernel_size = single(kernel_size)
        self.stride = single(stride if stride is not None else kernel_size)
        self.padding = single(padding)
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad

    def forward(self, input):
        return F.avg_pool1d(input, self.kernel_size, self.stride, self.padding, self.ceil_mode, self.count_include_pad)


def _avg_pool(n: int) -> type:
    def __init__(
        self, kernel_size, stride=None, padding=0, ceil_mode=False, count_include_pad=True, divisor_override=None
    ):
        Module.__init__(self)
        self.kernel_size = kernel_size
        self.stride = stride if stride is not None else kernel_size
        self.padding = padding
        self.ceil_mode = ceil_mode
        self.count_include_pad = count_include_pad
        self.divisor_override = divisor_override

    def forward(self, input):
        return getattr(F, f"avg_pool{n}d")(
            input,
            self.kernel_size,
            self.stride,
            self.padding,
            self.ceil_mode,
            self.count_include_pad,
            self.divisor_override,
        )

    doc = f"The mean of a window of {n} dimensions."
    constants = [*_AvgPoolNd.__constants__, "divisor_override"]
    return _subclass(_AvgPoolNd, f"AvgPool{n}d", doc, __constants__=constants, __init__=__init__, forward=forward)


def _fractional(n: int) -> type:
    name = f"FractionalMaxPool{n}d"
    several = ntuple(n)

    def __init__(self, kernel_size, output_size=None, output_ratio=None, return_indices=False, _random_samples=None):
        Module.__init__(self)
        if n == 3 and any(certain(partial(le, k, 0)) for k in several(kernel_size)):
            raise ArgumentFault(
                f"{name}: kernel_size must be greater than 0, got {kernel_size}", FaultCode.INVALID_ARGUMENT
            )
        self.kernel_size = several(kernel_size)
        self.return_indices = return_indices
        self.register_buffer("_random_samples", _random_samples)
        self.output_size = several(output_size) if output_size is not None else None
        self.output_ratio = several(output_ratio) if output_ratio is not None else None
        if output_size is None and output_ratio is None:
            raise ArgumentFault(f"{name}: needs either output_size or output_ratio", FaultCode.MISSING_ARGUMENT)
        if output_size is not None and output_ratio is not None:
            raise ArgumentFault(f"{name}: takes only one of output_size and output_ratio", FaultCode.ARGUMENT_CONFLICT)
        for ratio in (self.output_ratio or ())[:n]:
            if certain(partial(le, ratio, 0)) or certain(partial(ge, ratio, 1)):
                raise ArgumentFault(
                    f"{name}: output_ratio must be between 0 and 1, got {output_ratio}", FaultCode.INVALID_ARGUMENT
                )

    def forward(self, input):
        return getattr(F, f"fractional_max_pool{n}d")(
            input,
            self.kernel_size,
            self.output_size,
            self.output_ratio,
            self.return_indices,
            _random_samples=self._random_samples,
        )

    constants = ["kernel_size", "return_indices", "output_size", "output_ratio"]
    doc = f"Max pooling over {n} dimensions in windows at random places."
    return _subclass(Module, name, doc, __constants__=constants, __init__=__init__, forward=forward)


@layer
class _LPPoolNd(Module):
    """What power-average pools share."""

    __module__ = HOME
    __constants__ = ["norm_type", "kernel_size", "stride", "ceil_mode"]

    def __init__(self, norm_type, kernel_size, stride=None, ceil_mode=False):
        super().__init__()
        self.norm_type = norm_type
        self.kernel_size = kernel_size
        self.stride = stride
        self.ceil_mode = ceil_mode


def _number(value: Any) -> Any:
    return value if isinstance(value, Unknown) else float(value)


def _lp_pool(n: int) -> type:
    def forward(self, input):
        function = getattr(F, f"lp_pool{n}d")
        return function(input, _number(self.norm_type), self.kernel_size, self.stride, self.ceil_mode)

    return _subclass(_LPPoolNd, f"LPPool{n}d", f"The norm of a window of {n} dimension(s).", forward=forward)


@layer
class _AdaptiveMaxPoolNd(Module):
    """What adaptive max pools share."""

    __module__ = HOME
    __constants__ = ["output_size", "return_indices"]

    def __init__(self, output_size, return_indices=False):
        super().__init__()
        self.output_size = output_size
        self.return_indices = return_indices


@layer
class _AdaptiveAvgPoolNd(Module):
    """What adaptive average pools share."""

    __module__ = HOME
    __constants__ = ["output_size"]

    def __init__(self, output_size):
        super().__init__()
        self.output_size = output_size


def _adaptive_max_pool(n: int) -> type:
    def forward(self, input):
        return getattr(F, f"adaptive_max_pool{n}d")(input, self.output_size, self.return_indices)

    return _subclass(_AdaptiveMaxPoolNd, f"AdaptiveMaxPool{n}d", "Max pooling to a given size.", forward=forward)


def _adaptive_avg_pool(n: int) -> type:
    def forward(self, input):
        return getattr(F, f"adaptive_avg_pool{n}d")(input, self.output_size)

    return _subclass(_AdaptiveAvgPoolNd, f"AdaptiveAvgPool{n}d", "Average pooling to a given size.", forward=forward)


MaxPool1d, MaxPool2d, MaxPool3d = map(_max_pool, (1, 2, 3))
MaxUnpool1d, MaxUnpool2d, MaxUnpool3d = map(_max_unpool, (1, 2, 3))
AvgPool2d, AvgPool3d = map(_avg_pool, (2, 3))
FractionalMaxPool2d, FractionalMaxPool3d = map(_fractional, (2, 3))
LPPool1d, LPPool2d, LPPool3d = map(_lp_pool, (1, 2, 3))
AdaptiveMaxPool1d, AdaptiveMaxPool2d, AdaptiveMaxPool3d = map(_adaptive_max_pool, (1, 2, 3))
AdaptiveAvgPool1d, AdaptiveAvgPool2d, AdaptiveAvgPool3d = map(_adaptive_avg_pool, (1, 2, 3))
