"""Convolutions, pooling, changes of the size of images, whose channels come last."""

from __future__ import annotations

from typing import Any

from cutaway.recover.sources.emission import alike
from cutaway.recover.targets.keras.table import Rewriting, row


def _spread(value: Any, number: int) -> list[Any]:
    return list(value) if isinstance(value, (tuple, list)) else [value] * number


def _spatial(call: Rewriting) -> int:
    return int(call.op[-2])


def _padded(call: Rewriting, source: str, pads: list[tuple[Any, Any]], value: Any = None) -> str:
    """Return a tensor with numbers added around it."""
    if all(before == 0 == after for before, after in pads):
        return source
    number = len(pads)
    own = call.graph.shape(source) or ()
    shape = (own[0], *(size + a + b for size, (a, b) in zip(own[1:-1], pads)), own[-1])
    if value is not None:
        width = ((0, 0), *pads, (0, 0))
        return call.temporary("ops.pad", source, shape=shape, pad_width=width, constant_values=value)
    even = all(before == after for before, after in pads)
    amounts = alike([before for before, _ in pads]) if even else tuple(pads)
    if number == 1 and not even:
        amounts = pads[0]
    return call.temporary(f"layers.ZeroPadding{number}D", source, shape=shape, padding=amounts)


def _is_same(sizes: Any, window: list[int], strides: list[int], dilations: list[int], pads: list[int]) -> bool:
    """Tell whether padding is that which Keras calls "same"."""
    for size, width, stride, dilation, pad in zip(sizes, window, strides, dilations, pads):
        reach = (width - 1) * dilation
        if stride == 1:
            total = reach
        elif isinstance(size, int):
            total = max((-(-size // stride) - 1) * stride + reach + 1 - size, 0)
        else:
            return False
        if 2 * pad != total:
            return False
    return True


@row("nn.Conv1d nn.Conv2d nn.Conv3d")
def convolution(call: Rewriting) -> None:
    """A convolution."""
    number = _spatial(call)
    window, strides, dilations = (_spread(call.get(key, 1), number) for key in ("kernel_size", "stride", "dilation"))
    padding, groups = call.get("padding", 0), call.get("groups", 1)
    ins, outs = call.get("in_channels"), call.get("out_channels")
    source, mode = call.name(), "valid"
    sizes = call.shape()[1:-1]
    if padding == "same":
        mode = "same"
    elif padding != "valid":
        pads = _spread(padding, number)
        if any(pads) and _is_same(sizes, window, strides, dilations, pads):
            mode = "same"
        else:
            source = _padded(call, source, [(pad, pad) for pad in pads])
    weight = call.weights["weight"]
    places = tuple(range(2, number + 2))
    settings: dict[str, Any] = {"strides": alike(strides), "padding": mode, "dilation_rate": alike(dilations)}
    bias = {"bias": call.weights["bias"]} if "bias" in call.weights else {}
    is_plain = len(set(strides)) == 1 and (strides[0] == 1 or set(dilations) == {1})
    if groups == ins and groups > 1 and number < 3 and is_plain:
        times = outs // ins
        kernel = weight.reshaped(ins, times, *window).permuted(*places, 0, 1)
        call.emit(f"layers.DepthwiseConv{number}D", source, weights={"kernel": kernel, **bias}, kernel_size=alike(window),
                  **settings, depth_multiplier=times, use_bias=bool(bias))  # fmt: skip
        return
    kernel = weight.permuted(*places, 1, 0)
    call.emit(f"layers.Conv{number}D", source, weights={"kernel": kernel, **bias}, filters=outs, kernel_size=alike(window),
              **settings, groups=groups, use_bias=bool(bias))  # fmt: skip


@row("nn.ConvTranspose1d nn.ConvTranspose2d nn.ConvTranspose3d")
def transposed(call: Rewriting) -> None:
    """A transposed convolution; what PyTorch leaves out at the sides is cut off afterwards."""
    number = _spatial(call)
    window, strides, dilations, pads, extra = (
        _spread(call.get(key, default), number)
        for key, default in (("kernel_size", 1), ("stride", 1), ("dilation", 1), ("padding", 0), ("output_padding", 0))
    )
    if call.get("groups", 1) != 1 or any(each != 1 for each in dilations):
        call.unsupported("it has groups, or is dilated")
    weight = call.weights["weight"]
    bias = {"bias": call.weights["bias"]} if "bias" in call.weights else {}
    config: dict[str, Any] = {
        "filters": call.get("out_channels"), "kernel_size": alike(window), "strides": alike(strides), "padding": "valid",
        "use_bias": bool(bias),
    }  # fmt: skip
    weights = {"kernel": weight.permuted(*range(2, number + 2), 1, 0), **bias}
    cuts = [
        (pad, max(width, stride) - width + pad - more) for width, stride, pad, more in zip(window, strides, pads, extra)
    ]
    if any(after < 0 for _, after in cuts):
        call.unsupported("its output is larger than that of Keras")
    if not any(before or after for before, after in cuts):
        call.emit(f"layers.Conv{number}DTranspose", call.name(), weights=weights, **config)
        return
    out = call.out_shape()
    whole = (out[0], *(size + before + after for size, (before, after) in zip(out[1:-1], cuts)), out[-1])
    made = call.temporary(f"layers.Conv{number}DTranspose", call.name(), shape=whole, weights=weights, **config)
    even = all(before == after for before, after in cuts)
    cropping: Any = alike([before for before, _ in cuts]) if even else cuts[0] if number == 1 else tuple(cuts)
    call.emit(f"layers.Cropping{number}D", made, cropping=cropping)


@row("nn.MaxPool1d nn.MaxPool2d nn.MaxPool3d nn.AvgPool1d nn.AvgPool2d nn.AvgPool3d")
def pool(call: Rewriting) -> None:
    """The largest number, or the mean, of each window."""
    number, is_max = _spatial(call), "Max" in call.op
    window, strides, pads = (_spread(call.get(key, 0), number) for key in ("kernel_size", "stride", "padding"))
    if any(each != 1 for each in _spread(call.get("dilation", 1), number)):
        call.unsupported("its windows are dilated")
    sizes, out = call.shape()[1:-1], call.out_shape()[1:-1]
    both = [(pad, pad) for pad in pads]
    if call.get("ceil_mode", False):
        if not all(isinstance(size, int) for size in (*sizes, *out)):
            call.unsupported("its size is rounded up, and not known")
        ends = [max((o - 1) * s + w - (n + 2 * p), 0) for n, o, w, s, p in zip(sizes, out, window, strides, pads)]
        both = [(pad, pad + end) for pad, end in zip(pads, ends)]
    source, mode = call.name(), "valid"
    if any(before or after for before, after in both):
        if _spreads(sizes, window, strides, both) and (is_max or not call.get("count_include_pad", True)):
            mode = "same"
        elif not is_max and (not call.get("count_include_pad", True) or any(a != b for a, b in both)):
            call.unsupported("its padding does not count")
        else:
            source = _padded(call, source, both, float("-inf") if is_max else None)
    kind = "Max" if is_max else "Average"
    call.emit(f"layers.{kind}Pooling{number}D", source, pool_size=alike(window),
              strides=None if strides == window else alike(strides), padding=mode)  # fmt: skip


def _spreads(sizes: Any, window: list[int], strides: list[int], both: list[tuple[int, int]]) -> bool:
    """Tell whether padding is what Keras spreads over both sides so that a size is only divided by the stride."""
    if not all(isinstance(size, int) or stride == 1 for size, stride in zip(sizes, strides)):
        return False
    totals = [
        w - 1 if stride == 1 else max((-(-size // stride) - 1) * stride + w - size, 0)
        for size, w, stride in zip(sizes, window, strides)
    ]
    return [(total // 2, total - total // 2) for total in totals] == both


@row("nn.AdaptiveAvgPool1d nn.AdaptiveAvgPool2d nn.AdaptiveAvgPool3d nn.AdaptiveMaxPool1d nn.AdaptiveMaxPool2d "
     "nn.AdaptiveMaxPool3d")  # fmt: skip
def adaptive_pool(call: Rewriting) -> None:
    """Windows that give an output of a certain size."""
    number, kind = _spatial(call), "Average" if "Avg" in call.op else "Max"
    sizes, out = call.shape()[1:-1], _spread(call.get("output_size"), number)
    out = [size if wanted is None else wanted for size, wanted in zip(sizes, out)]
    if all(size == 1 for size in out):
        call.emit(f"layers.Global{kind}Pooling{number}D", call.name(), keepdims=True)
    elif list(sizes) == out:
        call.alias(call.name())
    elif all(isinstance(size, int) and size % wanted == 0 for size, wanted in zip(sizes, out)):
        window = [size // wanted for size, wanted in zip(sizes, out)]
        call.emit(f"layers.{kind}Pooling{number}D", call.name(), pool_size=alike(window), strides=None, padding="valid")
    else:
        call.unsupported(f"its windows for {out} are not all of one size")


@row("F.interpolate")
def interpolate(call: Rewriting) -> None:
    """Another size of an image."""
    shape, out, mode = call.shape(), call.out_shape(), call.get("mode", "nearest")
    if len(shape) != 4 or mode not in ("nearest", "bilinear") or call.get("align_corners") or call.get("antialias"):
        call.unsupported(f"its mode is {mode}, or its corners are aligned")
    sizes = [size for size in (*shape[1:3], *out[1:3]) if not isinstance(size, int)]
    factors = [
        o // n if isinstance(n, int) and isinstance(o, int) and o % n == 0 else None
        for n, o in zip(shape[1:3], out[1:3])
    ]
    given = call.get("scale_factor")
    if sizes and given is not None:
        factors = [each if isinstance(each, int) else None for each in _spread(given, 2)]
    if None not in factors:
        config = {} if mode == "nearest" else {"interpolation": mode}
        call.emit("layers.UpSampling2D", call.name(), size=alike(factors), **config)
        return
    if mode == "nearest":
        call.unsupported("its size is not a multiple")
    call.emit("ops.image.resize", call.name(), size=tuple(out[1:3]), interpolation=mode)
