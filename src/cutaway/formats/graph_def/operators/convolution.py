"""Convolution, pooling, normalization and resizing of images."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.core.size.dim import Size, ceildiv, floordiv, product, unknown_size
from cutaway.formats.graph_def.operators.registry import Call, Open, Out, rule
from cutaway.ops.blocks import to_channels, to_space
from cutaway.ops.conv import convolve
from cutaway.ops.pool import pool

Shape = tuple[Size, ...]


def _is_last(call: Call) -> bool:
    """Tell whether channels are the last axis."""
    return not call.node.string("data_format", "NHWC").startswith("NC")


def _channels_first(shape: Shape, last: bool) -> Shape:
    return (shape[0], shape[-1], *shape[1:-1]) if last else shape


def _restored(shape: Shape, last: bool) -> Shape:
    return (shape[0], *shape[2:], shape[1]) if last else shape


def _spatial(values: Sequence[int], rank: int, last: bool) -> tuple[int, ...]:
    """Return the numbers of the spatial axes."""
    if not values:
        return (1,) * rank
    if len(values) == 1:
        return (values[0],) * rank
    if len(values) != rank + 2:
        raise Open("a setting has another number of axes than the input")
    return tuple(values[1:-1]) if last else tuple(values[2:])


def _padding(call: Call, rank: int, last: bool) -> Any:
    padding = call.node.string("padding")
    if padding == "SAME":
        return "spread"
    if padding == "EXPLICIT":
        amounts = call.node.integers("explicit_paddings")
        if len(amounts) != 2 * (rank + 2):
            raise Open("explicit paddings of another number of axes than the input")
        pairs = list(zip(amounts[::2], amounts[1::2]))
        return pairs[1:-1] if last else pairs[2:]
    return 0


def _sized(call: Call, at: int, rank: int) -> Shape:
    """Return the shape of an input; one that is not known has sizes that are not known."""
    shape = call.value(at).shape
    if shape is None:
        return tuple(unknown_size() for _ in range(rank))
    if len(shape) != rank:
        raise Open("an input has another number of dimensions")
    return shape


def _without_filter(call: Call, images: Shape, rank: int, last: bool) -> Shape:
    """Return what is known of a result where the filter is not: a padding that is spread leaves one size to the stride."""
    sizes: list[Size] = [unknown_size() for _ in range(rank)]
    if call.node.string("padding") == "SAME":
        strides = _spatial(call.node.integers("strides"), rank, last)
        sizes = [ceildiv(size, stride) for size, stride in zip(images[2:], strides)]
    return (images[0], unknown_size(), *sizes)


@rule("Conv2D", "Conv3D", "_FusedConv2D", "DepthwiseConv2dNative", "_FusedDepthwiseConv2dNative",
      "FusedDepthwiseConv2dNative")  # fmt: skip
def convolution(call: Call) -> Sequence[Out]:
    """Convolve; the filter has its channels last."""
    rank = 3 if "3D" in call.name else 2
    last = _is_last(call)
    images, filters = (_sized(call, at, rank + 2) for at in (0, 1))
    first = _channels_first(images, last)
    if call.value(1).shape is None:
        return [
            Out(_restored(_without_filter(call, first, rank, last), last), call.value(0).dtype, macs=unknown_size())
        ]
    if "Depthwise" in call.name:
        groups, weight = filters[-2], (filters[-2] * filters[-1], 1, *filters[:-2])
    else:
        groups, weight = floordiv(first[1], filters[-2]), (filters[-1], filters[-2], *filters[:-2])
        if not isinstance(first[1], int):
            groups = 1
    made = convolve(
        call.name, first, weight, None, _spatial(call.node.integers("strides"), rank, last),
        _padding(call, rank, last), _spatial(call.node.integers("dilations"), rank, last), groups, rank=rank,
    )  # fmt: skip
    return [Out(_restored(made.shape, last), call.value(0).dtype, macs=made.macs)]


@rule("Conv2DBackpropInput", "Conv3DBackpropInputV2", "DepthwiseConv2dNativeBackpropInput")
def transposed_convolution(call: Call) -> Sequence[Out]:
    """Convolve transposed: the first input is the shape of the result."""
    sizes = tuple(call.sizes(0))
    filters, images = call.value(1).shape, call.value(2).shape
    last = _is_last(call)
    if filters is not None and images is not None and len(images) == len(sizes) == len(filters):
        channels = filters[-2]
        sizes = (images[0], *sizes[1:-1], channels) if last else (images[0], channels, *sizes[2:])
        macs = product((images[0], *(images[1:-1] if last else images[2:]), *filters))
        return [Out(sizes, call.value(2).dtype, macs=macs)]
    return [Out(sizes, call.value(2).dtype, macs=unknown_size())]


@rule("Dilation2D")
def dilation(call: Call) -> Sequence[Out]:
    """Take the largest sum of windows and a filter, in each channel by itself."""
    images, filters = call.shape(0), call.shape(1)
    if len(images) != 4 or len(filters) != 3:
        raise Open("an input has another number of dimensions")
    stride, rate = (_spatial(call.node.integers(key), 2, True) for key in ("strides", "rates"))
    shape = pool(
        call.name, _channels_first(images, True), filters[:2], stride, _padding(call, 2, True), rate, rank=2, whole=True
    )
    return [Out(_restored(shape, True), call.value(0).dtype)]


@rule("ExtractVolumePatches")
def volume_patches(call: Call) -> Sequence[Out]:
    """Put the elements of each window into channels."""
    kernel = _spatial(call.node.integers("ksizes"), 3, True)
    stride = _spatial(call.node.integers("strides"), 3, True)
    first = _channels_first(call.shape(0), True)
    shape = pool(call.name, first, kernel, stride, _padding(call, 3, True), rank=3, whole=True)
    return [Out((shape[0], *shape[2:], first[1] * product(kernel)), call.value(0).dtype)]


@rule("FractionalMaxPool", "FractionalAvgPool")
def fractional_pooling(call: Call) -> Sequence[Out]:
    """Pool windows of random sizes; the ratios are numbers that are not whole."""
    batch, _height, _width, channels = _sized(call, 0, 4)
    height, width = unknown_size(), unknown_size()
    made = Out((batch, height, width, channels), call.value(0).dtype)
    return [made, Out((height + 1,), "int64"), Out((width + 1,), "int64")]


@rule("MaxPool", "AvgPool", "MaxPool3D", "AvgPool3D", "MaxPoolV2", "MaxPoolWithArgmax")
def pooling(call: Call) -> Sequence[Out]:
    """Pool windows."""
    rank = 3 if call.name.endswith("3D") else 2
    last = _is_last(call)
    images = _sized(call, 0, rank + 2)
    given = call.name == "MaxPoolV2"
    kernel = _spatial(call.whole(1) if given else call.node.integers("ksize"), rank, last)
    stride = _spatial(call.whole(2) if given else call.node.integers("strides"), rank, last)
    padding = _padding(call, rank, last)
    first = _channels_first(images, last)
    if isinstance(padding, list):
        raise Open("pooling with explicit paddings")
    shape = _restored(pool(call.name, first, kernel, stride, padding, rank=rank), last)
    made = [Out(shape, call.value(0).dtype)]
    return [*made, Out(shape, "int64")] if call.name == "MaxPoolWithArgmax" else made


@rule("FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3", "_FusedBatchNormEx")
def batch_norm(call: Call) -> Sequence[Out]:
    """Normalize each channel; the statistics have a number for each."""
    shape, vector = call.value(0).shape, call.value(1).shape
    if vector is None:
        vector = (shape[-1 if _is_last(call) else 1],) if shape is not None and len(shape) > 1 else (unknown_size(),)
    own = Out(shape, call.value(0).dtype)
    # What is kept for the gradient depends on the device and on the build of TensorFlow, its number of dimensions, too.
    kept = [Out(None, "float32")] if "V3" in call.name or "Ex" in call.name else []
    return [own, *(Out(vector, "float32") for _ in range(4)), *kept]


@rule("ResizeBilinear", "ResizeNearestNeighbor", "ResizeBicubic", "ResizeArea", "ScaleAndTranslate")
def resizing(call: Call) -> Sequence[Out]:
    """Resize images, whose channels are last."""
    shape, size = call.shape(0), call.sizes(1)
    if len(shape) != 4 or len(size) != 2:
        raise Open("an input has another number of dimensions")
    keeps = call.name == "ResizeNearestNeighbor"
    return [Out((shape[0], *size, shape[3]), call.value(0).dtype if keeps else "float32")]


@rule("CropAndResize")
def cropping(call: Call) -> Sequence[Out]:
    """Cut boxes out of images."""
    size = call.sizes(3)
    return [Out((call.shape(1)[0], *size, call.shape(0)[3]), "float32")]


@rule("SpaceToDepth", "DepthToSpace")
def blocks(call: Call) -> Sequence[Out]:
    """Move blocks of pixels to channels, or back."""
    last = _is_last(call)
    first = _channels_first(call.shape(0), last)
    move = to_channels if call.name == "SpaceToDepth" else to_space
    return [Out(_restored(move(call.name, first, call.node.integer("block_size", 1)), last), call.value(0).dtype)]


@rule("SpaceToBatchND", "BatchToSpaceND")
def batches(call: Call) -> Sequence[Out]:
    """Move blocks of positions to the batch, or back."""
    shape, block = list(call.shape(0)), call.whole(1)
    amounts = call.value(2).numbers
    if amounts is None or len(amounts) != 2 * len(block) or len(shape) < 1 + len(block):
        raise Open("the paddings are not known")
    batch: Size = shape[0]
    for at, size in enumerate(block):
        before, after = amounts[2 * at], amounts[2 * at + 1]
        if before is None or after is None or size < 1:
            raise Open("the paddings are not known")
        if call.name == "SpaceToBatchND":
            shape[at + 1] = floordiv(shape[at + 1] + before + after, size)
            batch = batch * size
        else:
            shape[at + 1] = shape[at + 1] * size - before - after
            batch = floordiv(batch, size)
    return [Out((batch, *shape[1:]), call.value(0).dtype)]


@rule("ExtractImagePatches")
def patches(call: Call) -> Sequence[Out]:
    """Cut windows out of images, each in the channels."""
    kernel = call.node.integers("ksizes")
    if len(kernel) != 4 or len(call.shape(0)) != 4:
        raise Open("an input has another number of dimensions")
    first = _channels_first(call.shape(0), True)
    padding = "spread" if call.node.string("padding") == "SAME" else 0
    rates = _spatial(call.node.integers("rates"), 2, True)
    made = pool(
        call.name, first, tuple(kernel[1:3]), _spatial(call.node.integers("strides"), 2, True), padding, rates, rank=2
    )
    return [Out((made[0], *made[2:], made[1] * kernel[1] * kernel[2]), call.value(0).dtype)]
