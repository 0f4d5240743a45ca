"""Pooling over any number of spatial dimensions: windowed, adaptive, fractional, and undone."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import ceildiv, equal, less
from cutaway.ops.window import Shape, per_axis, require_at_least, scaled, shown, size_of, windows


def pool(
    name: str,
    input: Shape,
    kernel: Any,
    stride: Any = None,
    padding: Any = 0,
    dilation: Any = 1,
    ceil: Any = False,
    *,
    rank: int,
    whole: bool = False,
) -> Shape:
    """Pool `([batch,] channels, *spatial)`; `whole` demands that a window fits into the unpadded input.

    A padding of `spread` is as much as lets every stride of the input have its window.
    """
    lead, spatial = split(name, input, rank)
    kernel = per_axis(kernel, rank, f"{name}: kernel_size")
    stride = kernel if _missing(stride) else per_axis(stride, rank, f"{name}: stride")
    if padding == "spread":
        return (*lead, *(ceildiv(size, step) for size, step in zip(spatial, stride)))
    padding, dilation = per_axis(padding, rank, f"{name}: padding"), per_axis(dilation, rank, f"{name}: dilation")
    for sizes, what in ((kernel, "kernel_size"), (stride, "stride"), (dilation, "dilation")):
        require_at_least(sizes, 1, f"{name}: {what}")
    require_at_least(padding, 0, f"{name}: padding")
    if any(less(width // 2, pad) is True for pad, width in zip(padding, kernel)):
        raise Fault(
            f"{name}: padding {shown(padding)} is more than half of the kernel {shown(kernel)}",
            FaultCode.INVALID_ARGUMENT,
        )
    if whole and not all(session.require_at_least(size, width, name) for size, width in zip(spatial, kernel)):
        raise Fault(
            f"{name}: an input of {shown(spatial)} is smaller than the kernel {shown(kernel)}",
            FaultCode.KERNEL_TOO_LARGE,
        )
    out = tuple(
        windows(s, k, t, p, p, d, bool(ceil)) for s, k, t, p, d in zip(spatial, kernel, stride, padding, dilation)
    )
    if not all(session.require_at_least(size, 1, name) for size in out):
        raise Fault(
            f"{name}: an input of {shown(spatial)} is too small for a kernel of {shown(kernel)} "
            f"with stride {shown(stride)}: the output would be {shown(out)}",
            FaultCode.KERNEL_TOO_LARGE,
        )
    return (*lead, *out)


def adaptive_pool(name: str, input: Shape, output_size: Any, *, rank: int) -> Shape:
    """Pool to a given size; None keeps the input's size on an axis."""
    lead, spatial = split(name, input, rank)
    if not isinstance(output_size, (tuple, list)):
        output_size = (output_size,) * rank
    if len(output_size) != rank:
        raise Fault(
            f"{name}: output_size {output_size} has {len(output_size)} numbers, "
            f"but there are {rank} spatial dimensions",
            FaultCode.ARGUMENT_LENGTH,
        )
    out = tuple(
        size if wanted is None else size_of(wanted, f"{name}: output_size")
        for size, wanted in zip(spatial, output_size)
    )
    require_at_least(out, 0, f"{name}: output_size")
    if any(equal(size, 0) is True for size in input[-rank:]):
        raise Fault(f"{name}: input {shown(input)} has a spatial dimension of size 0", FaultCode.SHAPE_MISMATCH)
    return (*lead, *out)


def fractional_pool(name: str, input: Shape, kernel: Any, output_size: Any, output_ratio: Any, *, rank: int) -> Shape:
    """Pool to a given size, or to a fraction of the input's, with windows at random places."""
    lead, spatial = split(name, input, rank)
    kernel = per_axis(kernel, rank, f"{name}: kernel_size")
    if output_size is None and output_ratio is None:
        raise ArgumentFault(f"{name} needs an output_size or an output_ratio", FaultCode.MISSING_ARGUMENT)
    if output_size is not None:
        out: Shape = per_axis(output_size, rank, f"{name}: output_size")
    else:
        ratios = output_ratio if isinstance(output_ratio, (tuple, list)) else (output_ratio,) * rank
        out = tuple(scaled(size, ratio) for size, ratio in zip(spatial, ratios))
    for size, width, wanted in zip(spatial, kernel, out):
        if less(size, wanted + width - (rank < 3)) is True:
            raise Fault(
                f"{name}: an input of {shown(spatial)} is too small for an output of {shown(out)} "
                f"with a kernel of {shown(kernel)}",
                FaultCode.KERNEL_TOO_LARGE,
            )
    return (*lead, *out)


def unpool(
    name: str, input: Shape, kernel: Any, stride: Any = None, padding: Any = 0, output_size: Any = None, *, rank: int
) -> Shape:
    """Return the shape that max pooling had before it."""
    lead, spatial = split(name, input, rank)
    kernel = per_axis(_whole(kernel), rank, f"{name}: kernel_size")
    stride = kernel if stride is None else per_axis(_whole(stride), rank, f"{name}: stride")
    padding = per_axis(_whole(padding), rank, f"{name}: padding")
    default = tuple((s - 1) * t + k - 2 * p for s, k, t, p in zip(spatial, kernel, stride, padding))
    if output_size is None:
        if any(less(size, 0) is True for size in default):
            raise ArgumentFault(
                f"{name}: an input of {shown(spatial)} gives an output of {shown(default)}", FaultCode.SHAPE_MISMATCH
            )
        return (*lead, *default)
    if len(output_size) not in (rank, rank + 2):
        raise ArgumentFault(
            f"{name}: output_size has {len(output_size)} numbers, but needs {rank} or {rank + 2}",
            FaultCode.ARGUMENT_LENGTH,
        )
    wanted = tuple(size_of(size, f"{name}: output_size") for size in output_size[-rank:])
    for size, usual, step in zip(wanted, default, stride):
        if less(usual - step, size) is False or less(size, usual + step) is False:
            raise ArgumentFault(
                f"{name}: output_size {shown(wanted)} must be within the stride {shown(stride)} of {shown(default)}",
                FaultCode.INVALID_ARGUMENT,
            )
    return (*lead, *wanted)


def split(name: str, input: Shape, rank: int) -> tuple[Shape, Shape]:
    """Return the leading sizes (batch, channels) and the spatial sizes of an input."""
    if len(input) not in (rank + 1, rank + 2):
        raise Fault(
            f"{name}: input must have {rank + 1} (unbatched) or {rank + 2} (batched) dimensions, "
            f"but its shape is {shown(input)}",
            FaultCode.WRONG_RANK,
        )
    return tuple(input[:-rank]), tuple(input[-rank:])


def _whole(value: Any) -> Any:
    """A whole float counts as an integer where the framework only does arithmetic with it."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _missing(stride: Any) -> bool:
    return stride is None or (isinstance(stride, (tuple, list)) and not stride)
