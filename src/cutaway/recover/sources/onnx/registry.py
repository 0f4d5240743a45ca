"""The table of operators, and what a row is called with."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn, TypeAlias

from cutaway.core.contents import Fact, Operation, Stored
from cutaway.core.record import replace
from cutaway.core.size.dim import Dim
from cutaway.recover.graph import Graph, Literal, Operand, Path, Tensor, count
from cutaway.recover.sources.emission import Emission, Unsupported

_PLACES = ("torch.argsort", ".argmax", ".argmin", "%")
"""What makes an index that counts from the start."""
_PARTS = ("getitem", "torch.narrow", ".reshape", ".unsqueeze", ".squeeze", ".transpose", ".permute", ".expand")
"""What has only elements of its first input."""


class Call(Emission):
    """One operation with what is known of its inputs; `emit` and `temporary` add nodes in its place."""

    def __init__(self, operation: Operation, graph: Graph, path: Path) -> None:
        super().__init__(graph, path, operation.outputs)
        self.operation = operation

    @property
    def op(self) -> str:
        """The operator's name without its domain."""
        return self.operation.op.rpartition(".")[2]

    @property
    def version(self) -> int:
        """The version of the operator set."""
        return self.operation.version

    def unsupported(self, why: str) -> NoReturn:
        """Give up on this operation."""
        raise Unsupported(f"{self.operation.op}: {why}")

    # Inputs.

    def has(self, place: int) -> bool:
        """Tell whether there is an input at a place."""
        return place < len(self.operation.inputs) and bool(self.operation.inputs[place])

    def name(self, place: int = 0) -> str:
        """Return the name of an input, which is a tensor in the code."""
        if not self.has(place):
            self.unsupported(f"input {place} is missing")
        return self.operation.inputs[place]

    def fact(self, place: int = 0) -> Fact:
        """Return what is known of an input."""
        return self.graph.fact(self.operation.inputs[place]) if self.has(place) else Fact()

    def rank(self, place: int = 0) -> int | None:
        """Return the number of dimensions of an input."""
        shape = self.fact(place).shape
        return None if shape is None else len(shape)

    def known_rank(self, place: int = 0) -> int:
        """Return the number of dimensions of an input; without it there is no code."""
        rank = self.rank(place)
        if rank is None:
            self.unsupported(f"the number of dimensions of its input {place} is not known")
        return rank

    def numbers(self, place: int) -> list[Any] | None:
        """Return the numbers of an input; None where one of them is not known."""
        fact = self.fact(place)
        if fact.numbers is None:
            return [] if count(fact.shape) == 0 else None
        return None if any(number is None for number in fact.numbers) else list(fact.numbers)

    def operand(self, place: int, like: int | None = None) -> Operand:
        """Return an input as an operand: a number where it is a constant scalar that broadcasts to another input."""
        fact = self.fact(place)
        numbers = self.numbers(place)
        if numbers is None or len(numbers) != 1 or isinstance(numbers[0], (str, Dim)):
            return self.name(place)
        rank = len(fact.shape or ())
        other = 0 if like is None else self.rank(like)
        if rank and (other is None or other < rank):
            return self.name(place)
        return Literal(numbers[0])

    def tensor(self, place: int) -> Tensor | None:
        """Return an input that is stored in the file; None where it is computed."""
        return self.graph.tensors.get(self.operation.inputs[place]) if self.has(place) else None

    def weight(self, place: int) -> Tensor | None:
        """Return an input that can be the weight of a layer: it is stored, and its numbers are real."""
        tensor = self.tensor(place)
        return tensor if tensor is not None and "float" in tensor.dtype else None

    def places(self, place: int, axis: int, like: int = 0) -> str:
        """Return an input that is an index along a dimension of another; PyTorch's functions refuse to count from the end."""
        name, shape = self.name(place), self.fact(like).shape
        numbers = self.numbers(place)
        if (numbers is not None and all(number >= 0 for number in numbers)) or shape is None:
            return name
        made: Operand = name
        for node in reversed(self.graph.nodes):
            if made in node.outputs and node.op in _PARTS:
                made = node.inputs[0]
            elif made in node.outputs:
                if node.op in _PLACES:
                    return name
                break
        return self.temporary("%", name, Literal(shape[axis]), shape=self.fact(place).shape)

    # Attributes.

    def get(self, name: str, default: Any = None) -> Any:
        """Return an attribute."""
        value = self.operation.attributes.get(name)
        return default if value is None else value

    def setting(self, place: int, name: str) -> list[Any] | None:
        """Return whole numbers that older versions have as an attribute and newer ones as an input; None if there are none."""
        if not self.has(place):
            value = self.get(name)
            return [value] if isinstance(value, int) else value
        numbers = self.numbers(place)
        if numbers is None:
            self.unsupported(f"its {name} are computed from the numbers of a tensor")
        return numbers

    def axis(self, default: int, place: int = 0) -> int:
        """Return the attribute `axis`; from the end where it is the last dimension."""
        axis: int = self.get("axis", default)
        rank = self.rank(place)
        return -1 if rank is not None and axis == rank - 1 else axis

    # Results.

    def constant(self, stored: Stored) -> None:
        """Say that the output is a stored tensor."""
        name = self.operation.outputs[0]
        self.graph.tensors[name] = Tensor(replace(stored, name=name), constant=True)


Row: TypeAlias = Callable[[Call], None]
ROWS: dict[str, Row] = {}


def operator(names: str, domain: str = "onnx") -> Callable[[Row], Row]:
    """Enter a row under the names of operators."""

    def entered(row: Row) -> Row:
        for name in names.split():
            key = f"{domain}.{name}"
            if key in ROWS:
                raise ValueError(f"there are two rows for {key}")
            ROWS[key] = row
        return row

    return entered
