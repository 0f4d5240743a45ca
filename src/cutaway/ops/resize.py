"""Resampling an array to another spatial size."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault, Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import less
from cutaway.ops.window import Shape, scaled, shown, size_of


def resize(name: str, input: Shape, size: Any = None, scale_factor: Any = None, *, least: int = 1) -> Shape:
    """Return the shape of `(batch, channels, *spatial)` resampled to a size or by a factor, to `least` at least."""
    lead, spatial = tuple(input[:2]), tuple(input[2:])
    if size is not None and scale_factor is not None:
        raise ArgumentFault(f"{name}: only one of size or scale_factor should be given", FaultCode.ARGUMENT_CONFLICT)
    if size is None and scale_factor is None:
        raise ArgumentFault(f"{name}: either size or scale_factor should be given", FaultCode.MISSING_ARGUMENT)
    what, wanted = ("size", size) if size is not None else ("scale_factor", scale_factor)
    if not isinstance(wanted, (tuple, list)):
        wanted = (wanted,) * len(spatial)
    if len(wanted) != len(spatial):
        raise ArgumentFault(
            f"{name}: {what} has {len(wanted)} numbers, but the input has {len(spatial)} spatial dimensions, "
            f"{shown(spatial)}",
            FaultCode.ARGUMENT_LENGTH,
        )
    if size is not None:
        out = tuple(size_of(number, f"{name}: size") for number in wanted)
    else:
        out = tuple(scaled(number, factor) for number, factor in zip(spatial, wanted))
    if any(less(number, least) is True for number in (*spatial, *out)):
        raise Fault(
            f"{name}: input and output sizes must be at least {least}, but are {shown(spatial)} and {shown(out)}",
            FaultCode.SHAPE_MISMATCH,
        )
    return (*lead, *out)
