"""How a row of TensorFlow Lite is entered, and the activation that may follow an operator."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.recover.graph import Operand
from cutaway.recover.sources.onnx.registry import Call, Row
from cutaway.recover.sources.onnx.registry import operator as entered

_ACTIVATIONS: dict[int, tuple[str, dict[str, Any]]] = {
    1: ("nn.ReLU", {}),
    2: ("torch.clamp", {"min": -1.0, "max": 1.0}),
    3: ("nn.ReLU6", {}),
    4: ("nn.Tanh", {}),
}


def operator(names: str) -> Callable[[Row], Row]:
    """Enter a row under the names of operators; an activation that the file has in them is added to what it makes."""

    def wrapped(row: Row) -> Row:
        def with_activation(call: Call) -> None:
            kind = call.get("activation", 0)
            if not kind:
                row(call)
                return
            if kind not in _ACTIVATIONS:
                call.unsupported(f"its activation has the number {kind}")
            (out,) = call.outputs
            before = f"{out}:before"
            call.graph.facts[before] = call.graph.fact(out)
            call.outputs = [before]
            row(call)
            call.outputs = [out]
            op, config = _ACTIVATIONS[kind]
            call.emit(op, before, **config)

        entered(names, "tflite")(with_activation)
        return row

    return wrapped


def out_shape(call: Call) -> tuple[Any, ...]:
    """Return the shape of the output."""
    shape = call.graph.shape(call.operation.outputs[0])
    if shape is None or any(size is None for size in shape):
        call.unsupported("the shape of its output is not known")
    return shape


def known_shape(call: Call, place: int = 0) -> tuple[Any, ...]:
    """Return the shape of an input."""
    shape = call.fact(place).shape
    if shape is None or any(size is None for size in shape):
        call.unsupported("the shape of its input is not known")
    return shape


def operands(call: Call) -> tuple[Operand, Operand]:
    """Return both operands, numbers where they are constants."""
    return call.operand(0, 1), call.operand(1, 0)
