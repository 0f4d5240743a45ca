"""Convolutions and pooling: windows that move over the dimensions after the first two."""

from __future__ import annotations

from typing import Any

from cutaway.recover.sources.emission import alike
from cutaway.recover.sources.onnx.registry import Call, operator

_ONE_TO_THREE = (1, 2, 3)


def _dimensions(call: Call) -> int:
    number = call.known_rank() - 2
    if number not in _ONE_TO_THREE:
        call.unsupported(f"there is no layer for {number} dimensions of space")
    return number


def _pads(call: Call, window: list[int], strides: list[int], dilations: list[int]) -> tuple[list[int], list[int]]:
    """Return how much is added before and after each dimension."""
    number = len(window)
    mode = call.get("auto_pad", "NOTSET")
    if mode in ("NOTSET", ""):
        pads = call.get("pads", [0] * (2 * number))
        return list(pads[:number]), list(pads[number:])
    if mode == "VALID":
        return [0] * number, [0] * number
    sizes = (call.fact().shape or ())[2:]
    before, after = [], []
    for size, width, stride, dilation in zip(sizes, window, strides, dilations):
        if not isinstance(size, int):
            if stride != 1:
                call.unsupported(f"auto_pad {mode} of a size that is not known")
            total = (width - 1) * dilation
        else:
            total = max((-(-size // stride) - 1) * stride + (width - 1) * dilation + 1 - size, 0)
        first = total // 2 if mode == "SAME_UPPER" else total - total // 2
        before.append(first)
        after.append(total - first)
    return before, after


def _padded(call: Call, before: list[int], after: list[int], value: Any) -> str:
    """Add what a layer can't add by itself: different amounts on two sides."""
    amounts = tuple(number for pair in zip(reversed(before), reversed(after)) for number in pair)
    shape = call.fact().shape
    out = None if shape is None else (*shape[:2], *(s + b + a for s, b, a in zip(shape[2:], before, after)))
    return call.temporary("F.pad", call.name(), shape=out, pad=amounts, **({} if value is None else {"value": value}))


@operator("Conv")
def convolution(call: Call) -> None:
    """A convolution; a layer where its weights are stored, a function where they are computed."""
    number = _dimensions(call)
    shape = call.fact(1).shape
    if shape is None or not all(isinstance(size, int) for size in shape):
        call.unsupported("the shape of its weight is not known")
    window = call.get("kernel_shape") or list(shape[2:])
    strides, dilations = call.get("strides", [1] * number), call.get("dilations", [1] * number)
    before, after = _pads(call, window, strides, dilations)
    source = call.name()
    if before != after:
        source, before = _padded(call, before, after, None), [0] * number
    group = call.get("group", 1)
    weight, bias = call.tensor(1), call.tensor(2)
    settings: dict[str, Any] = {"stride": alike(strides), "padding": alike(before), "dilation": alike(dilations)}
    if weight is None or (call.has(2) and bias is None):
        extra = [call.name(2)] if call.has(2) else []
        call.emit(f"F.conv{number}d", source, call.name(1), *extra, **settings, groups=group)
        return
    call.emit(
        f"nn.Conv{number}d",
        source,
        weights={"weight": weight, **({"bias": bias} if bias else {})},
        in_channels=shape[1] * group,
        out_channels=shape[0],
        kernel_size=alike(window),
        **settings,
        groups=group,
        bias=bias is not None,
    )


@operator("ConvTranspose")
def transposed(call: Call) -> None:
    """A transposed convolution."""
    number = _dimensions(call)
    shape = call.fact(1).shape
    weight, bias = call.tensor(1), call.tensor(2)
    if shape is None or weight is None or (call.has(2) and bias is None):
        call.unsupported("its weights are computed")
    window = call.get("kernel_shape") or list(shape[2:])
    strides, dilations = call.get("strides", [1] * number), call.get("dilations", [1] * number)
    extra = call.get("output_padding", [0] * number)
    if call.get("output_shape") or call.get("auto_pad", "NOTSET") not in ("NOTSET", "VALID"):
        call.unsupported("its padding depends on the size of the output")
    before, after = _pads(call, window, strides, dilations)
    # What is cut off at the end only is what is not added to the output there.
    extra = [e + b - a for e, b, a in zip(extra, before, after)]
    if any(e < 0 or (e >= s and e >= d) for e, s, d in zip(extra, strides, dilations)):
        call.unsupported(f"its padding differs on two sides: {before} and {after}")
    group = call.get("group", 1)
    call.emit(
        f"nn.ConvTranspose{number}d",
        call.name(),
        weights={"weight": weight, **({"bias": bias} if bias else {})},
        in_channels=shape[0],
        out_channels=shape[1] * group,
        kernel_size=alike(window),
        stride=alike(strides),
        padding=alike(before),
        output_padding=alike(extra),
        groups=group,
        bias=bias is not None,
        dilation=alike(dilations),
    )


@operator("MaxPool")
def max_pool(call: Call) -> None:
    """The largest number of each window."""
    number = _dimensions(call)
    window = call.get("kernel_shape")
    strides, dilations = call.get("strides", [1] * number), call.get("dilations", [1] * number)
    if len([name for name in call.operation.outputs if name]) > 1:
        call.unsupported("its indices are used")
    before, after = _pads(call, window, strides, dilations)
    source = call.name()
    ceiling = bool(call.get("ceil_mode", 0))
    if before != after or any(2 * pad > width for pad, width in zip(before, window)):
        if ceiling:
            call.unsupported("its padding differs on two sides, and its size is rounded up")
        source, before = _padded(call, before, after, float("-inf")), [0] * number
    call.emit(
        f"nn.MaxPool{number}d",
        source,
        kernel_size=alike(window),
        stride=alike(strides),
        padding=alike(before),
        dilation=alike(dilations),
        ceil_mode=ceiling,
    )


@operator("AveragePool")
def average_pool(call: Call) -> None:
    """The mean of each window."""
    number = _dimensions(call)
    window = call.get("kernel_shape")
    strides = call.get("strides", [1] * number)
    if any(dilation != 1 for dilation in call.get("dilations", [])):
        call.unsupported("its windows are dilated")
    before, after = _pads(call, window, strides, [1] * number)
    included = bool(call.get("count_include_pad", 0))
    source = call.name()
    if before != after or any(2 * pad > width for pad, width in zip(before, window)):
        if not included and any(before + after):
            call.unsupported("its padding differs on two sides, and does not count")
        source, before = _padded(call, before, after, None), [0] * number
    config: dict[str, Any] = {"count_include_pad": included if any(before) else True}
    call.emit(
        f"nn.AvgPool{number}d",
        source,
        kernel_size=alike(window),
        stride=alike(strides),
        padding=alike(before),
        ceil_mode=bool(call.get("ceil_mode", 0)),
        **config,
    )


@operator("GlobalAveragePool GlobalMaxPool")
def whole_pool(call: Call) -> None:
    """The mean or the largest number of all places."""
    kind = "Avg" if call.op == "GlobalAveragePool" else "Max"
    call.emit(f"nn.Adaptive{kind}Pool{_dimensions(call)}d", call.name(), output_size=1)


@operator("DepthToSpace")
def pixel_shuffle(call: Call) -> None:
    """Channels moved to places."""
    block, shape = call.get("blocksize", 1), call.fact().shape
    if call.get("mode", "DCR") == "CRD":
        call.emit("nn.PixelShuffle", call.name(), upscale_factor=block)
        return
    if shape is None or not isinstance(shape[1], int):
        call.unsupported("the number of channels is not known")
    n, c, h, w = shape
    inner = c // block**2
    apart = call.temporary(
        ".reshape", call.name(), shape=(n, block, block, inner, h, w), sizes=(n, block, block, inner, h, w)
    )
    moved = call.temporary(".permute", apart, shape=(n, inner, h, block, w, block), dims=(0, 3, 4, 1, 5, 2))
    call.emit(".reshape", moved, sizes=(n, inner, h * block, w * block))


@operator("SpaceToDepth")
def pixel_unshuffle(call: Call) -> None:
    """Places moved to channels."""
    block, shape = call.get("blocksize", 1), call.fact().shape
    if call.get("mode", "DCR") == "CRD":
        call.emit("F.pixel_unshuffle", call.name(), downscale_factor=block)
        return
    if shape is None:
        call.unsupported("the shape of its input is not known")
    n, c, h, w = shape
    h, w = h // block, w // block
    apart = call.temporary(".reshape", call.name(), shape=(n, c, h, block, w, block), sizes=(n, c, h, block, w, block))
    moved = call.temporary(".permute", apart, shape=(n, block, block, c, h, w), dims=(0, 3, 5, 1, 2, 4))
    call.emit(".reshape", moved, sizes=(n, c * block * block, h, w))


@operator("Resize Upsample")
def resize(call: Call) -> None:
    """Another size, by interpolation."""
    shape, out = call.fact().shape, call.graph.shape(call.operation.outputs[0])
    rank = call.known_rank()
    usual = "half_pixel" if call.op == "Resize" and call.version >= 11 else "asymmetric"
    where = call.get("coordinate_transformation_mode", usual)
    if (
        call.get("axes") is not None
        or call.get("antialias", 0)
        or where == "tf_crop_and_resize"
        or rank not in (3, 4, 5)
    ):
        call.unsupported("it resizes some axes, crops, or filters")
    scales = _scales(call)
    moves = scales is not None and any(scale != 1 for scale in scales[:2])
    if moves or (scales is None and shape is not None and out is not None and out[:2] != shape[:2]):
        call.unsupported("it resizes batches or channels")
    if scales is None and (out is None or shape is None):
        call.unsupported("its size is computed from the numbers of a tensor")
    ratios = _ratios(scales, shape, out)
    if call.get("mode", "nearest") == "nearest":
        config: dict[str, Any] = {"mode": _nearest(call, where, ratios)}
    else:
        config = _interpolated(call, where, rank, ratios, out)
    if scales is not None:
        factors = [int(scale) if float(scale).is_integer() else scale for scale in scales[2:]]
        call.emit("F.interpolate", call.name(), scale_factor=alike(factors), **config)
    else:
        assert out is not None
        call.emit("F.interpolate", call.name(), size=tuple(out[2:]), **config)


def _ratios(scales: list[Any] | None, shape: Any, out: Any) -> list[float] | None:
    """Return how much each dimension grows; None where that is not known."""
    if scales is not None:
        return [float(scale) for scale in scales[2:]]
    sizes = list(zip(shape[2:], out[2:]))
    if all(isinstance(size, int) and size for pair in sizes for size in pair):
        return [after / before for before, after in sizes]
    return None


def _nearest(call: Call, where: str, ratios: list[float] | None) -> str:
    """Return the mode that takes the same neighbours: PyTorch rounds down, or with half pixels up in the middle."""
    rounding = call.get("nearest_mode", "round_prefer_floor" if call.version >= 11 else "floor")
    grows = ratios is not None and all(ratio.is_integer() for ratio in ratios)
    if where == "asymmetric" and rounding == "floor":
        return "nearest"
    if where == "half_pixel" and rounding == "round_prefer_ceil":
        return "nearest-exact"
    if grows and where == "half_pixel" and rounding == "round_prefer_floor":
        return "nearest"  # no coordinate is in the middle between two
    if grows and ratios is not None and max(ratios) <= 2 and where == "asymmetric" and rounding == "round_prefer_floor":
        return "nearest"
    call.unsupported(f"coordinates are {where}, rounding is {rounding}")


def _interpolated(call: Call, where: str, rank: int, ratios: list[float] | None, out: Any) -> dict[str, Any]:
    mode = {"linear": ("linear", "bilinear", "trilinear")[rank - 3], "cubic": "bicubic"}.get(call.get("mode"))
    if mode is None or where not in ("half_pixel", "pytorch_half_pixel", "align_corners"):
        call.unsupported(f"its mode is {call.get('mode')}, and its coordinates are {where}")
    if mode == "bicubic" and (rank != 4 or abs(call.get("cubic_coeff_a", -0.75) + 0.75) > 1e-6):
        call.unsupported("its coefficient is not -0.75")
    if call.get("exclude_outside", 0):
        call.unsupported("it leaves out what is outside")
    if where == "align_corners" and call.numbers(2) and not all(ratio.is_integer() for ratio in ratios or ()):
        call.unsupported("its corners depend on a size that is not whole")
    if where == "pytorch_half_pixel" and (out is None or 1 in out[2:]):
        call.unsupported("an output of size 1 has coordinates of its own")
    return {"mode": mode, "align_corners": where == "align_corners"}


def _scales(call: Call) -> list[Any] | None:
    place = 1 if call.op == "Upsample" or call.version < 11 else 2
    if call.op == "Upsample" and not call.has(1):
        return list(call.get("scales", [])) or None
    numbers = call.numbers(place) if call.has(place) else None
    return numbers or None
