"""Padding the borders of an array."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import less
from cutaway.ops.window import Shape, shown, size_of

# Mode -> by how much the padding of one side must stay below the size of the dimension.
_ROOM = {"constant": None, "replicate": None, "reflect": 1, "circular": 0}


def pad(name: str, input: Shape, amounts: Any, mode: str = "constant") -> Shape:
    """Pad the last dimensions; amounts are (before, after) pairs, last dimension first."""
    amounts = tuple(size_of(amount, f"{name}: pad") for amount in amounts)
    if len(amounts) % 2:
        raise Fault(f"{name}: pad {shown(amounts)} must have two numbers per dimension", FaultCode.ARGUMENT_LENGTH)
    if len(amounts) > 2 * len(input):
        raise Fault(
            f"{name}: pad {shown(amounts)} is for {len(amounts) // 2} dimensions, "
            f"but the input {shown(input)} has {len(input)}",
            FaultCode.ARGUMENT_LENGTH,
        )
    out = list(input)
    for index in range(0, len(amounts), 2):
        axis = len(input) - 1 - index // 2
        before, after = amounts[index], amounts[index + 1]
        room = _ROOM[mode]
        if room is not None and any(less(input[axis] - room, side) is True for side in (before, after)):
            raise Fault(
                f"{name}: {mode} padding of ({before}, {after}) must be {'less than' if room else 'at most'} "
                f"the size of dimension {axis}, which is {input[axis]}",
                FaultCode.PADDING_TOO_LARGE,
            )
        out[axis] = input[axis] + before + after
        if less(out[axis], 0) is True:
            raise Fault(
                f"{name}: padding dimension {axis} of size {input[axis]} by ({before}, {after}) "
                f"leaves a size of {out[axis]}",
                FaultCode.PADDING_TOO_LARGE,
            )
    return tuple(out)
