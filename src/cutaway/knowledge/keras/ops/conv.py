"""Convolutions, with channels last or first."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal
from cutaway.knowledge.keras.models.state import standardize_data_format
from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.tensors.dtypes import promote
from cutaway.knowledge.keras.tensors.op import Out, op
from cutaway.knowledge.keras.tensors.shape import text
from cutaway.ops.conv import convolve, convolve_transposed
from cutaway.ops.window import per_axis


def channels_first(shape: Any, data_format: str) -> tuple[Any, ...]:
    """Return a shape with its channels before the spatial dimensions."""
    shape = tuple(shape)
    return shape if data_format == "channels_first" else (shape[0], shape[-1], *shape[1:-1])


def restored(shape: Any, data_format: str) -> tuple[Any, ...]:
    """Return a shape with channels first in the order of the program's own."""
    shape = tuple(shape)
    return shape if data_format == "channels_first" else (shape[0], *shape[2:], shape[1])


def padding_of(name: str, padding: Any, kernel: Any, dilation: Any) -> Any:
    """Return the padding in the words of the rules."""
    padding = str(padding).lower()
    if padding == "same":
        return "spread"
    if padding == "causal":
        return [(d * (k - 1), 0) for k, d in zip(kernel, dilation)]
    if padding != "valid":
        raise ArgumentFault(
            f"{name}: padding must be 'valid' or 'same', but is {padding!r}", FaultCode.INVALID_ARGUMENT
        )
    return "valid"


def convolution(
    name: str, inputs: Any, kernel: Any, strides: Any, padding: Any, data_format: Any, dilation: Any
) -> Out:
    """Convolve; groups follow from the channels of the input and of the kernel."""
    x, weight = known_rank(inputs), known_rank(kernel)
    rank = len(x._shape) - 2
    if len(weight._shape) != rank + 2:
        raise ArgumentFault(
            f"{name}: an input of shape {text(x._shape)} needs a kernel of {rank + 2} dimensions, "
            f"but its shape is {text(weight._shape)}",
            FaultCode.WRONG_RANK,
        )
    order = standardize_data_format(data_format)
    shape = channels_first(x._shape, order)
    *width, inner, outer = weight._shape
    groups: Any = 1
    if equal(shape[1], inner) is False:
        groups = shape[1] // inner
        if equal(shape[1] % inner, 0) is False:
            raise ArgumentFault(
                f"{name}: the input has {shape[1]} channels, but the kernel takes {inner} of them",
                FaultCode.SHAPE_MISMATCH,
            )
    spread = per_axis(dilation, rank, f"{name}: dilation_rate")
    made = convolve(
        name, shape, (outer, inner, *width), None, strides, padding_of(name, padding, width, spread), spread, groups,
        rank=rank,
    )  # fmt: skip
    return Out(restored(made.shape, order), promote(x._dtype, weight._dtype), macs=made.macs)


@op("keras.ops.conv")
def conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    return convolution("conv", inputs, kernel, strides, padding, data_format, dilation_rate)


def depthwise(name: str, inputs: Any, kernel: Any, strides: Any, padding: Any, data_format: Any, dilation: Any) -> Out:
    """Convolve each channel by itself; the kernel ends in (channels, multiplier)."""
    x, weight = known_rank(inputs), known_rank(kernel)
    rank = len(x._shape) - 2
    order = standardize_data_format(data_format)
    shape = channels_first(x._shape, order)
    *width, inner, multiplier = weight._shape
    if equal(shape[1], inner) is False:
        raise ArgumentFault(
            f"{name}: the input has {shape[1]} channels, but the kernel is for {inner}", FaultCode.SHAPE_MISMATCH
        )
    spread = per_axis(dilation, rank, f"{name}: dilation_rate")
    made = convolve(
        name, shape, (inner * multiplier, 1, *width), None, strides, padding_of(name, padding, width, spread), spread,
        inner, rank=rank,
    )  # fmt: skip
    return Out(restored(made.shape, order), promote(x._dtype, weight._dtype), macs=made.macs)


@op("keras.ops.depthwise_conv")
def depthwise_conv(inputs, kernel, strides=1, padding="valid", data_format=None, dilation_rate=1):
    return depthwise("depthwise_conv", inputs, kernel, strides, padding, data_format, dilation_rate)


@op("keras.ops.separable_conv")
def separable_conv(
    inputs, depthwise_kernel, pointwise_kernel, strides=1, padding="valid", data_format=None, dilation_rate=1
):
    inner = depthwise("separable_conv", inputs, depthwise_kernel, strides, padding, data_format, dilation_rate)
    point = known_rank(pointwise_kernel)
    order = standardize_data_format(data_format)
    shape = channels_first(inner.shape, order)
    *width, channels, filters = point._shape
    made = convolve("separable_conv", shape, (filters, channels, *width), rank=len(width))
    return Out(restored(made.shape, order), promote(inner.dtype, point._dtype), macs=inner.macs + made.macs)


def transposed(
    name: str, inputs: Any, kernel: Any, strides: Any, padding: str, extra: Any, data_format: Any, dilation: Any
) -> Out:
    """Convolve transposed; the kernel ends in (filters, channels)."""
    x, weight = known_rank(inputs), known_rank(kernel)
    rank = len(x._shape) - 2
    order = standardize_data_format(data_format)
    shape = channels_first(x._shape, order)
    *width, filters, inner = weight._shape
    if equal(shape[1], inner) is False:
        raise ArgumentFault(
            f"{name}: the input has {shape[1]} channels, but the kernel takes {inner}", FaultCode.SHAPE_MISMATCH
        )
    words = "valid" if str(padding).lower() == "valid" else "spread"
    made = convolve_transposed(
        name, shape, (inner, filters, *width), None, strides, words, extra, dilation=dilation, rank=rank
    )
    return Out(restored(made.shape, order), promote(x._dtype, weight._dtype), macs=made.macs)


@op("keras.ops.conv_transpose")
def conv_transpose(inputs, kernel, strides=1, padding="valid", output_padding=None, data_format=None, dilation_rate=1):
    return transposed("conv_transpose", inputs, kernel, strides, padding, output_padding, data_format, dilation_rate)
