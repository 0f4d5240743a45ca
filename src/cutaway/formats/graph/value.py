"""What is known of a value while a graph is inferred, and what a rule of an operator is called with and returns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NoReturn, Protocol, TypeAlias

from cutaway.core.record import dataclass, replace
from cutaway.core.size.dim import Dim, Size, product
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.formats.graph.model import Attribute, Graph, Node, Tensor, Type

Shape: TypeAlias = tuple[Size, ...]

MOST_NUMBERS, MOST_REALS = 1024, 16
"""Tensors with more elements are no sizes of anything, nor factors of sizes: their numbers are not followed."""


@dataclass(frozen=True, slots=True)
class Known:
    """A value: its shape, its element type, and its numbers where they may become sizes.

    A number is an `int`, a `float`, a `bool` or a symbolic size; None where it is not known. In a sequence, `element` is
    what is known of each of its values, and `length` is how many there are.
    """

    shape: Shape | None = None
    dtype: str | None = None
    numbers: tuple[Any, ...] | None = None
    kind: str = "tensor"
    element: Known | None = None
    length: Size | None = None


NOTHING = Known()


@dataclass(frozen=True, slots=True)
class Out:
    """What a rule returns: the values, and how many multiply-accumulates it takes to compute them."""

    values: tuple[Known, ...]
    macs: Any = 0
    view: bool = False


def one(shape: Iterable[Size] | None, dtype: str | None, numbers: Any = None, macs: Any = 0, view: bool = False) -> Out:
    """Return the result of an operator that makes one tensor."""
    kept = None if numbers is None else tuple(numbers)
    return Out((Known(None if shape is None else tuple(shape), dtype, kept),), macs, view)


def several(*values: tuple[Iterable[Size] | None, str | None], macs: Any = 0) -> Out:
    """Return the results of an operator that makes several tensors, given by shape and element type."""
    return Out(tuple(Known(None if shape is None else tuple(shape), dtype) for shape, dtype in values), macs)


def undecided(reason: str) -> NoReturn:
    """Give up on an operator: what it makes is unknown, for this reason."""
    raise Undecidable(Unknown(reason))


class Scope(Protocol):
    """What an operator can ask of the inference: new names for sizes, and what inner graphs make."""

    def fresh(self, name: str, least: int = 0) -> Dim:
        """Return a size with a name of its own."""

    def run(
        self, graph: Graph, inputs: Sequence[Known], *, condition: str = "", repeat: Any = 1, record: bool = True
    ) -> list[Known]:
        """Return what an inner graph makes of its inputs; its operations are recorded where `record` is set."""

    def declared(self, name: str) -> Known | None:
        """Return what the file says of a value."""


class Call:
    """One node with what is known of its inputs: what a rule is called with."""

    __slots__ = ("attributes", "inputs", "node", "scope", "version")

    def __init__(
        self, node: Node, inputs: list[Known | None], attributes: Mapping[str, Attribute], version: int, scope: Scope
    ) -> None:
        self.node = node
        self.inputs = inputs
        self.attributes = attributes
        self.version = version
        self.scope = scope

    @property
    def name(self) -> str:
        """The operator's name, for messages."""
        return self.node.op

    def has(self, place: int) -> bool:
        """Tell whether there is an input at a place."""
        return place < len(self.inputs) and self.inputs[place] is not None

    def input(self, place: int) -> Known:
        """Return what is known of an input."""
        value = self.inputs[place] if place < len(self.inputs) else None
        return NOTHING if value is None else value

    def shape(self, place: int) -> Shape:
        """Return the shape of an input; without it, the operator is given up."""
        shape = self.input(place).shape
        if shape is None:
            if not self.has(place):
                undecided(f"{self.name}: input {place} is missing")
            undecided(f"{self.name}: the shape of its input {self.node.inputs[place]} is not known")
        return shape

    def dtype(self, place: int = 0) -> str | None:
        """Return the element type of an input."""
        return self.input(place).dtype

    def numbers(self, place: int) -> list[Any] | None:
        """Return the numbers of an input; None where they are not known."""
        value = self.input(place)
        if value.numbers is None and value.shape is not None and any(size == 0 for size in value.shape):
            return []
        return None if value.numbers is None else list(value.numbers)

    def number(self, place: int) -> Any:
        """Return the only number of an input; None where it is not known."""
        numbers = self.input(place).numbers
        return numbers[0] if numbers is not None and len(numbers) == 1 else None

    def integer(self, name: str, default: int = 0) -> int:
        """Return an attribute that is a whole number."""
        value = self.attributes.get(name)
        return int(value) if isinstance(value, (int, float)) else default

    def real(self, name: str, default: float = 0.0) -> float:
        """Return an attribute that is a number."""
        value = self.attributes.get(name)
        return value if isinstance(value, (int, float)) else default

    def text(self, name: str, default: str = "") -> str:
        """Return an attribute that is a text."""
        value = self.attributes.get(name)
        return value if isinstance(value, str) else default

    def integers(self, name: str) -> list[int] | None:
        """Return an attribute that is a list of whole numbers; None where it is missing."""
        value = self.attributes.get(name)
        if isinstance(value, int):
            return [value]
        return [int(each) for each in value] if isinstance(value, list) else None

    def graph(self, name: str) -> Graph:
        """Return an attribute that is a graph."""
        value = self.attributes.get(name)
        if not isinstance(value, Graph):
            undecided(f"{self.name}: there is no graph in its attribute {name}")
        return value

    def tensor(self, name: str) -> Tensor | None:
        """Return an attribute that is a tensor."""
        value = self.attributes.get(name)
        return value if isinstance(value, Tensor) else None

    def type(self, name: str) -> Type | None:
        """Return an attribute that is a type."""
        value = self.attributes.get(name)
        return value if isinstance(value, Type) else None

    def length(self, place: int) -> int | None:
        """Return how many numbers an input has that is a vector; None where it is not known, or there are many."""
        shape = self.input(place).shape
        if shape is None or len(shape) != 1 or not isinstance(shape[0], int) or shape[0] > 64:
            return None
        return shape[0]

    def is_open(self, place: int) -> bool:
        """Tell whether there is an input whose numbers are not all known."""
        numbers = self.numbers(place)
        return self.has(place) and (numbers is None or None in numbers)

    def setting(self, place: int, name: str) -> list[Any] | None:
        """Return whole numbers that older versions have as an attribute and newer ones as an input.

        It is None where neither is there; an input whose numbers are not known makes the operator unknown.
        """
        if not self.has(place):
            return self.integers(name)
        numbers = self.numbers(place)
        if numbers is None or any(number is None for number in numbers):
            undecided(f"{self.name}: the numbers of its input {self.node.inputs[place]} are not known")
        return numbers

    def fresh(self, what: str, output: int = 0) -> Dim:
        """Return a size with a name of its own, for an output of this node."""
        names = self.node.outputs
        name = names[output] if output < len(names) and names[output] else self.node.name or self.node.op
        return self.scope.fresh(f"{name}_{what}")

    def fresh_shape(self, rank: int, output: int = 0) -> Shape:
        """Return a shape of which only the number of dimensions is known."""
        return tuple(self.fresh(f"dim{place}", output) for place in range(rank))


Rule: TypeAlias = Callable[[Call], Out]


def stored(tensor: Tensor) -> Known:
    """Return what is known of a tensor in the file."""
    count = product(tensor.dims)
    numbers: tuple[Any, ...] | None = None
    most = MOST_REALS if tensor.dtype in ("float32", "float64", "float16") else MOST_NUMBERS
    if isinstance(count, int) and count <= most and not tensor.sparse:
        read = tensor.read(count)
        numbers = tuple(read) if read is not None and len(read) == count else None
    return Known(tensor.dims, tensor.dtype, numbers)


def typed(value: Known, dtype: str | None) -> Known:
    """Return a value with another element type, and without its numbers."""
    return replace(value, dtype=dtype, numbers=None)
