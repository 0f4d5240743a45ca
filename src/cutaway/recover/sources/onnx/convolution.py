"""Convolutions and pooling: windows that move over the dimensions after the first two."""

from __future__ import annotations

import math
from typing import Any

from cutaway.recover.graph import Literal
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
    if shape is None or not all(isinstance(size, int) for size in shape):
        call.unsupported("the shape of its weight is not known")
    weight, bias = call.tensor(1), call.tensor(2)
    window = call.get("kernel_shape") or list(shape[2:])
    strides, dilations = call.get("strides", [1] * number), call.get("dilations", [1] * number)
    extra = call.get("output_padding", [0] * number)
    before, after = _transposed_pads(call, window, strides, dilations, extra)
    # What is cut off at the end only is what is not added to the output there; what is cut off beyond that, is cut off later.
    extra = [e + b - a for e, b, a in zip(extra, before, after)]
    cut = [min(e, 0) for e in extra]
    extra = [max(e, 0) for e in extra]
    if any((e >= s and e >= d) or b < 0 for e, b, s, d in zip(extra, before, strides, dilations)):
        call.unsupported(f"its padding differs on two sides: {before} and {after}")
    group = call.get("group", 1)
    settings: dict[str, Any] = {
        "stride": alike(strides), "padding": alike(before), "output_padding": alike(extra), "groups": group,
    }  # fmt: skip
    add = call.temporary if any(cut) else call.emit
    if weight is None or (call.has(2) and bias is None):
        tensors = [call.name(place) for place in range(3) if call.has(place)]
        made = add(f"F.conv_transpose{number}d", *tensors, **settings, dilation=alike(dilations))
    else:
        made = add(
            f"nn.ConvTranspose{number}d",
            call.name(),
            weights={"weight": weight, **({"bias": bias} if bias else {})},
            in_channels=shape[0],
            out_channels=shape[1] * group,
            kernel_size=alike(window),
            **settings,
            bias=bias is not None,
            dilation=alike(dilations),
        )
    if made is not None:
        out = call.graph.shape(call.operation.outputs[0])
        if out is not None:
            whole = (*out[:2], *(size - gone for size, gone in zip(out[2:], cut)))
            call.graph.facts[made] = type(call.fact())(whole, call.fact().dtype)
        call.emit("F.pad", made, pad=tuple(amount for gone in reversed(cut) for amount in (0, gone)))


def _transposed_pads(
    call: Call, window: list[int], strides: list[int], dilations: list[int], extra: list[int]
) -> tuple[list[int], list[int]]:
    """Return how much is cut off before and after each dimension of the output."""
    mode, wanted = call.get("auto_pad", "NOTSET"), call.get("output_shape")
    if not wanted and mode in ("NOTSET", "", "VALID"):
        return _pads(call, window, strides, dilations)
    wanted = list(wanted or [])[-len(window) :]
    sizes = (call.fact().shape or ())[2:]
    before, after = [], []
    for place, (width, stride, dilation, more) in enumerate(zip(window, strides, dilations, extra)):
        total = more + (width - 1) * dilation + 1 - stride
        if wanted:
            if not isinstance(sizes[place], int):
                call.unsupported("its padding depends on a size that is not known")
            total += stride * sizes[place] - wanted[place]
        # Fewer than none is cut off where the output is larger than what the windows reach.
        first = max(total // 2 if mode == "SAME_UPPER" else total - total // 2, 0)
        before.append(first if total > 0 else 0)
        after.append(total - before[-1])
    return before, after


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
    config: dict[str, Any] = {
        "kernel_size": alike(window), "stride": alike(strides), "ceil_mode": bool(call.get("ceil_mode", 0)),
    }  # fmt: skip
    if before != after or any(2 * pad > width for pad, width in zip(before, window)):
        source = _padded(call, before, after, None)
        if not included:
            _mean_of_inner(call, source, before, after, config)
            return
        before = [0] * number
    config["padding"] = alike(before)
    config["count_include_pad"] = included if any(before) else True
    call.emit(f"nn.AvgPool{number}d", source, **config)


def _mean_of_inner(call: Call, padded: str, before: list[int], after: list[int], config: dict[str, Any]) -> None:
    """Add means of windows in which what was added does not count: divided by the part of a window that does."""
    pool = f"F.avg_pool{len(before)}d"
    amounts = tuple(number for pair in zip(reversed(before), reversed(after)) for number in pair)
    ones = call.temporary("torch.ones_like", call.name(), shape=call.fact().shape)
    inside = call.temporary("F.pad", ones, shape=call.graph.shape(padded), pad=amounts)
    out = call.graph.shape(call.operation.outputs[0])
    total = call.temporary(pool, padded, shape=out, **config)
    call.emit("/", total, call.temporary(pool, inside, shape=out, **config))


@operator("LpPool")
def power_pool(call: Call) -> None:
    """The norm of each window."""
    number, p = _dimensions(call), call.get("p", 2)
    window = call.get("kernel_shape")
    strides = call.get("strides", [1] * number)
    if call.get("ceil_mode", 0) or any(dilation != 1 for dilation in call.get("dilations", [])):
        call.unsupported("its windows are dilated, or its size is rounded up")
    before, after = _pads(call, window, strides, [1] * number)
    source = _padded(call, before, after, None) if any(before + after) else call.name()
    shape, out = call.graph.shape(source), call.graph.shape(call.operation.outputs[0])
    powers = call.temporary("**", call.temporary("torch.abs", source, shape=shape), Literal(p), shape=shape)
    mean = call.temporary(f"F.avg_pool{number}d", powers, shape=out, kernel_size=alike(window), stride=alike(strides))
    call.emit("**", call.temporary("*", mean, Literal(math.prod(window)), shape=out), Literal(1 / p))


@operator("GlobalLpPool")
def whole_power_pool(call: Call) -> None:
    """The norm of all places."""
    dims = tuple(range(2, call.known_rank()))
    call.emit("torch.linalg.vector_norm", call.name(), ord=call.get("p", 2), dim=dims, keepdim=True)


@operator("Col2Im")
def folded(call: Call) -> None:
    """Blocks that overlap, added up to an image."""
    size, window = call.numbers(1), call.numbers(2)
    if size is None or window is None or len(size) != 2:
        call.unsupported("the size of its image is not known, or has not two dimensions")
    pads = call.get("pads", [0] * 4)
    if pads[:2] != pads[2:]:
        call.unsupported("its padding differs on two sides")
    call.emit(
        "F.fold",
        call.name(),
        output_size=tuple(size),
        kernel_size=tuple(window),
        dilation=tuple(call.get("dilations", [1, 1])),
        padding=tuple(pads[:2]),
        stride=tuple(call.get("strides", [1, 1])),
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
