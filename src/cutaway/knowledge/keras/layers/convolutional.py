"""Convolutions: plain, transposed, depthwise and separable."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base import attribute
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.keras.layers.arguments import channels, positive, several
from cutaway.knowledge.keras.models.input_spec import InputSpec
from cutaway.knowledge.keras.models.layer import Layer, layer
from cutaway.knowledge.keras.models.state import standardize_data_format
from cutaway.knowledge.keras.named_functions import get_activation

ops = KnownModule("keras.ops")
_OPTIONS = (
    "kernel_initializer bias_initializer kernel_regularizer bias_regularizer kernel_constraint bias_constraint "
    "depthwise_initializer pointwise_initializer depthwise_regularizer pointwise_regularizer depthwise_constraint "
    "pointwise_constraint"
).split()


class Convolution(Layer):
    """What all convolutions share: their arguments, their bias and their activation."""

    rank = 0
    _activation_default: Any = None

    def _configure(self, given: dict[str, Any]) -> None:
        name = type(self).__name__
        kwargs = given.pop("kwargs")
        super().__init__(activity_regularizer=given.get("activity_regularizer"), **kwargs)
        rank = self.rank
        for option in _OPTIONS:
            if option in given:
                attribute.put(self, option, given[option])
        if "filters" in given:
            self.filters = positive(given["filters"], f"{name}: filters")
        self.kernel_size = several(given["kernel_size"], rank, f"{name}: kernel_size")
        self.strides = several(given["strides"], rank, f"{name}: strides")
        self.dilation_rate = several(given["dilation_rate"], rank, f"{name}: dilation_rate")
        if (
            isinstance(self, (BaseConv, BaseConvTranspose))
            and _above_one(self.strides)
            and _above_one(self.dilation_rate)
        ):
            raise ArgumentFault(
                f"{name}: strides {self.strides} and dilation_rate {self.dilation_rate} can't both be above 1",
                FaultCode.ARGUMENT_CONFLICT,
            )
        padding = given["padding"]
        self.padding = padding.lower() if isinstance(padding, str) else padding
        allowed = ("valid", "same", "causal") if name == "Conv1D" else ("valid", "same")
        if isinstance(self.padding, str) and self.padding not in allowed:
            raise ArgumentFault(
                f"{name}: padding must be one of {', '.join(allowed)}, but is {padding!r}", FaultCode.INVALID_ARGUMENT
            )
        self.data_format = standardize_data_format(given["data_format"])
        self.activation = get_activation(given["activation"])
        self.use_bias = given["use_bias"]
        self.input_spec = InputSpec(min_ndim=rank + 2)

    @property
    def _axis(self) -> int:
        return -1 if self.data_format == "channels_last" else 1

    def _inner(self, input_shape: Any) -> Any:
        size = channels(self, input_shape, self._axis)
        self.input_spec = InputSpec(min_ndim=self.rank + 2, axes={self._axis: size})
        return size

    def _add_bias(self, count: Any) -> None:
        self.bias = self.add_weight(name="bias", shape=(count,)) if self.use_bias else None

    def _finished(self, outputs: Any) -> Any:
        if self.use_bias:
            ones = (1,) * (self.rank + 1)
            last = self.data_format == "channels_last"
            shape = (*ones, -1) if last else (1, -1, *ones[1:])
            outputs = ops.add(outputs, ops.reshape(self.bias, shape))
        return outputs if self.activation is None else self.activation(outputs)


def _above_one(values: tuple[Any, ...]) -> bool:
    return any(isinstance(value, int) and value > 1 for value in values)


class BaseConv(Convolution):
    """A convolution."""

    def build(self, input_shape: Any) -> None:
        inner = self._inner(input_shape)
        if not isinstance(inner, Unknown) and equal(inner % self.groups, 0) is False:
            raise ArgumentFault(
                f'layer "{self.name}": the input has {inner} channels, which {self.groups} groups do not divide',
                FaultCode.SHAPE_MISMATCH,
            )
        self.kernel = self.add_weight(name="kernel", shape=(*self.kernel_size, inner // self.groups, self.filters))
        self._add_bias(self.filters)

    def call(self, inputs: Any) -> Any:
        made = ops.conv(
            inputs, self.kernel, strides=list(self.strides), padding=self.padding,
            dilation_rate=self.dilation_rate, data_format=self.data_format,
        )  # fmt: skip
        return self._finished(made)


class BaseConvTranspose(Convolution):
    """A transposed convolution."""

    def build(self, input_shape: Any) -> None:
        inner = self._inner(input_shape)
        self.kernel = self.add_weight(name="kernel", shape=(*self.kernel_size, self.filters, inner))
        self._add_bias(self.filters)

    def call(self, inputs: Any) -> Any:
        made = ops.conv_transpose(
            inputs, self.kernel, strides=list(self.strides), padding=self.padding,
            output_padding=self.output_padding, dilation_rate=self.dilation_rate, data_format=self.data_format,
        )  # fmt: skip
        return self._finished(made)


class BaseDepthwiseConv(Convolution):
    """A convolution of each channel by itself."""

    def build(self, input_shape: Any) -> None:
        inner = self._inner(input_shape)
        self.kernel = self.add_weight(name="kernel", shape=(*self.kernel_size, inner, self.depth_multiplier))
        self._add_bias(inner * self.depth_multiplier)

    @property
    def depthwise_kernel(self) -> Any:
        return self.kernel

    def call(self, inputs: Any) -> Any:
        made = ops.depthwise_conv(
            inputs, self.kernel, strides=self.strides, padding=self.padding,
            dilation_rate=self.dilation_rate, data_format=self.data_format,
        )  # fmt: skip
        return self._finished(made)


class BaseSeparableConv(Convolution):
    """A convolution of each channel by itself, and then one across channels."""

    def build(self, input_shape: Any) -> None:
        inner = self._inner(input_shape)
        depth = self.depth_multiplier
        self.depthwise_kernel = self.add_weight(name="depthwise_kernel", shape=(*self.kernel_size, inner, depth))
        self.pointwise_kernel = self.add_weight(
            name="pointwise_kernel", shape=((1,) * self.rank) + (depth * inner, self.filters)
        )
        self._add_bias(self.filters)

    def call(self, inputs: Any) -> Any:
        made = ops.separable_conv(
            inputs, self.depthwise_kernel, self.pointwise_kernel, strides=self.strides, padding=self.padding,
            dilation_rate=self.dilation_rate, data_format=self.data_format,
        )  # fmt: skip
        return self._finished(made)


def _make(n: int) -> None:
    """Make the convolutions over `n` dimensions."""
    one: Any = 1 if n == 1 else (1,) * n

    class Conv(BaseConv):
        rank = n

        def __init__(
            self, filters, kernel_size, strides=one, padding="valid", data_format=None, dilation_rate=one, groups=1,
            activation=None, use_bias=True, kernel_initializer="glorot_uniform", bias_initializer="zeros",
            kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None, kernel_constraint=None,
            bias_constraint=None, **kwargs,
        ):  # fmt: skip
            self._configure({k: v for k, v in locals().items() if k not in ("self", "__class__")})
            self.groups = positive(groups, f"{type(self).__name__}: groups")
            if isinstance(filters, int) and isinstance(groups, int) and filters % groups:
                raise ArgumentFault(
                    f"{type(self).__name__}: {groups} groups do not divide {filters} filters", FaultCode.SHAPE_MISMATCH
                )

    class Transposed(BaseConvTranspose):
        rank = n

    def in_order(
        self, filters, kernel_size, strides=one, padding="valid", output_padding=None, data_format=None,
        dilation_rate=one, activation=None, use_bias=True, kernel_initializer="glorot_uniform",
        bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
        kernel_constraint=None, bias_constraint=None, **kwargs,
    ):  # fmt: skip
        self._configure({k: v for k, v in locals().items() if k != "self"})
        self.output_padding = None if output_padding is None else several(output_padding, n, "output_padding", 0)

    def of_three(
        self, filters, kernel_size, strides=one, padding="valid", data_format=None, output_padding=None,
        dilation_rate=one, activation=None, use_bias=True, kernel_initializer="glorot_uniform",
        bias_initializer="zeros", kernel_regularizer=None, bias_regularizer=None, activity_regularizer=None,
        kernel_constraint=None, bias_constraint=None, **kwargs,
    ):  # fmt: skip
        self._configure({k: v for k, v in locals().items() if k != "self"})
        self.output_padding = None if output_padding is None else several(output_padding, n, "output_padding", 0)

    Transposed.__init__ = of_three if n == 3 else in_order  # type: ignore[method-assign, assignment]
    _enter(Conv, f"Conv{n}D", f"Convolution{n}D", f"conv{n}d")
    _enter(Transposed, f"Conv{n}DTranspose", f"Convolution{n}DTranspose", f"conv{n}d_transpose")
    if n == 3:
        return

    class Depthwise(BaseDepthwiseConv):
        rank = n

        def __init__(
            self, kernel_size, strides=one, padding="valid", depth_multiplier=1, data_format=None, dilation_rate=one,
            activation=None, use_bias=True, depthwise_initializer="glorot_uniform", bias_initializer="zeros",
            depthwise_regularizer=None, bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None,
            bias_constraint=None, **kwargs,
        ):  # fmt: skip
            self._configure({k: v for k, v in locals().items() if k not in ("self", "__class__")})
            self.depth_multiplier = depth_multiplier

    class Separable(BaseSeparableConv):
        rank = n

        def __init__(
            self, filters, kernel_size, strides=one, padding="valid", data_format=None, dilation_rate=one,
            depth_multiplier=1, activation=None, use_bias=True, depthwise_initializer="glorot_uniform",
            pointwise_initializer="glorot_uniform", bias_initializer="zeros", depthwise_regularizer=None,
            pointwise_regularizer=None, bias_regularizer=None, activity_regularizer=None, depthwise_constraint=None,
            pointwise_constraint=None, bias_constraint=None, **kwargs,
        ):  # fmt: skip
            self._configure({k: v for k, v in locals().items() if k not in ("self", "__class__")})
            self.depth_multiplier = depth_multiplier

    _enter(Depthwise, f"DepthwiseConv{n}D", "", f"depthwise_conv{n}d")
    _enter(Separable, f"SeparableConv{n}D", f"SeparableConvolution{n}D", f"separable_conv{n}d")


def _enter(cls: type, name: str, other: str, home: str) -> None:
    cls.__name__ = name
    layer(*([other] if other else []), home=f"convolutional.{home}")(cls)


for _n in (1, 2, 3):
    _make(_n)
