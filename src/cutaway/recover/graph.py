"""A graph in the terms of the code that is written: layers, functions, methods and operators on values."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, TypeAlias

from cutaway.core.contents import Fact, Stored
from cutaway.core.record import dataclass, field, replace

Path: TypeAlias = tuple[str, ...]

LAYERS = ("nn.", "layers.")
"""What the names of layers begin with, in the terms of each framework."""
CONVOLUTIONS = ("nn.Conv", "layers.Conv")


ELEMENT_TYPES = frozenset(
    """float16 bfloat16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 bool complex32 complex64 complex128
    float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz""".split()
)
"""The names of element types that code may have."""


@dataclass(frozen=True, slots=True)
class Literal:
    """A number in the place of a tensor."""

    value: Any


@dataclass(frozen=True, slots=True)
class Input:
    """In an argument, the input at this place."""

    place: int


@dataclass(frozen=True, slots=True)
class Numbers:
    """In an argument, the numbers of the input at this place as a run tells them: all, the only one, or that at an index."""

    place: int
    only: bool = False
    at: int | None = None


@dataclass(frozen=True, slots=True)
class ElementType:
    """In an argument of a layer, the element type of its weights."""

    name: str


Operand: TypeAlias = "str | Literal"
"""A value by its name, or a number."""


@dataclass(frozen=True, slots=True)
class Change:
    """What is done to a stored tensor before it is a parameter: `permute`, `reshape`, `slice` or `pick`."""

    kind: str
    arguments: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Tensor:
    """A stored tensor as a parameter of the code: the changes are made to it in order.

    One that is `constant` is a number in the graph, and no weight of the network.
    """

    stored: Stored
    changes: tuple[Change, ...] = ()
    constant: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape after all changes."""
        shape = self.stored.shape
        for change in self.changes:
            shape = changed_shape(shape, change)
        return shape

    @property
    def dtype(self) -> str:
        """The element type."""
        return self.stored.dtype

    def permuted(self, *order: int) -> Tensor:
        """Return it with its dimensions in another order."""
        return self if order == tuple(range(len(order))) else self.changed("permute", *order)

    def reshaped(self, *shape: int) -> Tensor:
        """Return it with another shape."""
        return self if shape == self.shape else self.changed("reshape", *shape)

    def changed(self, kind: str, *arguments: Any) -> Tensor:
        """Return it with one more change."""
        return replace(self, changes=(*self.changes, Change(kind, arguments)))


def changed_shape(shape: tuple[int, ...], change: Change) -> tuple[int, ...]:
    """Return the shape of a tensor after a change."""
    if change.kind == "permute":
        return tuple(shape[place] for place in change.arguments)
    if change.kind == "reshape":
        return tuple(change.arguments)
    if change.kind == "slice":
        axis, start, stop = change.arguments
        return (*shape[:axis], stop - start, *shape[axis + 1 :])
    if change.kind == "pick":
        (ranges,) = change.arguments
        return (sum(stop - start for start, stop in ranges), *shape[1:])
    raise AssertionError(f"there is no change {change.kind}")


@dataclass(slots=True)
class Node:
    """One layer, function, method or operator.

    `op` is the name of it in the code: `nn.Conv2d`, `torch.exp`, `F.pad`, `.reshape`, `+`. `inputs` come first among its
    arguments, `config` has the others by name. `weights` are the parameters of a layer. `path` are the names of the modules
    that it runs in, `missing` says why there is no code for it. The last `sized` inputs are read only for their sizes.
    """

    op: str
    inputs: list[Operand]
    outputs: list[str]
    config: dict[str, Any] = field(default_factory=dict)
    weights: dict[str, Tensor] = field(default_factory=dict)
    path: Path = ()
    missing: str = ""
    sized: int = 0

    def reads(self) -> Iterator[str]:
        """Yield the names of the values that it reads."""
        for operand in self.inputs:
            if isinstance(operand, str):
                yield operand


@dataclass(slots=True)
class Graph:
    """Nodes in the order of execution, what is known of values, and the stored tensors that nodes read as values."""

    name: str
    inputs: list[str]
    outputs: list[str]
    nodes: list[Node]
    facts: dict[str, Fact]
    tensors: dict[str, Tensor]
    classes: dict[Path, str] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)
    layers: set[Path] = field(default_factory=set)  # the modules that are a layer of another framework

    def fact(self, operand: Operand) -> Fact:
        """Return what is known of an operand."""
        if isinstance(operand, Literal):
            return Fact((), None, (operand.value,))
        return self.facts.get(operand, Fact())

    def shape(self, operand: Operand) -> tuple[Any, ...] | None:
        """Return the shape of an operand."""
        return self.fact(operand).shape

    def makers(self) -> dict[str, Node]:
        """Return the node that makes each value."""
        return {name: node for node in self.nodes for name in node.outputs if name}

    def uses(self) -> Counter[str]:
        """Return how often each value is read, by nodes or as an output."""
        counts = Counter(name for node in self.nodes for name in node.reads())
        counts.update(self.outputs)
        return counts

    def replace_value(self, old: str, new: Operand) -> None:
        """Read another value everywhere in the place of one."""
        for node in self.nodes:
            if old in node.inputs:
                node.inputs = [new if operand == old else operand for operand in node.inputs]
        if isinstance(new, str):
            self.outputs = [new if name == old else name for name in self.outputs]

    def sweep(self) -> None:
        """Remove the nodes whose results nothing reads."""
        needed = set(self.outputs)
        kept = []
        for node in reversed(self.nodes):
            if any(name in needed for name in node.outputs):
                kept.append(node)
                needed.update(node.reads())
        self.nodes = kept[::-1]
        self.tensors = {name: tensor for name, tensor in self.tensors.items() if name in needed}


def count(shape: Iterable[Any] | None) -> int | None:
    """Return how many elements a shape of numbers has; None where it is symbolic or unknown."""
    if shape is None:
        return None
    sizes = list(shape)
    return math.prod(sizes) if all(isinstance(size, int) for size in sizes) else None
