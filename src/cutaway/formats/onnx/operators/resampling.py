"""Operators that resample images to other sizes."""

from __future__ import annotations

import struct
from typing import Any

from cutaway.core.size.dim import Dim, Size
from cutaway.formats.graph.value import Call, Out, one, undecided
from cutaway.formats.onnx.operators.layout import sizes
from cutaway.formats.onnx.operators.registry import operator
from cutaway.ops.reshape import axes
from cutaway.ops.window import scaled


@operator("Resize Upsample")
def resized(call: Call) -> Out:
    """The tensor with other sizes: stated ones, or its own times factors."""
    shape = list(call.shape(0))
    stated = call.integers("axes")
    places = list(range(len(shape))) if stated is None else axes(stated, len(shape), call.name)
    factors = _factors(call)
    if factors is None and call.has(3):
        return one(_stated(call, shape, places), call.dtype())
    if factors is None:
        factors = [None] * len(places)
    if len(factors) != len(places):
        undecided(f"{call.name}: {len(factors)} factors are stated for {len(places)} dimensions")
    for place, factor in zip(places, factors):
        size = None if factor is None else multiplied(shape[place], factor)
        shape[place] = call.fresh(f"dim{place}") if size is None else size
    return one(shape, call.dtype())


def _factors(call: Call) -> list[Any] | None:
    """Return the factors, which each version has in another place; None where there are none, or they are not known."""
    if call.name == "Upsample" and call.version < 9:
        listed = call.attributes.get("scales")
        if isinstance(listed, list):
            return listed
        return [1.0, 1.0, call.real("height_scale", 1.0), call.real("width_scale", 1.0)]
    place = 1 if call.version < 11 or call.name == "Upsample" else 2
    if not call.has(place) or call.input(place).shape == (0,):
        return None
    return call.numbers(place)


def _stated(call: Call, shape: list[Size], places: list[int]) -> list[Size]:
    wanted = sizes(call, 3)
    if wanted is None or len(wanted) != len(places):
        wanted = [call.fresh(f"dim{place}") for place in places]
    policy = call.text("keep_aspect_ratio_policy", "stretch")
    if policy != "stretch":
        wanted = _in_proportion(call, [shape[place] for place in places], wanted, policy)
    result = list(shape)
    for place, size in zip(places, wanted):
        result[place] = size
    return result


def _in_proportion(call: Call, before: list[Size], wanted: list[Size], policy: str) -> list[Size]:
    """Return sizes with the proportions of those before, none larger, or none smaller, than what is wanted."""
    if not all(isinstance(size, int) and size > 0 for size in (*before, *wanted)):
        return [call.fresh(f"part{at}") for at in range(len(wanted))]
    (first, whole), *others = [(int(want), int(have)) for want, have in zip(wanted, before)]  # type: ignore[arg-type]
    for want, have in others:
        if (want * whole < first * have) == (policy == "not_larger"):
            first, whole = want, have
    return [(2 * first * int(have) + whole) // (2 * whole) for have in before]  # type: ignore[arg-type]


def multiplied(size: Size, factor: Any) -> Size | None:
    """Return a size times a factor, as a run computes it: in floating point of 32 bits, rounded down."""
    if isinstance(factor, Dim) or (isinstance(factor, float) and factor.is_integer()):
        return size * (factor if isinstance(factor, Dim) else int(factor))
    if not isinstance(factor, (int, float)) or factor != factor or factor <= 0 or factor > 1 << 20:
        return None
    if isinstance(size, int):
        return int(struct.unpack("f", struct.pack("f", size * factor))[0])
    result = scaled(size, factor)
    return result


@operator("GridSample")
def sampled(call: Call) -> Out:
    """The tensor at the places of a grid."""
    shape, grid = call.shape(0), call.shape(1)
    return one((*shape[:2], *grid[1:-1]), call.dtype())


@operator("AffineGrid")
def grid(call: Call) -> Out:
    """A grid of places for images of a size."""
    stated = sizes(call, 1)
    if stated is None:
        return one(None, call.dtype())
    return one((stated[0], *stated[2:], len(stated) - 2), call.dtype())


@operator("ImageDecoder")
def decoded(call: Call) -> Out:
    """An image of a size that its bytes tell."""
    channels = 1 if call.text("pixel_format", "RGB") == "Grayscale" else 3
    return one((call.fresh("height"), call.fresh("width"), channels), "uint8")
