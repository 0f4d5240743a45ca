"""Convolutions and pooling."""

from __future__ import annotations

from typing import Any

from cutaway.core.size.dim import Size, ceildiv, product
from cutaway.formats.graph.value import Call, Known, Out, Shape, one, several, undecided
from cutaway.formats.onnx.operators.registry import operator
from cutaway.ops.conv import convolve
from cutaway.ops.window import windows


def padding(call: Call, rank: int) -> Any:
    """Return the padding before and after each axis, or `spread`: so that each stride has its window."""
    kind = call.text("auto_pad", "NOTSET")
    if kind in ("SAME_UPPER", "SAME_LOWER"):
        return "spread"
    if kind == "VALID":
        return [(0, 0)] * rank
    pads = call.integers("pads") or [0] * (2 * rank)
    if len(pads) != 2 * rank:
        undecided(f"{call.name}: {len(pads)} pads are stated for {rank} spatial dimensions")
    return list(zip(pads[:rank], pads[rank:]))


def per_axis(call: Call, name: str, rank: int) -> list[int]:
    """Return a setting for each spatial dimension, which is 1 where it is not stated."""
    stated = call.integers(name) or [1] * rank
    if len(stated) != rank or any(number < 1 for number in stated):
        undecided(f"{call.name}: {name} {stated} do not fit {rank} spatial dimensions")
    return stated


def convolved(call: Call, weight: int = 1, bias: int | None = 2) -> tuple[Shape, Size | None]:
    """Return the shape and the multiply-accumulates of a convolution, whose weight is at a place of the inputs."""
    kernel = call.shape(weight)
    rank = len(kernel) - 2
    if rank < 1:
        undecided(f"{call.name}: its weight has {len(kernel)} dimensions")
    if call.input(0).shape is None:
        return (call.fresh("dim0"), kernel[0], *call.fresh_shape(rank)), None
    own = call.input(bias).shape if bias is not None else None
    result = convolve(
        call.name,
        call.shape(0),
        kernel,
        own if own and len(own) == 1 else None,
        tuple(per_axis(call, "strides", rank)),
        padding(call, rank),
        tuple(per_axis(call, "dilations", rank)),
        call.integer("group", 1),
        rank=rank,
    )
    return result.shape, result.macs


@operator("Conv ConvInteger DeformConv")
def convolution(call: Call) -> Out:
    """A convolution; of whole numbers, it is one of 32 bits."""
    shape, macs = convolved(call, bias=2 if call.name == "Conv" else None)
    return one(shape, "int32" if call.name == "ConvInteger" else call.dtype(), macs=macs)


@operator("QLinearConv")
def quantized_convolution(call: Call) -> Out:
    """A convolution of quantized numbers: scales and zero points stand between the tensors."""
    shape, macs = convolved(call, 3, 8)
    return one(shape, call.dtype(7) or call.dtype(), macs=macs)


@operator("ConvTranspose")
def transposed_convolution(call: Call) -> Out:
    """A transposed convolution, to stated sizes or to those that its settings give."""
    batch, _, *spatial = call.shape(0)
    channels, each, *kernel = call.shape(1)
    rank = len(kernel)
    strides, dilations = per_axis(call, "strides", rank), per_axis(call, "dilations", rank)
    extra = call.integers("output_padding") or [0] * rank
    stated = call.integers("output_shape")
    pads = padding(call, rank)
    sizes: list[Size]
    if stated:
        sizes = list(stated[-rank:])
    elif pads == "spread":
        sizes = [size * stride for size, stride in zip(spatial, strides)]
    else:
        sizes = [
            stride * (size - 1) + more + dilation * (width - 1) + 1 - before - after
            for size, stride, more, width, dilation, (before, after) in zip(
                spatial, strides, extra, kernel, dilations, pads
            )
        ]
    shape = (batch, each * call.integer("group", 1), *sizes)
    return one(shape, call.dtype(), macs=product((batch, *spatial, channels, each, *kernel)))


@operator("MaxPool AveragePool LpPool")
def pooled(call: Call) -> Out:
    """The largest element of each window, the mean, or a norm."""
    batch, channels, *spatial = call.shape(0)
    shape = (batch, channels, *pool_sizes(call, spatial))
    return several((shape, call.dtype()), (shape, "int64"))


def pool_sizes(call: Call, spatial: list[Size]) -> list[Size]:
    """Return how many windows there are along each axis."""
    rank = len(spatial)
    kernel = call.integers("kernel_shape") or []
    if len(kernel) != rank:
        undecided(f"{call.name}: a kernel of {kernel} does not fit {rank} spatial dimensions")
    strides, dilations = per_axis(call, "strides", rank), per_axis(call, "dilations", rank)
    pads = padding(call, rank)
    if pads == "spread":
        return [ceildiv(size, stride) for size, stride in zip(spatial, strides)]
    ceil = call.integer("ceil_mode") == 1
    return [
        windows(size, width, stride, before, after, dilation, ceil)
        for size, width, stride, dilation, (before, after) in zip(spatial, kernel, strides, dilations, pads)
    ]


@operator("GlobalAveragePool GlobalMaxPool GlobalLpPool")
def pooled_to_one(call: Call) -> Out:
    """One element for each channel."""
    shape = call.shape(0)
    return one((*shape[:2], *[1] * (len(shape) - 2)), call.dtype())


@operator("MaxUnpool")
def unpooled(call: Call) -> Out:
    """What max pooling had before it, to stated sizes or to the least ones."""
    batch, channels, *spatial = call.shape(0)
    if call.has(2):
        stated = call.numbers(2)
        shape = call.fresh_shape(2 + len(spatial)) if stated is None or None in stated else tuple(stated)
        return one(shape, call.dtype())
    rank = len(spatial)
    kernel = call.integers("kernel_shape") or [1] * rank
    sizes = [
        (size - 1) * stride + width - before - after
        for size, stride, width, (before, after) in zip(
            spatial, per_axis(call, "strides", rank), kernel, padding(call, rank)
        )
    ]
    return one((batch, channels, *sizes), call.dtype())


@operator("MaxRoiPool")
def pooled_regions(call: Call) -> Out:
    """The largest elements of regions of images."""
    pooled_shape = call.integers("pooled_shape") or []
    return one((call.shape(1)[0], call.shape(0)[1], *pooled_shape), call.dtype())


@operator("RoiAlign")
def aligned_regions(call: Call) -> Out:
    """Means of regions of images."""
    shape = (
        call.shape(1)[0],
        call.shape(0)[1],
        call.integer("output_height", 1),
        call.integer("output_width", 1),
    )
    return one(shape, call.dtype())


@operator("Col2Im")
def from_columns(call: Call) -> Out:
    """Images from the columns of their blocks."""
    batch, columns, _ = call.shape(0)
    image, block = call.numbers(1), call.numbers(2)
    length = call.length(1)
    if image is None and length is not None:
        image = [None] * length
    if image is None:
        undecided(f"{call.name}: the size of the image is not known")
    if block is None or None in block:
        return one((batch, call.fresh("dim1"), *call.fresh_shape(len(image))), call.dtype())
    sizes = [call.fresh(f"dim{at + 2}") if size is None else size for at, size in enumerate(image)]
    return Out((Known((batch, columns // product(block), *sizes), call.dtype()),))
