"""How a row of TensorFlow is entered, and what rows ask of an operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.recover.graph import Literal, Operand
from cutaway.recover.sources.channels_last import ChannelsLast
from cutaway.recover.sources.onnx.registry import Call, Row
from cutaway.recover.sources.onnx.registry import operator as entered


def operation(names: str) -> Callable[[Row], Row]:
    """Enter a row under the names of operations."""
    return entered(names, "tensorflow")


def is_last(call: Call) -> bool:
    """Tell whether channels come last."""
    return not str(call.get("data_format", "NHWC")).startswith("NC")


def image(call: Call, place: int = 0) -> ChannelsLast:
    """Return the layer for an image, whose channels come last or second."""
    return ChannelsLast(call, call.name(place), is_last(call))


def spatial(call: Call, name: str, place: int = 0) -> list[int]:
    """Return the numbers of an attribute for the dimensions of space of an input."""
    values = call.get(name, [])
    if not values:
        return [1] * (call.known_rank(place) - 2)
    return list(values[1:-1] if is_last(call) else values[2:])


def known_shape(call: Call, place: int = 0) -> tuple[Any, ...]:
    """Return the shape of an input."""
    shape = call.fact(place).shape
    if shape is None or any(size is None for size in shape):
        call.unsupported(f"the shape of its input {place} is not known")
    return shape


def out_shape(call: Call, place: int = 0) -> tuple[Any, ...]:
    """Return the shape of an output."""
    shape = call.graph.shape(call.operation.outputs[place])
    if shape is None or any(size is None for size in shape):
        call.unsupported("the shape of its output is not known")
    return shape


def whole(call: Call, place: int, what: str) -> list[Any]:
    """Return the numbers of an input, which are settings."""
    numbers = call.numbers(place)
    if numbers is None:
        call.unsupported(f"{what} is computed from the numbers of a tensor")
    return numbers


def operands(call: Call) -> tuple[Operand, Operand]:
    """Return both operands, numbers where they are constants; one that is real in a real tensor."""
    left, right = call.operand(0, 1), call.operand(1, 0)
    if isinstance(left, Literal) and isinstance(right, Literal):
        left = call.name(0)
    return left, right
