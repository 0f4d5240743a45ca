"""How a program fills its weights, as rules ask about it: fills in order, and the layers that read what they leave."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutaway.core.program import Program
from cutaway.core.session import Operation
from cutaway.rules.graph import short

_DRAWN = (
    "uniform_ normal_ trunc_normal_ xavier_uniform_ xavier_normal_ kaiming_uniform_ kaiming_normal_ orthogonal_".split()
)
_CONSTANT = "constant_ ones_ zeros_ fill_ zero_".split()
_CREATED = ("zeros", "ones", "full")

FILLS = frozenset(
    f"{home}.{name}" for home in ("torch.nn.init", "torch", "torch.Tensor") for name in (*_DRAWN, *_CONSTANT)
)
CREATIONS = frozenset(f"torch.{name}" for name in _CREATED)
_LAYERS = frozenset("linear conv1d conv2d conv3d conv_transpose1d conv_transpose2d conv_transpose3d".split())

_NORMALISATIONS = frozenset("batch_norm instance_norm layer_norm group_norm rms_norm embedding".split())


class Weights:
    """The fills of weights in the user's own code, and the layers that read the weights."""

    def __init__(self, program: Program) -> None:
        operations = program.record.operations
        self._file = program.file
        self._calls: dict[int, set[str]] = {}
        for call in program.nodes(ast.Call):
            name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
            for line in range(call.lineno, (call.end_lineno or call.lineno) + 1):
                self._calls.setdefault(line, set()).add(name.rstrip("_"))
        self._fills = [op for op in operations if op.op in FILLS | CREATIONS and op.outputs]
        self._fill_of = {op.outputs[0].number: op for op in self._fills if op.outputs[0].number}
        self._readers: dict[int, list[Operation]] = {}
        for op in operations:
            for value in op.inputs:
                self._readers.setdefault(value.number, []).append(op)

    def layers(self) -> Iterator[tuple[Operation, Operation]]:
        """Yield the layers whose weight was last filled by the program itself, and what filled it."""
        for fill in self._fills:
            if self.is_own(fill):
                for reader in self._readers.get(fill.outputs[0].number, ()):
                    is_layer = short(reader) in _LAYERS and len(reader.inputs) > 1
                    if is_layer and reader.inputs[1].number == fill.outputs[0].number:
                        yield reader, fill

    def fill_of(self, layer: Operation) -> Operation | None:
        """Return what last filled the weight of a layer."""
        return self._fill_of.get(layer.inputs[1].number) if len(layer.inputs) > 1 else None

    def readers(self, operation: Operation) -> list[Operation]:
        """Return the operations that read what another one makes."""
        return [reader for output in operation.outputs for reader in self._readers.get(output.number, ())]

    def pairs(self) -> Iterator[tuple[Operation, Operation]]:
        """Yield two fills of the same weight, one directly after the other, both in the program's own code."""
        weights = {
            value.number
            for readers in self._readers.values()
            for reader in readers
            if short(reader) in _LAYERS | _NORMALISATIONS
            for value in reader.inputs[1:]
        }
        for later in reversed(self._fills):
            number = later.outputs[0].number
            earlier = self._fill_of.get(later.inputs[0].number) if later.inputs else None
            if number not in weights:
                continue
            if earlier is not None:
                weights.add(earlier.outputs[0].number)
            if earlier is not None and earlier.op in FILLS and self.is_own(earlier) and self.is_own(later):
                yield earlier, later

    def is_own(self, operation: Operation) -> bool:
        """Tell whether a line of the checked file calls an operation; layers also fill their weights where they are made."""
        place = operation.place
        if place is None or place.file != self._file:
            return False
        return short(operation).rstrip("_") in self._calls.get(place.line, ())


def is_layer(operation: Operation) -> bool:
    """Tell whether an operation multiplies its input by a weight."""
    return short(operation) in _LAYERS


def constant(fill: Operation) -> float | None:
    """Return the number that a weight is filled with, None where numbers differ or are not known."""
    name = short(fill)
    if name in ("zeros", "zeros_", "zero_"):
        return 0.0
    if name in ("ones", "ones_"):
        return 1.0
    key = {"constant_": "val", "fill_": "value", "full": "fill_value"}.get(name)
    value = fill.attributes.get(key) if key else None
    return float(value) if isinstance(value, (int, float)) else None
