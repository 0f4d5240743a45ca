"""Shapes of square blocks that are moved between the channels of an image and its rows and columns."""

from __future__ import annotations

from cutaway.core import session
from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Size
from cutaway.ops.window import Shape


def to_space(name: str, shape: Shape, block: Size) -> Shape:
    """Return the shape of `(..., channels, height, width)` with channels laid out as blocks."""
    *lead, channels, height, width = shape
    if not session.require_equal(channels % (block * block), 0, name):
        raise ArgumentFault(
            f"{name}: input has {channels} channels, which blocks of {block}x{block} do not divide",
            FaultCode.SHAPE_MISMATCH,
        )
    return (*lead, channels // (block * block), height * block, width * block)


def to_channels(name: str, shape: Shape, block: Size) -> Shape:
    """Return the shape of `(..., channels, height, width)` with blocks laid out as channels."""
    *lead, channels, height, width = shape
    for what, size in (("height", height), ("width", width)):
        if not session.require_equal(size % block, 0, name):
            raise ArgumentFault(
                f"{name}: input has a {what} of {size}, which blocks of {block}x{block} do not divide",
                FaultCode.SHAPE_MISMATCH,
            )
    return (*lead, channels * block * block, height // block, width // block)
