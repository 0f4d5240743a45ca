"""`torch.nn.modules.conv`: convolutions and transposed convolutions of one, two and three dimensions."""

from __future__ import annotations

import math
from typing import Any

from cutaway.core.fault import ArgumentFault, AssertionFault, Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import less
from cutaway.knowledge.base.registry import KnownModule, row
from cutaway.knowledge.torch.nn import init
from cutaway.knowledge.torch.nn.lazy import LazyModuleMixin, UninitializedParameter
from cutaway.knowledge.torch.nn.module import Module, layer
from cutaway.knowledge.torch.nn.sizes import ntuple, reverse_repeat_tuple
from cutaway.knowledge.torch.nn.weights import certain, indivisible, rank, unequal, weight

F = KnownModule("torch.nn.functional")
HOME = "torch.nn.modules.conv"
PADDING_MODES = ("zeros", "reflect", "replicate", "circular")


@layer
class _ConvNd(Module):
    """What all convolutions share: their arguments and their weights."""

    __module__ = HOME
    __constants__ = [
        "stride", "padding", "dilation", "groups", "padding_mode", "output_padding",
        "in_channels", "out_channels", "kernel_size",
    ]  # fmt: skip

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        bias,
        padding_mode,
        device=None,
        dtype=None,
    ):
        super().__init__()
        name = type(self).__name__
        if certain(lambda: groups <= 0):
            raise ArgumentFault(f"{name}: groups must be a positive integer, got {groups}", FaultCode.INVALID_ARGUMENT)
        for argument, channels in (("in_channels", in_channels), ("out_channels", out_channels)):
            if indivisible(channels, groups):
                raise ArgumentFault(
                    f"{name}: {argument} {channels} is not divisible by groups {groups}", FaultCode.SHAPE_MISMATCH
                )
        if isinstance(padding, str):
            if padding not in ("same", "valid"):
                raise ArgumentFault(
                    f"{name}: padding {padding!r} is neither 'same' nor 'valid'", FaultCode.INVALID_ARGUMENT
                )
            if padding == "same" and any(unequal(s, 1) for s in stride):
                raise ArgumentFault(
                    f"{name}: padding='same' needs a stride of 1, got stride {_text(stride)}",
                    FaultCode.ARGUMENT_CONFLICT,
                )
        if certain(lambda: padding_mode not in PADDING_MODES):
            raise ArgumentFault(
                f"{name}: padding_mode {padding_mode!r} is not one of {', '.join(PADDING_MODES)}",
                FaultCode.INVALID_ARGUMENT,
            )
        self.in_channels = in_channels
        self.out_channels = out_channels
        self.kernel_size = kernel_size
        self.stride = stride
        self.padding = padding
        self.dilation = dilation
        self.transposed = transposed
        self.output_padding = output_padding
        self.groups = groups
        self.padding_mode = padding_mode
        if isinstance(padding, str):
            amounts = [0, 0] * len(kernel_size)
            if padding == "same":
                for i, d, k in zip(range(len(kernel_size) - 1, -1, -1), dilation, kernel_size):
                    total = d * (k - 1)
                    left = total // 2
                    amounts[2 * i : 2 * i + 2] = [left, total - left]
            self._reversed_padding_repeated_twice: Any = amounts
        else:
            self._reversed_padding_repeated_twice = reverse_repeat_tuple(padding, 2)
        self.weight = weight(self, self._weight_shape(), device, dtype)
        if bias:
            self.bias = weight(self, (out_channels,), device, dtype)
        else:
            self.register_parameter("bias", None)
        self.reset_parameters()

    def _weight_shape(self) -> tuple[Any, ...]:
        if self.transposed:
            return (self.in_channels, self.out_channels // self.groups, *self.kernel_size)
        return (self.out_channels, self.in_channels // self.groups, *self.kernel_size)

    def _conv_forward(self, input, weight, bias): ...

    def reset_parameters(self):
        init.kaiming_uniform_(self.weight, a=math.sqrt(5))
        if self.bias is not None:
            init.uniform_(self.bias)


@layer
class _ConvTransposeNd(_ConvNd):
    """What transposed convolutions share: an output whose size may be asked for."""

    __module__ = HOME

    def __init__(
        self,
        in_channels,
        out_channels,
        kernel_size,
        stride,
        padding,
        dilation,
        transposed,
        output_padding,
        groups,
        bias,
        padding_mode,
        device=None,
        dtype=None,
    ):
        if certain(lambda: padding_mode != "zeros"):
            raise ArgumentFault(
                f"{type(self).__name__}: padding_mode must be 'zeros', got {padding_mode!r}", FaultCode.INVALID_ARGUMENT
            )
        super().__init__(
            in_channels, out_channels, kernel_size, stride, padding, dilation, transposed, output_padding,
            groups, bias, padding_mode, device=device, dtype=dtype,
        )  # fmt: skip

    def _output_padding(self, input, output_size, stride, padding, kernel_size, num_spatial_dims, dilation=None):
        if output_size is None:
            return ntuple(1)(self.output_padding)
        name = type(self).__name__
        channel_dims = 2 if input.dim() == num_spatial_dims + 2 else 1
        if len(output_size) == channel_dims + num_spatial_dims:
            output_size = output_size[channel_dims:]
        if len(output_size) != num_spatial_dims:
            raise ArgumentFault(
                f"{name}: output_size must have {num_spatial_dims} or {channel_dims + num_spatial_dims} elements "
                f"for an input of {input.dim()} dimensions, got {len(output_size)}",
                FaultCode.ARGUMENT_LENGTH,
            )
        extra = []
        for d in range(num_spatial_dims):
            reach = (1 if dilation is None else dilation[d]) * (kernel_size[d] - 1)
            least = (input.size(d + channel_dims) - 1) * stride[d] - 2 * padding[d] + reach + 1
            most = least + stride[d] - 1
            size = output_size[d]
            if certain(lambda: less(size, least)) or certain(lambda: less(most, size)):  # noqa: B023
                raise ArgumentFault(
                    f"{name}: output_size asks for {size} in dimension {d}, "
                    f"but an input of {input.size(d + channel_dims)} gives {least} to {most}",
                    FaultCode.SHAPE_MISMATCH,
                )
            extra.append(size - least)
        return extra


@layer
class _ConvTransposeMixin(_ConvTransposeNd):
    """The former name of `_ConvTransposeNd`."""

    __module__ = HOME

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)


def _text(sizes: Any) -> str:
    return f"({', '.join(map(str, sizes))})"


def _convolution(n: int) -> type:
    """Make `Conv1d`, `Conv2d` or `Conv3d`."""
    several = ntuple(n)
    name = f"Conv{n}d"

    class Conv(_ConvNd):
        __doc__ = f"A convolution over {n} dimension(s)."
        __module__ = HOME

        def __init__(
            self,
            in_channels,
            out_channels,
            kernel_size,
            stride=1,
            padding=0,
            dilation=1,
            groups=1,
            bias=True,
            padding_mode="zeros",
            device=None,
            dtype=None,
        ):
            super().__init__(
                in_channels, out_channels, several(kernel_size), several(stride),
                padding if isinstance(padding, str) else several(padding), several(dilation), False, several(0),
                groups, bias, padding_mode, device=device, dtype=dtype,
            )  # fmt: skip

        def _conv_forward(self, input, weight, bias):
            function, padding = getattr(F, f"conv{n}d"), self.padding
            if self.padding_mode != "zeros":
                input = F.pad(input, self._reversed_padding_repeated_twice, mode=self.padding_mode)
                padding = several(0)
            return function(input, weight, bias, self.stride, padding, self.dilation, self.groups)

        def forward(self, input):
            return self._conv_forward(input, self.weight, self.bias)

    return _named(Conv, name)


def _transposed(n: int) -> type:
    """Make `ConvTranspose1d`, `ConvTranspose2d` or `ConvTranspose3d`."""
    several = ntuple(n)
    name = f"ConvTranspose{n}d"

    class ConvTranspose(_ConvTransposeNd):
        __doc__ = f"A transposed convolution over {n} dimension(s)."
        __module__ = HOME

        def __init__(
            self,
            in_channels,
            out_channels,
            kernel_size,
            stride=1,
            padding=0,
            output_padding=0,
            groups=1,
            bias=True,
            dilation=1,
            padding_mode="zeros",
            device=None,
            dtype=None,
        ):
            super().__init__(
                in_channels, out_channels, several(kernel_size), several(stride), several(padding),
                several(dilation), True, several(output_padding), groups, bias, padding_mode,
                device=device, dtype=dtype,
            )  # fmt: skip

        def forward(self, input, output_size=None):
            if self.padding_mode != "zeros":
                raise ArgumentFault(
                    f"{name}: padding_mode must be 'zeros', got {self.padding_mode!r}", FaultCode.INVALID_ARGUMENT
                )
            if not isinstance(self.padding, tuple):
                raise AssertionFault(
                    f"{name}: self.padding must be a tuple, got {self.padding!r}", FaultCode.WRONG_TYPE
                )
            output_padding = self._output_padding(
                input, output_size, self.stride, self.padding, self.kernel_size, n, self.dilation
            )
            return getattr(F, f"conv_transpose{n}d")(
                input, self.weight, self.bias, self.stride, self.padding, output_padding, self.groups, self.dilation
            )

    return _named(ConvTranspose, name)


def _named(cls: type, name: str) -> type:
    cls.__name__ = cls.__qualname__ = name
    return layer(cls)


Conv1d, Conv2d, Conv3d = (_convolution(n) for n in (1, 2, 3))
ConvTranspose1d, ConvTranspose2d, ConvTranspose3d = (_transposed(n) for n in (1, 2, 3))


@row(f"{HOME}._LazyConvXdMixin")
class _LazyConvXdMixin(LazyModuleMixin):
    """What lazy convolutions share: `in_channels` come from the first input."""

    __module__ = HOME

    def reset_parameters(self: Any):
        if not (self.has_uninitialized_params() or certain(lambda: self.in_channels == 0)):
            super().reset_parameters()  # type: ignore[misc]

    def initialize_parameters(self: Any, input, *args, **kwargs):
        if not self.has_uninitialized_params():
            return
        self.in_channels = self._get_in_channels(input)
        if indivisible(self.in_channels, self.groups):
            raise ArgumentFault(
                f"{type(self).__name__}: the input's {self.in_channels} channels are not divisible "
                f"by groups {self.groups}",
                FaultCode.SHAPE_MISMATCH,
            )
        self.weight.materialize(self._weight_shape())
        if self.bias is not None:
            self.bias.materialize((self.out_channels,))
        self.reset_parameters()

    def _get_in_channels(self: Any, input):
        n = self._get_num_spatial_dims()
        dims = rank(input)
        if dims is None:
            return input.shape[1]
        if dims not in (n + 1, n + 2):
            raise Fault(
                f"{type(self).__name__}: expected an input of {n + 1} (unbatched) or {n + 2} dimensions, "
                f"got shape {_text(input.shape)}",
                FaultCode.WRONG_RANK,
            )
        return input.shape[dims - n - 1]

    def _get_num_spatial_dims(self):
        raise NotImplementedError


def _wait(module: Any, out_channels: Any, bias: Any, device: Any, dtype: Any) -> None:
    """Replace the empty weights of a lazy convolution by ones that wait for the input."""
    module.weight = UninitializedParameter(device=device, dtype=dtype)
    module.out_channels = out_channels
    if bias:
        module.bias = UninitializedParameter(device=device, dtype=dtype)


def _lazy_convolution(base: Any) -> Any:
    def __init__(
        self,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        dilation=1,
        groups=1,
        bias=True,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        _LazyConvXdMixin.__init__(
            self, 0, 0, kernel_size, stride, padding, dilation, groups, False, padding_mode, device=device, dtype=dtype
        )
        _wait(self, out_channels, bias, device, dtype)

    return _lazy(base, __init__)


def _lazy_transposed(base: Any) -> Any:
    def __init__(
        self,
        out_channels,
        kernel_size,
        stride=1,
        padding=0,
        output_padding=0,
        groups=1,
        bias=True,
        dilation=1,
        padding_mode="zeros",
        device=None,
        dtype=None,
    ):
        _LazyConvXdMixin.__init__(
            self, 0, 0, kernel_size, stride, padding, output_padding, groups, False, dilation, padding_mode,
            device=device, dtype=dtype,
        )  # fmt: skip
        _wait(self, out_channels, bias, device, dtype)

    return _lazy(base, __init__)


def _lazy(base: Any, init: Any) -> type:
    """Make the lazy form of a convolution; its arguments lack `in_channels`."""

    def _get_num_spatial_dims(self):
        return int(base.__name__[-2])

    members = {
        "__doc__": f"A `{base.__name__}` whose `in_channels` come from its first input.",
        "__module__": HOME,
        "__init__": init,
        "_get_num_spatial_dims": _get_num_spatial_dims,
        "cls_to_become": base,
    }
    return layer(type(f"Lazy{base.__name__}", (_LazyConvXdMixin, base), members))


LazyConv1d, LazyConv2d, LazyConv3d = map(_lazy_convolution, (Conv1d, Conv2d, Conv3d))
LazyConvTranspose1d, LazyConvTranspose2d, LazyConvTranspose3d = map(
    _lazy_transposed, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)
)
