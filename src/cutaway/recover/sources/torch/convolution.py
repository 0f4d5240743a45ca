"""Convolutions, pooling, and changes of the size of images."""

from __future__ import annotations

from typing import Any

from cutaway.recover.graph import Input
from cutaway.recover.sources.emission import alike
from cutaway.recover.sources.torch.table import row
from cutaway.recover.sources.traced import Call


def _spread(value: Any, number: int) -> list[Any]:
    """Return a number for each dimension."""
    if isinstance(value, (list, tuple)):
        return list(value) * number if len(value) == 1 else list(value)
    return [value] * number


@row(
    "conv1d conv2d conv3d convolution _convolution conv_transpose1d conv_transpose2d conv_transpose3d",
    "input weight bias",
)
def convolution(call: Call) -> None:
    """A convolution; a layer where its weights are stored, a function where they are computed."""
    shape = call.known_shape("weight")
    number = len(shape) - 2
    transposed = call.key.startswith("conv_transpose") or bool(call.get("transposed", False))
    stride, dilation = (alike(_spread(call.get(name, 1), number)) for name in ("stride", "dilation"))
    padding: Any = call.get("padding", 0)
    if not isinstance(padding, str):
        padding = alike(_spread(padding, number))
    groups = call.get("groups", 1)
    source = call.name()
    unbatched = call.rank == number + 1
    weights = None if unbatched else call.weighted(weight="weight", bias="bias")
    config: dict[str, Any] = {"stride": stride, "padding": padding}
    if transposed:
        config["output_padding"] = alike(_spread(call.get("output_padding", 0), number))
        config["groups"] = groups
    if weights is None:
        function = f"F.conv{'_transpose' if transposed else ''}{number}d"
        extra = [call.name(name) for name in ("weight", "bias") if name in call.arguments]
        rest = {"dilation": dilation} if transposed else {"dilation": dilation, "groups": groups}
        call.emit(function, source, *extra, **config, **rest)
        return
    ins, outs = (shape[0], shape[1] * groups) if transposed else (shape[1] * groups, shape[0])
    sizes = {"in_channels": ins, "out_channels": outs, "kernel_size": alike(list(shape[2:]))}
    if transposed:
        rest = {"bias": "bias" in weights, "dilation": dilation}
        call.emit(f"nn.ConvTranspose{number}d", source, weights=weights, **sizes, **config, **rest)
    else:
        rest = {"dilation": dilation, "groups": groups, "bias": "bias" in weights}
        call.emit(f"nn.Conv{number}d", source, weights=weights, **sizes, **config, **rest)


@row("max_pool1d max_pool2d max_pool3d max_pool2d_with_indices _max_pool2d avg_pool1d avg_pool2d avg_pool3d")
def pool(call: Call) -> None:
    """The largest number, or the mean, of each window."""
    kind = call.key.removeprefix("_")
    number = int(kind[8])
    if call.get("return_indices") is True or (len(call.outputs) > 1 and not kind.endswith("indices")):
        call.unsupported("its indices are used")
    call.outputs = call.outputs[:1]
    window = alike(_spread(call.get("kernel_size"), number))
    stride = call.get("stride")
    config: dict[str, Any] = {
        "kernel_size": window,
        "stride": alike(_spread(stride, number)) if stride not in (None, []) else window,
        "padding": alike(_spread(call.get("padding", 0), number)),
    }
    if kind.startswith("max"):
        config["dilation"] = alike(_spread(call.get("dilation", 1), number))
        config["ceil_mode"] = bool(call.get("ceil_mode", False))
        call.emit(f"nn.MaxPool{number}d", call.name(), **config)
        return
    if call.get("divisor_override") is not None:
        call.unsupported("it divides by another number")
    config["ceil_mode"] = bool(call.get("ceil_mode", False))
    config["count_include_pad"] = bool(call.get("count_include_pad", True))
    call.emit(f"nn.AvgPool{number}d", call.name(), **config)


@row("adaptive_avg_pool1d adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool2d adaptive_max_pool3d "
     "_adaptive_avg_pool2d _adaptive_avg_pool3d")  # fmt: skip
def adaptive_pool(call: Call) -> None:
    """Windows that give an output of a certain size."""
    name = call.key.removeprefix("_")
    number = int(name[-2])
    if call.get("return_indices") is True:
        call.unsupported("its indices are used")
    call.outputs = call.outputs[:1]
    size = _spread(call.get("output_size"), number)
    kind = "Avg" if "avg" in name else "Max"
    call.emit(f"nn.Adaptive{kind}Pool{number}d", call.name(), output_size=alike(size))


@row(
    "interpolate upsample upsample_nearest2d upsample_bilinear2d upsample_bicubic2d upsample_nearest1d upsample_linear1d"
)
def interpolate(call: Call) -> None:
    """Another size of an image."""
    config: dict[str, Any] = {}
    size, factor = call.get("size", call.get("output_size")), call.get("scale_factor", call.get("scale_factors"))
    if size is not None:
        config["size"] = tuple(size) if isinstance(size, list) else size
    elif factor is not None:
        config["scale_factor"] = alike(factor) if isinstance(factor, list) else factor
    else:
        call.unsupported("neither size nor factor is known")
    named = {"upsample_nearest2d": "nearest", "upsample_bilinear2d": "bilinear", "upsample_bicubic2d": "bicubic",
             "upsample_nearest1d": "nearest", "upsample_linear1d": "linear"}  # fmt: skip
    mode = named.get(call.key) or call.get("mode", "nearest")
    config["mode"] = mode
    if mode not in ("nearest", "nearest-exact", "area"):
        config["align_corners"] = bool(call.get("align_corners", False))
    if call.get("antialias", False):
        config["antialias"] = True
    if call.get("recompute_scale_factor"):
        config["recompute_scale_factor"] = True
    call.emit("F.interpolate", call.name(), **config)


@row("pixel_shuffle")
def pixel_shuffle(call: Call) -> None:
    """Channels moved to places."""
    call.emit("nn.PixelShuffle", call.name(), upscale_factor=call.get("upscale_factor"))


@row("pixel_unshuffle")
def pixel_unshuffle(call: Call) -> None:
    """Places moved to channels."""
    call.emit("F.pixel_unshuffle", call.name(), downscale_factor=call.get("downscale_factor"))


@row("grid_sample grid_sampler grid_sampler_2d", "input grid")
def grid_sample(call: Call) -> None:
    """An image at other coordinates."""
    modes, paddings = ("bilinear", "nearest", "bicubic"), ("zeros", "border", "reflection")
    mode, padding = call.get("mode", call.get("interpolation_mode", 0)), call.get("padding_mode", 0)
    call.emit(
        "F.grid_sample", call.name(), call.name("grid"), grid=Input(1),
        mode=modes[mode] if isinstance(mode, int) else mode,
        padding_mode=paddings[padding] if isinstance(padding, int) else padding,
        align_corners=bool(call.get("align_corners", False)),
    )  # fmt: skip


@row("pad constant_pad_nd reflection_pad1d reflection_pad2d replication_pad1d replication_pad2d")
def pad(call: Call) -> None:
    """Numbers added around a tensor."""
    amounts = tuple(call.get("pad", call.get("padding")))
    mode = "reflect" if call.key.startswith("refl") else "replicate" if call.key.startswith("repl") else None
    mode = mode or call.get("mode", "constant")
    if all(amount == 0 for amount in amounts):
        call.alias(call.name())
        return
    config: dict[str, Any] = {"pad": amounts}
    if mode != "constant":
        config["mode"] = mode
    elif call.get("value"):
        config["value"] = call.get("value")
    call.emit("F.pad", call.name(), **config)
