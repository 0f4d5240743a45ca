"""Shapes of operations on regions of an image: pooling them, suppressing boxes, deformable convolution."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Size, equal, floordiv, mod, unknown_size
from cutaway.ops.reshape import text

Shape = tuple[Size, ...]


def kept_boxes(boxes: Sequence[Size], scores: Sequence[Size], name: str) -> Shape:
    """Return the shape of the numbers of the boxes that are kept; how many depends on the boxes."""
    if len(boxes) != 2 or equal(boxes[1], 4) is False:
        raise Fault(f"{name}: boxes must have the shape [N, 4], but they are {text(boxes)}", FaultCode.SHAPE_MISMATCH)
    if len(scores) != 1:
        raise Fault(f"{name}: scores must have 1 dimension, but they are {text(scores)}", FaultCode.WRONG_RANK)
    if equal(boxes[0], scores[0]) is False:
        raise Fault(f"{name}: there are {boxes[0]} boxes, but {scores[0]} scores", FaultCode.SHAPE_MISMATCH)
    return (0,) if equal(boxes[0], 0) is True else (unknown_size(),)


def pooled(image: Sequence[Size], regions: Sequence[Size], height: Size, width: Size, name: str) -> Shape:
    """Return the shape of regions that are pooled to one size."""
    if len(image) != 4:
        raise Fault(f"{name}: input must have 4 dimensions, but it is {text(image)}", FaultCode.WRONG_RANK)
    if len(regions) != 2 or equal(regions[1], 5) is False:
        raise Fault(f"{name}: rois must have the shape [K, 5], but they are {text(regions)}", FaultCode.SHAPE_MISMATCH)
    return regions[0], image[1], height, width


def position_sensitive(image: Sequence[Size], regions: Sequence[Size], height: Size, width: Size, name: str) -> Shape:
    """Return the shape of pooled regions where each position of the result has channels of its own."""
    count, channels, _, _ = pooled(image, regions, height, width, name)
    if equal(mod(channels, height * width), 0) is False:
        raise Fault(
            f"{name}: input has {channels} channels, which is not a multiple of {height} * {width}",
            FaultCode.SHAPE_MISMATCH,
        )
    return count, floordiv(channels, height * width), height, width


def deformable(
    image: Sequence[Size],
    weight: Sequence[Size],
    offset: Sequence[Size],
    mask: Sequence[Size] | None,
    stride: Sequence[Size],
    padding: Sequence[Size],
    dilation: Sequence[Size],
    groups: Size,
    offset_groups: Size,
    name: str,
) -> Shape:
    """Return the shape of a convolution whose taps are moved by `offset`."""
    for what, shape in (("input", image), ("weight", weight), ("offset", offset)):
        if len(shape) != 4:
            raise Fault(f"{name}: {what} must have 4 dimensions, but it is {text(shape)}", FaultCode.WRONG_RANK)
    if equal(weight[1] * groups, image[1]) is False:
        raise Fault(
            f"{name}: input has {image[1]} channels, but weight {text(weight)} expects {weight[1] * groups}",
            FaultCode.SHAPE_MISMATCH,
        )
    spatial = [
        floordiv(size + 2 * pad - (dilate * (kernel - 1) + 1), step) + 1
        for size, kernel, step, pad, dilate in zip(image[2:], weight[2:], stride, padding, dilation)
    ]
    taps = offset_groups * weight[2] * weight[3]
    wanted = {"offset": (image[0], 2 * taps, *spatial), "mask": (image[0], taps, *spatial)}
    for what, given in (("offset", offset), ("mask", mask)):
        if given is not None and any(equal(a, b) is False for a, b in zip(given, wanted[what])):
            raise Fault(f"{name}: {what} is {text(given)}, but must be {text(wanted[what])}", FaultCode.SHAPE_MISMATCH)
    return (image[0], weight[0], *spatial)
