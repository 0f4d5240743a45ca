"""Shapes of Fourier transforms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.core.fault import Fault, IndexFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Size, equal, less
from cutaway.ops.reshape import axes, axis, integer, text

Shape = tuple[Size, ...]

# What a transform does to the size of its last dimension.
FULL, HALVED, DOUBLED = "full", "halved", "doubled"


def transform(shape: Sequence[Size], size: Any, dim: Any, kind: str, name: str) -> Shape:
    """Return the shape of a transform along one dimension."""
    if not shape:
        raise Fault(f"{name}: input must have at least 1 dimension, but it is a scalar", FaultCode.WRONG_RANK)
    place = axis(dim, len(shape))
    return _replaced(shape, [place], [size], kind, name)


def transform_many(shape: Sequence[Size], sizes: Any, dims: Any, kind: str, name: str) -> Shape:
    """Return the shape of a transform along several dimensions; the last of them is halved or doubled."""
    rank = len(shape)
    if dims and not rank:
        raise IndexFault(f"{name}: dim is {text(dims)}, but input has no dimensions", FaultCode.DIMENSION_OUT_OF_RANGE)
    if dims is not None:
        places = axes(dims, rank, name)
        if sizes is not None and len(sizes) != len(places):
            raise Fault(
                f"{name}: s has {len(sizes)} sizes, but dim has {len(places)} dimensions", FaultCode.ARGUMENT_LENGTH
            )
    elif sizes is not None:
        if len(sizes) > rank:
            raise Fault(f"{name}: s has {len(sizes)} sizes, but input is {text(shape)}", FaultCode.ARGUMENT_LENGTH)
        places = list(range(rank - len(sizes), rank))
    else:
        places = list(range(rank))
    if not places:
        if kind == FULL:
            return tuple(shape)
        raise Fault(f"{name}: must transform at least one dimension", FaultCode.INVALID_ARGUMENT)
    given = [None] * len(places) if sizes is None else [None if s == -1 else s for s in sizes]
    return _replaced(shape, places, given, kind, name)


def _replaced(shape: Sequence[Size], places: list[int], sizes: Sequence[Any], kind: str, name: str) -> Shape:
    found = list(shape)
    for number, (place, size) in enumerate(zip(places, sizes)):
        last = number == len(places) - 1
        points = shape[place] if size is None else integer(size, f"{name}: a size")
        if last and kind == DOUBLED and size is None:
            points = 2 * (shape[place] - 1)
        if less(points, 1) is True:
            raise Fault(
                f"{name}: dimension {place} has {points} data points, but at least 1 is needed",
                FaultCode.SHAPE_MISMATCH,
            )
        found[place] = points // 2 + 1 if last and kind == HALVED else points
    return tuple(found)


def frames(length: Size, points: Size, hop: Size) -> Size:
    """Return how many frames of `points` samples a signal has."""
    return 1 + (length - points) // hop


def frequencies(points: Size, onesided: bool) -> Size:
    """Return the number of frequencies of a transform."""
    return points // 2 + 1 if onesided else points


def fits(points: Size, length: Size, name: str) -> None:
    """Fault a transform that is longer than its signal."""
    if less(points, 1) is True or less(length, points) is True:
        raise Fault(
            f"{name}: n_fft is {points}, but must be between 1 and the signal's length, {length}",
            FaultCode.SHAPE_MISMATCH,
        )


def has_frequencies(rows: Size, points: Size, onesided: bool, name: str) -> None:
    """Fault a spectrum whose frequencies do not belong to a transform of `points`."""
    wanted = frequencies(points, onesided)
    if equal(rows, wanted) is False:
        raise Fault(
            f"{name}: input has {rows} frequencies, but n_fft={points} with onesided={onesided} means {wanted}",
            FaultCode.SHAPE_MISMATCH,
        )
