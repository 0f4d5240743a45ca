"""Models from the tables of a TFLite file; the numbers of tensors are read only where something asks for them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.core.record import dataclass
from cutaway.formats.flatbuffer import Damaged, Flatbuffer, Table
from cutaway.formats.graph.model import Attribute, Declared, Graph, Model, Node, Tensor, Type, ordered
from cutaway.formats.onnx.messages import MOST_DIMENSIONS, raw_numbers
from cutaway.formats.tflite.schema import CUSTOM, DTYPES, GRAPHS, LISTS, OPERATORS, OPTIONS

_DEEPEST = 16
_OLD_CODES = 127

_PIECE = 1 << 22


@dataclass(frozen=True, slots=True)
class _Tensor:
    """A tensor of a graph: its name, what the file says of it, and where its numbers are, if they are in the file."""

    name: str
    type: Type
    stored: Tensor | None
    quantization: dict[str, Any]


def read_models(buffer: Flatbuffer) -> list[tuple[str, Model]]:
    """Return the models of a file, the first graph first: those of its signatures, or those that no other one runs."""
    return _Reader(buffer).models()


class _Reader:
    """Reads one file."""

    def __init__(self, buffer: Flatbuffer) -> None:
        self.root = buffer.root()
        self.size = len(buffer.data)
        self.operators = [_operator(each) for each in self.root.tables(1)]
        self.graphs = list(self.root.tables(2))
        self.buffers = list(self.root.tables(4))
        self.used: set[int] = set()
        self.room = self.size + (1 << 16)

    def models(self) -> list[tuple[str, Model]]:
        """Return the models."""
        if not self.graphs:
            raise Damaged("there is no graph in it")
        built = [self.graph(number, 0) for number in range(len(self.graphs))]
        keys: dict[int, str] = {}
        for signature in self.root.tables(7):
            keys.setdefault(signature.number(4, "I"), signature.text(2))
        shown = [number for number in range(len(built)) if number in keys or number not in self.used or not number]
        models = []
        for number in shown:
            key = keys.get(number) or built[number].name or f"graph{number}"
            models.append((key, Model(built[number], {}, {}, self.root.text(3), typed=True)))
        return models

    def graph(self, number: int, depth: int) -> Graph:
        """Return a graph of the file by its number."""
        if not 0 <= number < len(self.graphs):
            raise Damaged(f"there is no graph {number}")
        if depth > _DEEPEST:
            raise Damaged(f"graphs run each other more than {_DEEPEST} deep")
        table = self.graphs[number]
        tensors = self.tensors(table)
        inputs = self.named(table.numbers(1) or [], tensors)
        outputs = self.named(table.numbers(2) or [], tensors)
        nodes = [self.node(each, tensors, depth) for each in table.tables(3)]
        return Graph(
            table.text(4),
            tuple(Declared(each.name, each.type) for each in inputs if each is not None),
            tuple(Declared(each.name, each.type) for each in outputs if each is not None),
            tuple(Declared(each.name, each.type) for each in tensors),
            tuple(each.stored for each in tensors if each.stored is not None),
            ordered(nodes),
        )

    def named(self, numbers: list[int], tensors: list[_Tensor]) -> list[_Tensor | None]:
        """Return tensors by their numbers; None for -1, which is one that is left out."""
        if any(not -1 <= number < len(tensors) for number in numbers):
            raise Damaged(f"there are {len(tensors)} tensors, but {max(numbers, key=abs)} is referred to")
        return [None if number < 0 else tensors[number] for number in numbers]

    def tensors(self, table: Table) -> list[_Tensor]:
        """Return the tensors of a graph, under names that differ."""
        found: list[_Tensor] = []
        names: set[str] = set()
        for number, each in enumerate(table.tables(0)):
            name = each.text(3) or f"tensor{number}"
            if name in names:
                name = f"{name}:{number}"
            names.add(name)
            found.append(self.tensor(each, name))
        return found

    def tensor(self, table: Table, name: str) -> _Tensor:
        """Return a tensor."""
        shape = table.numbers(0, "i", MOST_DIMENSIONS + 1)
        stated = table.numbers(7, "i", MOST_DIMENSIONS + 1)
        if max(len(shape or ()), len(stated or ())) > MOST_DIMENSIONS or any(size < -1 for size in shape or ()):
            raise Damaged(f"the tensor {name} has the impossible shape {(shape or [])[:8]}")
        kind = table.number(1, "b")
        dtype = DTYPES[kind] if 0 <= kind < len(DTYPES) else None
        dims: Any = shape
        if shape and stated and len(stated) == len(shape):
            dims = [None if free < 0 else size for size, free in zip(shape, stated)]
        # Without dimensions, it may be a single number or one whose shape the converter did not know.
        known = tuple(None if size is None or size < 0 else size for size in dims) if dims else None
        if known is None and table.number(8, "?", False):
            known = ()
        number = table.number(2, "I")
        stored = None
        if not table.number(5, "?", False):
            stored = self.stored(number, name, dtype, tuple(size for size in shape or () if size >= 0))
        quantization = _quantization(table.table(4))
        return _Tensor(name, Type("tensor", dtype, known), stored, quantization)

    def stored(self, number: int, name: str, dtype: str | None, dims: tuple[int, ...]) -> Tensor | None:
        """Return a tensor whose numbers are in the file; None for one that is computed."""
        if not 0 < number < len(self.buffers):
            return None
        table = self.buffers[number]
        start, count = table.vector(0) or (0, 0)
        if not count and table.number(2, "Q") > 1:
            start, count = table.number(1, "Q"), table.number(2, "Q")
            if start + count > self.size:
                raise Damaged(f"the numbers of {name} are beyond the end of the file")
        if not count:
            return None
        data = table.buffer.data

        def pieces() -> Iterator[bytes]:
            for at in range(start, start + count, _PIECE):
                yield bytes(data[at : min(at + _PIECE, start + count)])

        return Tensor(
            name, dtype, dims, lambda most: raw_numbers(data, (start, start + count), dtype, most), pieces=pieces
        )

    def node(self, table: Table, tensors: list[_Tensor], depth: int) -> Node:
        """Return an operation."""
        code = table.number(0, "I")
        if code >= len(self.operators):
            raise Damaged(f"there are {len(self.operators)} operators, but {code} is referred to")
        name, custom = self.operators[code]
        inputs = self.named(table.numbers(1) or [], tensors)
        outputs = self.named(table.numbers(2) or [], tensors)
        attributes = self.settings(name, table.table(4), depth)
        for label, values in (("input", inputs), ("output", outputs)):
            for place, value in enumerate(values):
                if value is not None and value.quantization:
                    attributes[f"{label}{place}_quantization"] = value.quantization
        self.room -= 64 * (1 + len(inputs) + len(outputs))
        if self.room < -64 * self.size:
            raise Damaged("more operations are referred to than the file has room for")
        return Node(
            custom or name,
            "",
            outputs[0].name if outputs and outputs[0] is not None else "",
            tuple("" if each is None else each.name for each in inputs),
            tuple("" if each is None else each.name for each in outputs),
            attributes,
        )

    def settings(self, name: str, table: Table | None, depth: int) -> dict[str, Attribute]:
        """Return the settings of an operator."""
        if table is None:
            return {}
        found: dict[str, Attribute] = {}
        for label, (place, code, default) in OPTIONS.get(name, {}).items():
            value = table.number(place, code, default)
            if label in GRAPHS:
                self.used.add(value)
                value = self.graph(value, depth + 1)
            found[label] = value
        if name in LISTS:
            label, place = LISTS[name]
            numbers = table.numbers(place, "i", MOST_DIMENSIONS)
            if numbers is not None:
                found[label] = numbers
        return found


def _operator(table: Table) -> tuple[str, str]:
    """Return the name of an operator, and the one that its author gave it if it is not one of TensorFlow Lite."""
    old, new = table.number(0, "b"), table.number(3, "i")
    code = new if old >= _OLD_CODES or old < 0 else max(old, new)
    if not 0 <= code < len(OPERATORS):
        return f"operator{code}", ""
    name = OPERATORS[code]
    return name, (table.text(1) or CUSTOM) if name == CUSTOM else ""


def _quantization(table: Table | None) -> dict[str, Any]:
    """Return how a tensor is quantized: its scales and zero points, and the dimension that they are for."""
    scales = None if table is None else table.numbers(2, "f", 64)
    if table is None or not scales:
        return {}
    count = (table.vector(2, 4) or (0, 0))[1]
    zeros = table.numbers(3, "q", 64) or [0]
    if count == 1:
        return {"scale": _rounded(scales[0]), "zero_point": zeros[0]}
    return {
        "scales": [_rounded(scale) for scale in scales],
        "channels": count,
        "dimension": table.number(6),
        "zero_points": zeros if any(zeros) else [0],
    }


def _rounded(number: float) -> float | str:
    return float(f"{number:.7g}") if number - number == 0 else str(number)
