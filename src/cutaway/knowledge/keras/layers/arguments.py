"""Arguments that many layers share: sizes for each axis, channels that must be known."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.keras.tensors.shape import text


def several(value: Any, count: int, name: str, least: int = 1) -> tuple[Any, ...]:
    """Return a number for each axis, given one for all or one for each."""
    if isinstance(value, Unknown):
        raise Undecidable(value)
    if not isinstance(value, (list, tuple)):
        if isinstance(value, float):
            raise ArgumentFault(
                f"{name} must be an integer or a tuple of {count} integers, but is {value}", FaultCode.WRONG_TYPE
            )
        value = (value,) * count
    if len(value) != count:
        raise ArgumentFault(f"{name} must have {count} numbers, but is {tuple(value)}", FaultCode.ARGUMENT_LENGTH)
    for size in value:
        if isinstance(size, int) and size < least:
            raise ArgumentFault(f"{name} must be at least {least}, but is {tuple(value)}", FaultCode.INVALID_ARGUMENT)
    return tuple(value)


def positive(value: Any, name: str) -> Any:
    """Reject a count that is certainly not above zero."""
    if isinstance(value, (int, float)) and value <= 0:
        raise ArgumentFault(f"{name} must be positive, but is {value}", FaultCode.INVALID_ARGUMENT)
    return value


def channels(layer: Any, input_shape: Any, axis: int) -> Any:
    """Return the size of the axis that a layer's weights depend on."""
    size = input_shape[axis]
    if size is None:
        raise ArgumentFault(
            f'layer "{layer.name}": axis {axis} of its input must have a known size, but its shape is {text(input_shape)}',
            FaultCode.UNDEFINED_SIZE,
        )
    return size
