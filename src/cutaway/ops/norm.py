"""What normalisations require of their input and of their weights; none of them changes a shape."""

from __future__ import annotations

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Size, equal, has_zero, product
from cutaway.ops.window import Shape, require_at_least, shown


def check_channels(name: str, input: Shape, weights: dict[str, Shape | None], least_rank: int = 2) -> None:
    """Check that each weight has one number for each channel of the input, its second dimension."""
    if has_zero(input):
        return
    if len(input) < least_rank:
        raise Fault(
            f"{name}: input must have at least {least_rank} dimensions, but its shape is {shown(input)}",
            FaultCode.WRONG_RANK,
        )
    for what, shape in weights.items():
        if shape is not None and not session.require_equal(input[1], product(shape), name):
            raise Fault(
                f"{name}: input has {input[1]} channels, but {what} has shape {shown(shape)}", FaultCode.SHAPE_MISMATCH
            )


def check_trailing(name: str, input: Shape, normalized: Shape, weights: dict[str, Shape | None]) -> None:
    """Check that the last dimensions of the input and the shape of each weight are `normalized`."""
    if not normalized:
        raise Fault(f"{name}: normalized_shape must have at least one dimension, but is ()", FaultCode.INVALID_ARGUMENT)
    for what, shape in weights.items():
        if shape is not None and not fits(shape, normalized):
            raise Fault(
                f"{name}: {what} has shape {shown(shape)}, but normalized_shape is {shown(normalized)}",
                FaultCode.SHAPE_MISMATCH,
            )
    if len(input) < len(normalized) or not all(
        session.require_equal(a, b, name) for a, b in zip(input[::-1], normalized[::-1])
    ):
        raise Fault(
            f"{name}: the last dimensions of the input {shown(input)} must be normalized_shape, {shown(normalized)}",
            FaultCode.SHAPE_MISMATCH,
        )


def check_groups(name: str, input: Shape, groups: Size) -> None:
    """Check that the groups divide the channels."""
    require_at_least((groups,), 1, f"{name}: num_groups")
    if not session.require_equal(input[1] % groups, 0, name):
        raise Fault(
            f"{name}: input has {input[1]} channels, which {groups} groups do not divide", FaultCode.SHAPE_MISMATCH
        )


def fits(left: Shape, right: Shape) -> bool:
    """Tell whether two shapes can be equal."""
    return len(left) == len(right) and all(equal(a, b) is not False for a, b in zip(left, right))
