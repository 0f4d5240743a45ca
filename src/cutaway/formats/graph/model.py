"""A graph as a file describes it: nodes, values by name, tensors whose numbers stay on disk, graphs inside of graphs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from cutaway.core.record import dataclass, field

Number: TypeAlias = "int | float | bool"


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor in the file, or in another one: name, shape and element type.

    `read` returns its numbers, at most as many as it is asked for; None where they are not in the file. `pieces` yields all
    of them as bytes, little-endian, while the file is open. `location` is the path of another file that they are in, as
    this one states it, `offset` where they begin there. One that is `sparse` stores only some of its numbers.
    """

    name: str
    dtype: str | None
    dims: tuple[int, ...]
    read: Callable[[int], list[Any] | None] = field(default=lambda most: None, compare=False)
    location: str | None = None
    sparse: bool = False
    pieces: Callable[[], Iterator[bytes]] | None = field(default=None, compare=False)
    offset: int = 0


@dataclass(frozen=True, slots=True)
class Type:
    """What the file says of a value: a tensor with its sizes, a sequence, an optional value, a map.

    A size is a number, a name, or None. `dims` is None where not even the number of dimensions is stated.
    """

    kind: str = "tensor"
    dtype: str | None = None
    dims: tuple[int | str | None, ...] | None = None
    element: Type | None = None


@dataclass(frozen=True, slots=True)
class Declared:
    """A value that the file declares: an input, an output, or one in between."""

    name: str
    type: Type | None


@dataclass(frozen=True, slots=True)
class Reference:
    """An attribute of a function's node that is an attribute of the function's call."""

    name: str


Attribute: TypeAlias = "Number | str | Tensor | Graph | Type | Reference | list[Any] | dict[str, Any] | None"


@dataclass(frozen=True, slots=True)
class Node:
    """One operation: the operator's name and domain, and the names of the values that it reads and makes.

    An empty name among the inputs is one that is left out. `version` is that of the operator, 0 where it is stated for the
    whole file.
    """

    op: str
    domain: str
    name: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Attribute]
    overload: str = ""
    notes: Mapping[str, str] = field(default_factory=dict)
    version: int = 0


@dataclass(frozen=True, slots=True)
class Graph:
    """A graph: what it reads, makes and stores, and its nodes in the order of execution."""

    name: str
    inputs: tuple[Declared, ...]
    outputs: tuple[Declared, ...]
    values: tuple[Declared, ...]
    tensors: tuple[Tensor, ...]
    nodes: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Function:
    """An operator that the file itself defines by a graph."""

    name: str
    domain: str
    overload: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    defaults: Mapping[str, Attribute]
    nodes: tuple[Node, ...]
    opsets: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Model:
    """A file: its graph, the versions of the operators, and its functions by domain, name and overload.

    One that is `typed` states the element type of each value, and a runtime goes by that.
    """

    graph: Graph
    opsets: Mapping[str, int]
    functions: Mapping[tuple[str, str, str], Function]
    producer: str = ""
    version: int = 0
    unread: tuple[str, ...] = ()
    typed: bool = False


def ordered(nodes: Sequence[Node]) -> tuple[Node, ...]:
    """Return nodes so that each comes after those that make what it reads; not every file lists them so."""
    makers = {name: at for at, node in enumerate(nodes) for name in node.outputs if name}
    read = [[makers[name] for name in (*node.inputs, *captured(node)) if name in makers] for node in nodes]
    if all(maker < at for at, makers_ in enumerate(read) for maker in makers_):
        return tuple(nodes)
    order: list[int] = []
    seen: set[int] = set()
    for first in range(len(nodes)):
        waiting = [(first, False)]
        while waiting:
            at, expanded = waiting.pop()
            if expanded:
                order.append(at)
            elif at not in seen:
                seen.add(at)
                waiting.append((at, True))
                waiting += [(maker, False) for maker in reversed(read[at])]
    return tuple(nodes[at] for at in order)


def captured(node: Node) -> list[str]:
    """Return the names that graphs inside of a node read."""
    names: list[str] = []
    for value in node.attributes.values():
        if isinstance(value, Graph):
            for inner in value.nodes:
                names += [*inner.inputs, *captured(inner)]
            names += [output.name for output in value.outputs]
    return names


def count_nodes(model: Model) -> int:
    """Return how many nodes a model has, in all of its graphs and functions."""
    bodies = [model.graph.nodes, *(function.nodes for function in model.functions.values())]
    return sum(1 + sum(map(_inner_nodes, _graphs(node))) for nodes in bodies for node in nodes)


def _inner_nodes(graph: Graph) -> int:
    return sum(1 + sum(map(_inner_nodes, _graphs(node))) for node in graph.nodes)


def _graphs(node: Node) -> list[Graph]:
    return [value for value in node.attributes.values() if isinstance(value, Graph)]
