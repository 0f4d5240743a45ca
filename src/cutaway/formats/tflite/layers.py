"""Convolutions, pooling, products of matrices, recurrent layers, images and boxes."""

from __future__ import annotations

from typing import Any

from cutaway.core.size.dim import Dim, floordiv, product
from cutaway.formats.graph.value import Call, Out, Shape, one, several, undecided
from cutaway.formats.tflite.registry import numbers, operator
from cutaway.ops.conv import convolve
from cutaway.ops.matmul import matmul
from cutaway.ops.pool import pool
from cutaway.ops.recurrent import cell_macs
from cutaway.ops.reshape import reshape

_SAME = 0


def _window(call: Call) -> tuple[tuple[int, int], Any]:
    """Return the strides of a window, and the padding."""
    strides = call.integer("stride_h"), call.integer("stride_w")
    if min(strides) < 1:
        undecided(f"{call.name}: its strides are {strides}")
    return strides, "spread" if call.integer("padding") == _SAME else "valid"


def _convolved(
    call: Call, data: tuple[Any, ...], weight: tuple[Any, ...], strides: Any, padding: Any, letters: str, groups: Any
) -> Out:
    """Convolve with channels first, as `ops` has it; `letters` name the dimensions in the file's attributes."""
    dilations = tuple(call.integer(f"dilation_{letter}_factor", 1) for letter in letters)
    result = convolve(call.name, data, weight, None, strides, padding, dilations, groups, rank=len(letters))
    batch, channels, *sizes = result.shape
    return one((batch, *sizes, channels), None, macs=result.macs)


@operator("CONV_2D")
def convolution(call: Call) -> Out:
    """A convolution; channels are last, and the weight is `(out, *kernel, in)`."""
    (batch, *spatial, channels), (features, *kernel, each) = call.shape(0), call.shape(1)
    strides, padding = _window(call)
    groups: Any = 1
    if isinstance(channels, int) and isinstance(each, int) and each and channels % each == 0:
        groups = channels // each
    return _convolved(call, (batch, channels, *spatial), (features, each, *kernel), strides, padding, "hw", groups)


@operator("DEPTHWISE_CONV_2D")
def depthwise(call: Call) -> Out:
    """A convolution of each channel by itself; the weight is `(1, *kernel, out)`."""
    (batch, *spatial, channels), (_, *kernel, features) = call.shape(0), call.shape(1)
    strides, padding = _window(call)
    return _convolved(call, (batch, channels, *spatial), (features, 1, *kernel), strides, padding, "hw", channels)


@operator("CONV_3D")
def volume(call: Call) -> Out:
    """A convolution of volumes; the weight is `(*kernel, in, out)`."""
    (batch, *spatial, channels), (*kernel, each, features) = call.shape(0), call.shape(1)
    strides = tuple(call.integer(f"stride_{letter}") for letter in "dhw")
    padding = "spread" if call.integer("padding") == _SAME else "valid"
    return _convolved(call, (batch, channels, *spatial), (features, each, *kernel), strides, padding, "dhw", 1)


@operator("TRANSPOSE_CONV CONV_3D_TRANSPOSE")
def transposed(call: Call) -> Out:
    """A transposed convolution to stated sizes."""
    shape = numbers(call, 0)
    if shape is None:
        return one(None, None)
    weight, data = call.shape(1), call.shape(2)
    return one(shape, None, macs=product(data[:-1]) * product(weight))


@operator("AVERAGE_POOL_2D MAX_POOL_2D L2_POOL_2D")
def pooled(call: Call) -> Out:
    """The mean, or the largest element, of each window."""
    batch, *spatial, channels = call.shape(0)
    strides, padding = _window(call)
    kernel = call.integer("filter_height"), call.integer("filter_width")
    first, *rest = pool(
        call.name, (batch, channels, *spatial), kernel, strides, "spread" if padding == "spread" else 0, rank=2
    )
    return one((first, *rest[1:], rest[0]), None)


@operator("FULLY_CONNECTED")
def fully_connected(call: Call) -> Out:
    """A product with a weight of shape `(out, in)`; without keeping dimensions, rows are what is left."""
    shape, (features, width) = call.shape(0), call.shape(1)
    if call.integer("keep_num_dims"):
        result: Shape = (*shape[:-1], features)
    else:
        result = (*reshape(shape, (-1, width), call.name)[:1], features)
    return one(result, None, macs=product(result) * width)


@operator("BATCH_MATMUL")
def batch_product(call: Call) -> Out:
    """A product of batches of matrices, either of which may be transposed."""
    left, right = list(call.shape(0)), list(call.shape(1))
    if call.integer("adj_x"):
        left[-2:] = left[:-3:-1]
    if call.integer("adj_y"):
        right[-2:] = right[:-3:-1]
    shape, macs = matmul(left, right, call.name)
    return one(shape, None, macs=macs)


@operator("NON_MAX_SUPPRESSION_V4 NON_MAX_SUPPRESSION_V5")
def boxes(call: Call) -> Out:
    """Which boxes are kept, with scores, and how many are valid: places are filled up to a stated number."""
    most = call.number(2)
    size = most if isinstance(most, (int, Dim)) else call.fresh("count")
    if call.name.endswith("4"):
        return several(((size,), None), ((), None))
    return several(((size,), None), ((size,), None), ((), None))


@operator("TFLite_Detection_PostProcess")
def detections(call: Call) -> Out:
    """The places, classes and scores of boxes, as many as its settings allow, and how many are valid."""
    count = call.fresh("count")
    return several(((1, count, 4), None), ((1, count), None), ((1, count), None), ((1,), None))


@operator("RESIZE_BILINEAR RESIZE_NEAREST_NEIGHBOR")
def resized(call: Call) -> Out:
    """Images of stated sizes."""
    batch, *_, channels = call.shape(0)
    sizes = numbers(call, 1) or list(call.fresh_shape(2))
    return one((batch, *sizes, channels), None)


@operator("SPACE_TO_DEPTH DEPTH_TO_SPACE")
def blocks(call: Call) -> Out:
    """Blocks of pixels that become channels, and the reverse."""
    batch, height, width, channels = call.shape(0)
    side = call.integer("block_size")
    if side < 1:
        undecided(f"{call.name}: its blocks have the size {side}")
    if call.name == "SPACE_TO_DEPTH":
        return one((batch, floordiv(height, side), floordiv(width, side), channels * side * side), None)
    return one((batch, height * side, width * side, floordiv(channels, side * side)), None)


@operator("SPACE_TO_BATCH_ND BATCH_TO_SPACE_ND")
def batches(call: Call) -> Out:
    """Blocks of pixels that become samples of the batch, and the reverse."""
    shape, sides, amounts = list(call.shape(0)), call.numbers(1), call.numbers(2)
    if sides is None or amounts is None or None in sides or None in amounts or len(amounts) != 2 * len(sides):
        return one(call.fresh_shape(len(shape)), None)
    count = product(sides)
    into = call.name == "SPACE_TO_BATCH_ND"
    if any(type(side) is not int or side < 1 for side in sides) or len(sides) >= len(shape):
        undecided(f"{call.name}: its blocks are {sides}")
    shape[0] = shape[0] * count if into else floordiv(shape[0], count)
    for at, side in enumerate(sides):
        around = amounts[2 * at] + amounts[2 * at + 1]
        size = shape[at + 1]
        shape[at + 1] = floordiv(size + around, side) if into else size * side - around
    return one(shape, None)


@operator("UNIDIRECTIONAL_SEQUENCE_LSTM UNIDIRECTIONAL_SEQUENCE_RNN")
def recurrent(call: Call) -> Out:
    """A layer over a sequence: all of its states."""
    shape = call.shape(0)
    lstm = call.name.endswith("LSTM")
    projected = lstm and call.has(16)
    features = call.shape(16)[0] if projected else call.shape(2 if lstm else 1)[0]
    gates = 4 if lstm else 1
    macs = cell_macs(product(shape[:2]), shape[2], features, gates * features)
    return one((*shape[:2], features), None, macs=macs)


@operator("RFFT2D")
def fourier(call: Call) -> Out:
    """A Fourier transform of real numbers to stated lengths."""
    lengths = numbers(call, 1)
    shape = call.shape(0)
    if lengths is None or len(lengths) != 2:
        return one((*shape[:-2], *call.fresh_shape(2)), None)
    return one((*shape[:-2], lengths[0], floordiv(lengths[1], 2) + 1), None)
