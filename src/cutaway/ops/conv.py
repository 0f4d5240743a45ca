"""Convolution and transposed convolution over any number of spatial dimensions."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Size, ceildiv, equal, less, product
from cutaway.ops.window import Shape, per_axis, require_at_least, shown, size_of, transposed, windows


@dataclass(frozen=True, slots=True)
class Convolution:
    """The output of a convolution and the multiply-accumulates that it takes."""

    shape: Shape
    macs: Size


def convolve(
    name: str,
    input: Shape,
    weight: Shape,
    bias: Shape | None = None,
    stride: Any = 1,
    padding: Any = 0,
    dilation: Any = 1,
    groups: Any = 1,
    *,
    rank: int,
) -> Convolution:
    """Convolve `([batch,] channels, *spatial)` with `(out, channels / groups, *kernel)`.

    Padding is a number for each axis, a pair of them for before and after, `valid` for none, `same` for what
    keeps the size under a stride of 1, or `spread`: as much as lets every stride of the input have its window.
    """
    batch, spatial = _split(name, input, weight, rank)
    groups = size_of(groups, f"{name}: groups")
    stride, dilation = per_axis(stride, rank, f"{name}: stride"), per_axis(dilation, rank, f"{name}: dilation")
    kernel = weight[2:]
    require_at_least(stride, 1, f"{name}: stride")
    require_at_least(dilation, 1, f"{name}: dilation")
    require_at_least((groups,), 1, f"{name}: groups")
    require_at_least(kernel, 1, f"{name}: kernel size")
    pads = None if padding == "spread" else _pads(name, padding, kernel, stride, dilation, rank)
    _check_channels(name, input[-rank - 1], weight[1] * groups, weight[1], groups)
    if not session.require_equal(weight[0] % groups, 0, name):
        raise Fault(
            f"{name}: weight has {weight[0]} output channels, which {groups} groups do not divide",
            FaultCode.SHAPE_MISMATCH,
        )
    _check_bias(name, bias, weight[0])
    if pads is None:
        spread = tuple(ceildiv(size, step) for size, step in zip(spatial, stride))
        return Convolution((*batch, weight[0], *spread), product((*batch, *spread, *weight)))
    for size, width, step, (before, after) in zip(spatial, kernel, dilation, pads):
        if not session.require_at_least(size + before + after, step * (width - 1) + 1, name):
            raise Fault(
                f"{name}: the kernel covers {shown(d * (k - 1) + 1 for k, d in zip(kernel, dilation))}, "
                f"but the padded input is only {shown(s + b + a for s, (b, a) in zip(spatial, pads))}",
                FaultCode.KERNEL_TOO_LARGE,
            )
    out = tuple(windows(s, k, t, b, a, d) for s, k, t, (b, a), d in zip(spatial, kernel, stride, pads, dilation))
    return Convolution((*batch, weight[0], *out), product((*batch, *out, *weight)))


def convolve_transposed(
    name: str,
    input: Shape,
    weight: Shape,
    bias: Shape | None = None,
    stride: Any = 1,
    padding: Any = 0,
    output_padding: Any = 0,
    groups: Any = 1,
    dilation: Any = 1,
    *,
    rank: int,
) -> Convolution:
    """Convolve `([batch,] channels, *spatial)` transposed with `(channels, out / groups, *kernel)`.

    Padding is a number for each axis, `valid` for none, or `spread` for half a kernel; with these words, an output
    padding of None makes every stride of the output have its window.
    """
    batch, spatial = _split(name, input, weight, rank)
    groups = size_of(groups, f"{name}: groups")
    stride, dilation = per_axis(stride, rank, f"{name}: stride"), per_axis(dilation, rank, f"{name}: dilation")
    in_words = isinstance(padding, str)
    padding = (padding,) * rank if in_words else per_axis(padding, rank, f"{name}: padding")
    extra: Any = (None,) * rank
    if output_padding is not None:
        extra = per_axis(output_padding, rank, f"{name}: output_padding")
    kernel = weight[2:]
    require_at_least(stride, 1, f"{name}: stride")
    require_at_least(dilation, 1, f"{name}: dilation")
    require_at_least((groups,), 1, f"{name}: groups")
    if not in_words:
        require_at_least(padding, 0, f"{name}: padding")
    _check_channels(name, input[-rank - 1], weight[0], weight[0], 1)
    if not session.require_equal(weight[0] % groups, 0, name):
        raise Fault(
            f"{name}: weight has {weight[0]} input channels, which {groups} groups do not divide",
            FaultCode.SHAPE_MISMATCH,
        )
    channels = weight[1] * groups
    _check_bias(name, bias, channels)
    for more, step, spread in () if in_words else zip(extra, stride, dilation):
        if less(more, step) is False and less(more, spread) is False:
            raise Fault(
                f"{name}: output_padding {shown(extra)} must be smaller than the stride {shown(stride)} "
                f"or the dilation {shown(dilation)}",
                FaultCode.INVALID_ARGUMENT,
            )
    out = tuple(
        transposed(s, k, t, p, e, d) for s, k, t, p, d, e in zip(spatial, kernel, stride, padding, dilation, extra)
    )
    if any(less(size, 0) is True for size in out):
        raise Fault(
            f"{name}: an input of {shown(spatial)} gives an output of {shown(out)}, which is too small",
            FaultCode.SHAPE_MISMATCH,
        )
    return Convolution((*batch, channels, *out), product((*batch, *spatial, *weight)))


def _split(name: str, input: Shape, weight: Shape, rank: int) -> tuple[Shape, Shape]:
    """Return the batch sizes (none if unbatched) and the spatial sizes of an input."""
    if len(weight) != rank + 2:
        raise Fault(
            f"{name}: weight must have {rank + 2} dimensions, but its shape is {shown(weight)}", FaultCode.WRONG_RANK
        )
    if len(input) not in (rank + 1, rank + 2):
        raise Fault(
            f"{name}: input must have {rank + 1} (unbatched) or {rank + 2} (batched) dimensions, "
            f"but its shape is {shown(input)}",
            FaultCode.WRONG_RANK,
        )
    return tuple(input[: -rank - 1]), tuple(input[-rank:])


def _pads(name: str, padding: Any, kernel: Shape, stride: Shape, dilation: Shape, rank: int) -> list[tuple[Size, Size]]:
    """Return the padding before and after each axis."""
    if padding == "valid":
        return [(0, 0)] * rank
    if padding == "same":
        if any(equal(step, 1) is False for step in stride):
            raise Fault(
                f"{name}: padding='same' needs a stride of 1, but the stride is {shown(stride)}",
                FaultCode.ARGUMENT_CONFLICT,
            )
        totals = [d * (k - 1) for k, d in zip(kernel, dilation)]
        return [(total // 2, total - total // 2) for total in totals]
    if isinstance(padding, str):
        raise Fault(
            f"{name}: padding must be 'valid', 'same' or numbers, but is {padding!r}", FaultCode.INVALID_ARGUMENT
        )
    if isinstance(padding, (list, tuple)) and padding and isinstance(padding[0], tuple):
        return list(padding)
    each = per_axis(padding, rank, f"{name}: padding")
    require_at_least(each, 0, f"{name}: padding")
    return [(pad, pad) for pad in each]


def _check_channels(name: str, channels: Size, expected: Size, each: Size, groups: Size) -> None:
    if not session.require_equal(channels, expected, name):
        grouped = "" if equal(groups, 1) is True else f" ({groups} groups of {each})"
        raise Fault(
            f"{name}: input has {channels} channels, but weight expects {expected}{grouped}", FaultCode.SHAPE_MISMATCH
        )


def _check_bias(name: str, bias: Shape | None, channels: Size) -> None:
    if bias is not None and (len(bias) != 1 or equal(bias[0], channels) is False):
        raise Fault(
            f"{name}: bias has shape {shown(bias)}, but there are {channels} output channels", FaultCode.SHAPE_MISMATCH
        )
