"""Convolutions, pooling, linear layers."""

from __future__ import annotations

from typing import Any

from cutaway.recover.graph import Tensor
from cutaway.recover.sources.channels_last import ChannelsLast
from cutaway.recover.sources.emission import alike, shortest
from cutaway.recover.sources.onnx.registry import Call
from cutaway.recover.sources.tflite.operator import known_shape, operator, out_shape

_PADDING = {0: "same", 1: "valid"}


def _weight(call: Call, place: int) -> Tensor:
    tensor = call.tensor(place)
    if tensor is None or "float" not in tensor.dtype:
        call.unsupported("its weights are computed, or quantised")
    return tensor


def _strides(call: Call) -> list[int]:
    return [call.get("stride_h", 1), call.get("stride_w", 1)]


@operator("CONV_2D DEPTHWISE_CONV_2D")
def convolution(call: Call) -> None:
    """A convolution, with its bias."""
    layer = ChannelsLast(call, call.name())
    weight, bias = _weight(call, 1), call.tensor(2)
    outs, height, width, ins = weight.shape
    dilations = [call.get("dilation_h_factor", 1), call.get("dilation_w_factor", 1)]
    channels = layer.shape[1]
    if call.op.startswith("DEPTHWISE"):
        outs, kernel, groups = ins, weight.permuted(3, 0, 1, 2), channels
    else:
        kernel, groups = weight.permuted(0, 3, 1, 2), channels // ins
    padding = layer.padded(_PADDING[call.get("padding", 0)], [height, width], _strides(call), dilations)
    layer.emit(
        "nn.Conv2d",
        {"weight": kernel, **({"bias": bias} if bias is not None else {})},
        in_channels=channels,
        out_channels=outs,
        kernel_size=alike([height, width]),
        stride=alike(_strides(call)),
        padding=padding,
        dilation=alike(dilations),
        groups=groups,
        bias=bias is not None,
    )


@operator("TRANSPOSE_CONV")
def transposed(call: Call) -> None:
    """A transposed convolution; what is cut off depends on the size of the output."""
    layer = ChannelsLast(call, call.name(2))
    weight, bias = _weight(call, 1), call.tensor(3)
    outs, height, width, ins = weight.shape
    strides, out = _strides(call), out_shape(call)
    pads, extra = [], []
    for size, wanted, reach, stride in zip(layer.shape[2:], out[1:3], (height, width), strides):
        if not isinstance(size, int) or not isinstance(wanted, int):
            call.unsupported("its size is not known")
        cut = (size - 1) * stride + reach - wanted
        before = max(cut, 0) // 2
        pads.append(before + (cut % 2 if cut > 0 else 0))
        extra.append(wanted - ((size - 1) * stride - 2 * pads[-1] + reach))
        if cut > 0 and cut % 2:
            # PyTorch cuts the same on both sides, and adds what is missing at the end.
            pads[-1] = before
            if wanted != (size - 1) * stride - 2 * before + reach - 1:
                call.unsupported("its padding can't be expressed")
            call.unsupported("it cuts off more at the end than at the beginning")
    layer.emit(
        "nn.ConvTranspose2d",
        {"weight": weight.permuted(3, 0, 1, 2), **({"bias": bias} if bias is not None else {})},
        in_channels=ins,
        out_channels=outs,
        kernel_size=alike([height, width]),
        stride=alike(strides),
        padding=alike(pads),
        output_padding=alike(extra),
        groups=1,
        bias=bias is not None,
        dilation=1,
    )


@operator("MAX_POOL_2D AVERAGE_POOL_2D")
def pool(call: Call) -> None:
    """The largest number, or the mean, of each window."""
    layer = ChannelsLast(call, call.name())
    window, mode = [call.get("filter_height", 1), call.get("filter_width", 1)], _PADDING[call.get("padding", 0)]
    is_max = call.op.startswith("MAX")
    padding, ceiling = layer.windowed(mode, window, _strides(call), is_max)
    config: dict[str, Any] = {"kernel_size": alike(window), "stride": alike(_strides(call)), "padding": padding}
    if is_max:
        layer.emit("nn.MaxPool2d", **config, dilation=1, ceil_mode=ceiling)
    else:
        layer.emit("nn.AvgPool2d", **config, ceil_mode=ceiling, count_include_pad=padding == 0 and not ceiling)


@operator("FULLY_CONNECTED")
def linear(call: Call) -> None:
    """A linear layer; what comes in is flattened to its width."""
    weight = call.tensor(1)
    bias, shape = call.tensor(2), known_shape(call)
    if weight is None or "float" not in weight.dtype:
        call.unsupported("its weights are computed, or quantised")
    outs, ins = weight.shape
    weights = {"weight": weight, **({"bias": bias} if bias is not None else {})}
    config = {"in_features": ins, "out_features": outs, "bias": bias is not None}
    source = call.name()
    if shape[-1] != ins or (len(shape) != 2 and not call.get("keep_num_dims", False)):
        lead = out_shape(call)[:-1]
        source = call.temporary(".reshape", source, shape=(*lead, ins), sizes=(*lead, ins))
    call.emit("nn.Linear", source, weights=weights, **config)


@operator("PRELU")
def prelu(call: Call) -> None:
    """A slope for negative numbers that is learned."""
    slope, channels = call.tensor(1), known_shape(call)[-1]
    if slope is None or any(size != 1 for size in slope.shape[:-1]) or slope.shape[-1] != channels:
        call.unsupported("its slope is not one for each channel")
    layer = ChannelsLast(call, call.name())
    layer.emit("nn.PReLU", {"weight": slope.reshaped(channels)}, num_parameters=channels)


@operator("RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR")
def resize(call: Call) -> None:
    """Another size of an image."""
    layer, out = ChannelsLast(call, call.name()), out_shape(call)
    linear_, half = call.op.endswith("BILINEAR"), bool(call.get("half_pixel_centers", False))
    corners = bool(call.get("align_corners", False))
    if linear_ and not half and not corners:
        call.unsupported("its coordinates are those of corners on one side")
    if not linear_ and corners:
        call.unsupported("its corners are aligned")
    config: dict[str, Any] = {"size": tuple(out[1:3])}
    if linear_:
        config |= {"mode": "bilinear", "align_corners": corners}
    else:
        config["mode"] = "nearest-exact" if half else "nearest"
    layer.emit("F.interpolate", **config)


@operator("LEAKY_RELU")
def leaky(call: Call) -> None:
    """A small slope for negative numbers."""
    call.emit("nn.LeakyReLU", call.name(), negative_slope=shortest(call.get("alpha", 0.0)))


@operator("GELU")
def gelu(call: Call) -> None:
    """x times the distribution of the normal one."""
    call.emit("nn.GELU", call.name(), approximate="tanh" if call.get("approximate", False) else "none")


@operator("SOFTMAX LOG_SOFTMAX")
def softmax(call: Call) -> None:
    """Probabilities that add up to one."""
    if call.get("beta", 1.0) != 1.0:
        call.unsupported("its beta is not 1")
    call.emit("nn.Softmax" if call.op == "SOFTMAX" else "nn.LogSoftmax", call.name(), dim=-1)
