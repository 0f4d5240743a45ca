"""Tensors at other places than those of their elements: other sizes, and grids."""

from __future__ import annotations

import struct
from fractions import Fraction
from math import ceil, floor
from typing import Any

from cutaway.recover.graph import Numbers
from cutaway.recover.sources.emission import alike
from cutaway.recover.sources.onnx.registry import Call, operator


@operator("Resize Upsample")
def resize(call: Call) -> None:
    """Another size, by interpolation."""
    shape, out = call.fact().shape, call.graph.shape(call.operation.outputs[0])
    rank = call.known_rank()
    usual = "half_pixel" if call.op == "Resize" and call.version >= 11 else "asymmetric"
    where = call.get("coordinate_transformation_mode", usual)
    if where == "tf_crop_and_resize" or call.get("antialias", 0) or rank not in (3, 4, 5):
        call.unsupported("it crops or filters, or there is no function for the number of its dimensions")
    scales = _scales(call, rank)
    moves = scales is not None and any(scale != 1 for scale in scales[:2])
    if moves or (scales is None and shape is not None and out is not None and out[:2] != shape[:2]):
        call.unsupported("it resizes batches or channels")
    if scales is None and (out is None or shape is None):
        call.unsupported("its size is computed from the numbers of a tensor")
    ratios = _ratios(scales, shape, out)
    if call.get("mode", "nearest") == "nearest":
        config: dict[str, Any] = {"mode": _nearest(call, where, ratios, (shape or (None,) * rank)[2:])}
    else:
        config = _interpolated(call, where, rank, ratios, out)
    if scales is not None:
        factors = [int(scale) if float(scale).is_integer() else scale for scale in scales[2:]]
        call.emit("F.interpolate", call.name(), scale_factor=alike(factors), **config)
    else:
        assert out is not None
        call.emit("F.interpolate", call.name(), size=tuple(out[2:]), **config)


def _ratios(scales: list[Any] | None, shape: Any, out: Any) -> list[float] | None:
    """Return how much each dimension grows; None where that is not known."""
    if scales is not None:
        return [float(scale) for scale in scales[2:]]
    sizes = list(zip(shape[2:], out[2:]))
    if all(isinstance(size, int) and size for pair in sizes for size in pair):
        return [after / before for before, after in sizes]
    return None


_USUAL = {("asymmetric", "floor"): "nearest", ("half_pixel", "round_prefer_ceil"): "nearest-exact"}
_SAMPLES = range(1, 33)


def _nearest(call: Call, where: str, ratios: list[float] | None, sizes: tuple[Any, ...]) -> str:
    """Return the mode that takes the same neighbours as the file says."""
    rounding = call.get("nearest_mode", "round_prefer_floor" if call.version >= 11 else "floor")
    if ratios is None and (where, rounding) in _USUAL:
        return _USUAL[where, rounding]
    for mode in ("nearest", "nearest-exact"):
        if ratios is not None and all(
            _takes_same(mode, where, rounding, ratio, each)
            for ratio, size in zip(ratios, sizes)
            for each in ([size] if isinstance(size, int) else _SAMPLES)
        ):
            return mode
    call.unsupported(f"coordinates are {where}, rounding is {rounding}")


def _takes_same(mode: str, where: str, rounding: str, ratio: float, size: int) -> bool:
    """Tell whether PyTorch, which computes with 32 bits, takes the same neighbours along a dimension of some size."""
    exact = Fraction(ratio).limit_denominator(1 << 12)
    out = floor(size * exact)
    step = _rounded(1 / ratio)
    for place in range(out):
        at = _coordinate(where, place, exact, size, out)
        if at is None:
            return False
        chosen = {
            "floor": floor(at), "ceil": ceil(at), "round_prefer_floor": ceil(at - Fraction(1, 2)),
            "round_prefer_ceil": floor(at + Fraction(1, 2)),
        }.get(rounding)  # fmt: skip
        own = floor(_rounded((place + 0.5 if mode == "nearest-exact" else place) * step))
        if chosen is None or min(max(chosen, 0), size - 1) != min(own, size - 1):
            return False
    return True


def _coordinate(where: str, place: int, ratio: Fraction, size: int, out: int) -> Fraction | None:
    """Return which place of the input one of the output is at."""
    if where == "asymmetric":
        return place / ratio
    if where == "half_pixel" or (where == "pytorch_half_pixel" and out > 1):
        return (place + Fraction(1, 2)) / ratio - Fraction(1, 2)
    if where == "align_corners" and out > 1:
        return Fraction(place * (size - 1), out - 1)
    return None


def _rounded(number: float) -> float:
    return float(struct.unpack("f", struct.pack("f", number))[0])


def _interpolated(call: Call, where: str, rank: int, ratios: list[float] | None, out: Any) -> dict[str, Any]:
    mode = {"linear": ("linear", "bilinear", "trilinear")[rank - 3], "cubic": "bicubic"}.get(call.get("mode"))
    if mode is None or where not in ("half_pixel", "pytorch_half_pixel", "align_corners"):
        call.unsupported(f"its mode is {call.get('mode')}, and its coordinates are {where}")
    if mode == "bicubic" and (rank != 4 or abs(call.get("cubic_coeff_a", -0.75) + 0.75) > 1e-6):
        call.unsupported("its coefficient is not -0.75")
    if call.get("exclude_outside", 0):
        call.unsupported("it leaves out what is outside")
    if where == "align_corners" and call.numbers(2) and not all(ratio.is_integer() for ratio in ratios or ()):
        call.unsupported("its corners depend on a size that is not whole")
    if where == "pytorch_half_pixel" and (out is None or 1 in out[2:]):
        call.unsupported("an output of size 1 has coordinates of its own")
    return {"mode": mode, "align_corners": where == "align_corners"}


def _scales(call: Call, rank: int) -> list[Any] | None:
    """Return how much each dimension grows; None where the file gives sizes."""
    place = 1 if call.op == "Upsample" or call.version < 11 else 2
    if call.op == "Upsample" and not call.has(1):
        return list(call.get("scales", [])) or None
    numbers = call.numbers(place) if call.has(place) else None
    axes = call.get("axes")
    if not numbers or axes is None:
        return numbers or None
    scales: list[Any] = [1.0] * rank
    for axis, number in zip(axes, numbers):
        scales[axis] = number
    return scales


_MODES = {"linear": "bilinear", "bilinear": "bilinear", "nearest": "nearest", "cubic": "bicubic", "bicubic": "bicubic"}


@operator("GridSample")
def sampled(call: Call) -> None:
    """Numbers at the places of a grid."""
    mode = _MODES.get(call.get("mode", "linear"))
    if mode is None or call.known_rank() not in (4, 5):
        call.unsupported("its mode, or the number of its dimensions, is not one of PyTorch's")
    corners = bool(call.get("align_corners", 0))
    padding = call.get("padding_mode", "zeros")
    call.emit("F.grid_sample", call.name(0), call.name(1), mode=mode, padding_mode=padding, align_corners=corners)


@operator("AffineGrid")
def affine(call: Call) -> None:
    """The places that a linear map moves those of a tensor to."""
    size, corners = call.numbers(1), bool(call.get("align_corners", 0))
    if size is None:
        call.emit("F.affine_grid", call.name(0), call.name(1), size=Numbers(1), align_corners=corners)
    else:
        call.emit("F.affine_grid", call.name(0), size=list(size), align_corners=corners)
