"""Convolutions, pooling and normalisation, whose channels come last."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from cutaway.recover.sources.channels_last import ChannelsLast, filled, kernel, zeros_like
from cutaway.recover.sources.emission import alike, shortest
from cutaway.recover.sources.keras.table import row
from cutaway.recover.sources.traced import Call


def spread(value: Any, number: int) -> list[int]:
    """Return a number for each dimension of space."""
    values = list(value) if isinstance(value, (list, tuple)) else [value]
    return values * number if len(values) == 1 else values


def _is_last(call: Call) -> bool:
    return bool(call.get("data_format", "channels_last") == "channels_last")


@row("conv", "inputs kernel")
def convolution(call: Call) -> None:
    """A convolution."""
    layer = ChannelsLast(call, call.name("inputs"), _is_last(call))
    weight = call.tensor("kernel")
    if weight is None:
        call.unsupported("its kernel is computed")
    *window, ins, outs = weight.shape
    strides, dilations = (spread(call.get(key, 1), layer.spatial) for key in ("strides", "dilation_rate"))
    padding = layer.padded(call.get("padding", "valid"), window, strides, dilations)
    channels = layer.shape[1]
    layer.emit(
        f"nn.Conv{layer.spatial}d",
        {"weight": kernel(weight)},
        in_channels=channels,
        out_channels=outs,
        kernel_size=alike(window),
        stride=alike(strides),
        padding=padding,
        dilation=alike(dilations),
        groups=channels // ins,
        bias=False,
    )


@row("depthwise_conv", "inputs kernel")
def depthwise(call: Call) -> None:
    """A convolution of each channel."""
    layer = ChannelsLast(call, call.name("inputs"), _is_last(call))
    _depthwise(call, layer, "kernel", last=True)


def _depthwise(call: Call, layer: ChannelsLast, name: str, last: bool) -> None:
    weight = call.tensor(name)
    if weight is None:
        call.unsupported("its kernel is computed")
    *window, channels, times = weight.shape
    strides, dilations = (spread(call.get(key, 1), layer.spatial) for key in ("strides", "dilation_rate"))
    padding = layer.padded(call.get("padding", "valid"), window, strides, dilations)
    config: dict[str, Any] = {
        "in_channels": channels, "out_channels": channels * times, "kernel_size": alike(window), "stride": alike(strides),
        "padding": padding, "dilation": alike(dilations), "groups": channels, "bias": False,
    }  # fmt: skip
    weights = {"weight": kernel(weight, depthwise=True)}
    if last:
        layer.emit(f"nn.Conv{layer.spatial}d", weights, **config)
        return
    shape = call.out_shape()
    inner = (shape[0], channels * times, *(shape[1:-1] if layer.is_last else shape[2:]))
    layer.step(f"nn.Conv{layer.spatial}d", inner, weights, **config)


@row("separable_conv", "inputs depthwise_kernel pointwise_kernel")
def separable(call: Call) -> None:
    """A convolution of each channel, then one of all channels."""
    layer = ChannelsLast(call, call.name("inputs"), _is_last(call))
    _depthwise(call, layer, "depthwise_kernel", last=False)
    weight = call.tensor("pointwise_kernel")
    if weight is None:
        call.unsupported("its kernel is computed")
    *_, ins, outs = weight.shape
    layer.emit(f"nn.Conv{layer.spatial}d", {"weight": kernel(weight)}, in_channels=ins, out_channels=outs, kernel_size=1,
               stride=1, padding=0, dilation=1, groups=1, bias=False)  # fmt: skip


@row("conv_transpose", "inputs kernel")
def transposed(call: Call) -> None:
    """A transposed convolution; what PyTorch can't cut off by itself is cut off afterwards."""
    layer = ChannelsLast(call, call.name("inputs"), _is_last(call))
    weight = call.tensor("kernel")
    if weight is None:
        call.unsupported("its kernel is computed")
    *window, outs, ins = weight.shape
    strides, dilations = (spread(call.get(key, 1), layer.spatial) for key in ("strides", "dilation_rate"))
    if call.get("output_padding") is not None:
        call.unsupported("its output padding is given")
    same = call.get("padding", "valid") == "same"
    pads, extra = [], []
    for width, stride, dilation in zip(window, strides, dilations):
        reach = (width - 1) * dilation + 1
        if not same:
            pads.append(0)
            extra.append(max(stride - reach, 0))
            continue
        # The size is multiplied by the stride: from the whole, `reach - stride` is cut off, more of it at the end.
        cut = max(reach - stride, 0)
        pads.append(cut // 2 + cut % 2 if cut % 2 == 0 else cut // 2 + 1)
        extra.append(max(stride - reach, 0) + (1 if cut % 2 else 0))
        if cut % 2:
            pads[-1] = (cut + 1) // 2
    if any(e and e >= s and e >= d for e, s, d in zip(extra, strides, dilations)):
        call.unsupported("its padding can't be expressed")
    spatial = tuple(range(layer.spatial))
    layer.emit(
        f"nn.ConvTranspose{layer.spatial}d",
        {"weight": weight.permuted(layer.spatial + 1, layer.spatial, *spatial)},
        in_channels=ins,
        out_channels=outs,
        kernel_size=alike(window),
        stride=alike(strides),
        padding=alike(pads),
        output_padding=alike(extra),
        groups=1,
        bias=False,
        dilation=alike(dilations),
    )


@row("max_pool average_pool", "inputs")
def pool(call: Call) -> None:
    """The largest number, or the mean, of each window."""
    layer = ChannelsLast(call, call.name("inputs"), _is_last(call))
    window = spread(call.get("pool_size"), layer.spatial)
    strides = spread(call.get("strides") or window, layer.spatial)
    is_max = call.key == "max_pool"
    padding, ceiling = layer.windowed(call.get("padding", "valid"), window, strides, is_max)
    config: dict[str, Any] = {"kernel_size": alike(window), "stride": alike(strides), "padding": padding}
    if is_max:
        layer.emit(f"nn.MaxPool{layer.spatial}d", **config, dilation=1, ceil_mode=ceiling)
    else:
        layer.emit(
            f"nn.AvgPool{layer.spatial}d", **config, ceil_mode=ceiling, count_include_pad=padding == 0 and not ceiling
        )


@row("batch_normalization", "x mean variance offset scale")
def batch_norm(call: Call) -> None:
    """A normalisation by means and variances that are stored."""
    rank = len(call.known_shape("x"))
    axis = call.get("axis", -1) % rank
    mean, variance = call.tensor("mean"), call.tensor("variance")
    offset, scale = call.tensor("offset"), call.tensor("scale")
    if mean is None or variance is None or rank not in (2, 3, 4, 5):
        call.unsupported("its mean and variance are computed")
    if axis not in (1, rank - 1):
        call.unsupported(f"its axis is {axis}")
    (size,) = mean.shape
    weights = {
        "weight": scale or filled(mean, 1.0, size),
        "bias": offset or zeros_like(mean, size),
        "running_mean": mean,
        "running_var": variance,
    }
    kind = {2: "1d", 3: "1d", 4: "2d", 5: "3d"}[rank]
    layer = ChannelsLast(call, call.name("x"), axis == rank - 1)
    layer.emit(f"nn.BatchNorm{kind}", weights, num_features=size, eps=shortest(call.get("epsilon", 1e-3)))


@row("layer_normalization rms_normalization", "x gamma beta")
def layer_norm(call: Call) -> None:
    """A normalisation over the last dimensions; of a layer for groups, one of groups of channels."""
    shape = call.known_shape("x")
    module = call.modules.get(call.op.module)
    kind = module.class_name if module is not None and module.qualified_name.startswith("keras.") else ""
    if kind == "GroupNormalization" and module is not None:
        _group_norm(call, module.config)
        return
    if kind.endswith("Normalization") and kind not in ("LayerNormalization", "RMSNormalization"):
        call.unsupported(f"{kind} computes something else")
    axes = call.get("axis", -1)
    axes = sorted(axis % len(shape) for axis in (axes if isinstance(axes, list) else [axes]))
    if axes != list(range(len(shape) - len(axes), len(shape))):
        call.unsupported("its axes are not the last ones")
    over = shape[axes[0] :]
    eps = shortest(call.get("epsilon", 1e-3))
    order = [name for name in ("gamma", "beta") if name not in call.attributes]
    gamma = call.tensor("gamma") if "gamma" in order else None
    beta = call.tensor("beta") if "beta" in order else None
    if gamma is None or not all(isinstance(size, int) for size in over):
        call.unsupported("its weights are computed")
    settings: dict[str, Any] = {"normalized_shape": over[0] if len(over) == 1 else over, "eps": eps}
    if call.key == "rms_normalization":
        call.emit("nn.RMSNorm", call.name("x"), weights={"weight": gamma.reshaped(*over)}, **settings)
        return
    weights = {"weight": gamma.reshaped(*over), **({"bias": beta.reshaped(*over)} if beta is not None else {})}
    call.emit("nn.LayerNorm", call.name("x"), weights=weights, **settings, bias=beta is not None)


def _group_norm(call: Call, config: Mapping[str, Any]) -> None:
    channels, groups = call.known_shape("x")[-1], config.get("groups", 32)
    weight, bias = call.tensor("gamma"), call.tensor("beta")
    if weight is None or bias is None or config.get("axis", -1) != -1 or not isinstance(channels, int):
        call.unsupported("it has no weights, or its channels do not come last")
    layer = ChannelsLast(call, call.name("x"))
    layer.emit(
        "nn.GroupNorm",
        {"weight": weight.reshaped(channels), "bias": bias.reshaped(channels)},
        num_groups=channels if groups == -1 else groups,
        num_channels=channels,
        eps=shortest(config.get("epsilon", 1e-3)),
    )


@row("image.resize", "images")
def resize(call: Call) -> None:
    """Another size of an image."""
    layer = ChannelsLast(call, call.inputs[0], _is_last(call))
    size, mode = call.get("size"), call.get("interpolation", "bilinear")
    if mode not in ("nearest", "bilinear") or call.get("antialias", False) or layer.spatial != 2:
        call.unsupported(f"its interpolation is {mode}")
    if call.get("crop_to_aspect_ratio", False) or call.get("pad_to_aspect_ratio", False):
        call.unsupported("it keeps the ratio of the sides")
    config: dict[str, Any] = {"size": tuple(size), "mode": mode}
    if mode == "bilinear":
        config["align_corners"] = False
    layer.emit("F.interpolate", **config)
