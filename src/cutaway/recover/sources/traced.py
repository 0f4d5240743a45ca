"""A graph from the operations of an `Architecture`: each by the row of its framework's table."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, NoReturn, TypeAlias

from cutaway.core.architecture import Architecture, Module, Op
from cutaway.core.contents import Fact, Stored
from cutaway.recover.graph import Graph, Literal, Node, Operand, Path, Tensor
from cutaway.recover.sources.emission import Emission, Unsupported, complete, followed, resolve_aliases

_NO_NUMBERS = "its numbers are not in the target"


class Call(Emission):
    """One operation: its tensors by the names of the parameters that they are for, and its other arguments.

    An operation lists its tensors in the order of the parameters, and everything else in its attributes.
    """

    def __init__(self, op: Op, key: str, graph: Graph, path: Path, signature: str) -> None:
        super().__init__(graph, path, [value.name for value in op.outputs])
        self.op = op
        self.key = key
        self.inputs = [value.name for value in op.inputs]
        self.attributes: dict[str, Any] = {name: _number(value) for name, value in op.attributes.items()}
        self.arguments: dict[str, Operand] = {}
        tensors = iter(self.inputs)
        for name in signature.split():
            if name not in self.attributes:
                tensor = next(tensors, None)
                if tensor is not None:
                    self.arguments[name] = tensor
        self.rest = list(tensors)
        self.layers: Mapping[str, Module] = {}
        self.modules: Mapping[str, Module] = {}
        self.separator = "."
        self.homes: Mapping[str, str | None] = {}  # the modules that hold weights, by the names of these

    def unsupported(self, why: str) -> NoReturn:
        """Give up on this operation."""
        raise Unsupported(f"{self.op.op}: {why}")

    def arg(self, name: str) -> Operand | None:
        """Return an argument that is a tensor or a number; None where there is none."""
        if name in self.arguments:
            return self.arguments[name]
        value = self.attributes.get(name)
        if isinstance(value, str):
            self.unsupported(f"its {name} is not known")
        return None if value is None else Literal(value)

    def name(self, name: str = "input") -> str:
        """Return an argument that is a tensor."""
        operand = self.arguments.get(name)
        if not isinstance(operand, str):
            self.unsupported(f"its {name} is not a tensor")
        return operand

    def tensor(self, name: str) -> Tensor | None:
        """Return an argument that is a weight; None where it is computed."""
        operand = self.arguments.get(name)
        return self.graph.tensors.get(operand) if isinstance(operand, str) else None

    def get(self, name: str, default: Any = None) -> Any:
        """Return an argument that is not a tensor."""
        value = self.attributes.get(name)
        return default if value is None else value

    def shape(self, name: str = "input") -> tuple[Any, ...] | None:
        """Return the shape of an argument."""
        operand = self.arguments.get(name)
        return None if operand is None else self.graph.shape(operand)

    def known_shape(self, name: str = "input") -> tuple[Any, ...]:
        """Return the shape of an argument; without it there is no code."""
        shape = self.shape(name)
        if shape is None or any(size is None for size in shape):
            self.unsupported(f"the shape of its {name} is not known")
        return shape

    @property
    def rank(self) -> int:
        """The number of dimensions of the input."""
        return len(self.known_shape())

    def out_shape(self, place: int = 0) -> tuple[Any, ...]:
        """Return the shape of an output."""
        shape = self.op.outputs[place].shape
        if shape is None or any(size is None for size in shape):
            self.unsupported("the shape of its output is not known")
        return tuple(shape)

    def weighted(self, **tensors: str) -> dict[str, Tensor] | None:
        """Return the weights of a layer, named as arguments; None where one of them is computed, or shared out of order."""
        weights = {}
        for own, argument in tensors.items():
            if argument in self.arguments:
                tensor = self.tensor(argument)
                if tensor is None:
                    return None
                weights[own] = tensor
        return weights


def _number(value: Any) -> Any:
    """Return an attribute; JSON has words for numbers that are not finite."""
    return float(value) if isinstance(value, str) and value in ("Infinity", "-Infinity", "NaN") else value


Row: TypeAlias = Callable[[Call], None]


class Table:
    """The rows of a framework's operations, each with the names of the parameters that tensors are for."""

    def __init__(self, package: str) -> None:
        self.package = package
        self.rows: dict[str, tuple[Row, str]] = {}

    def row(self, names: str, signature: str = "input") -> Callable[[Row], Row]:
        """Enter a row under the names of operations."""

        def entered(function: Row) -> Row:
            for name in names.split():
                if name in self.rows:
                    raise ValueError(f"there are two rows for {name}")
                self.rows[name] = function, signature
            return function

        return entered

    def load(self) -> None:
        """Import the files of the rows."""
        for module in iter_modules(import_module(self.package).__path__):
            import_module(f"{self.package}.{module.name}")


Key: TypeAlias = Callable[[Op], tuple[Table, str]]


_GENERIC = re.compile(r"(functional|sequential|model)(_\d+)?", re.IGNORECASE)
"""What a framework calls a network that its author gave no name."""


def _name(architecture: Architecture) -> str:
    """Return what a network is called: by the class or the name that it has in a file or source, else by the file."""
    kind = architecture.modules[0].class_name.rpartition(".")[2] if architecture.modules else ""
    if architecture.framework == "pytorch" and kind.isidentifier() and not _GENERIC.fullmatch(kind):
        return kind
    own = architecture.name.rpartition("::")[2].split("(")[0].rpartition(":")[2].partition(".")[0]
    file = os.path.basename(architecture.target.partition("::")[0]).partition(".")[0]
    return (file if _GENERIC.fullmatch(own) else own) or "Network"


def traced(
    architecture: Architecture,
    stored: Mapping[str, Stored],
    key: Key,
    fallback: Callable[[Call], bool] | None = None,
    layers: Mapping[str, Module] | None = None,
    finish: Callable[[Graph, Mapping[int, Call]], None] | None = None,
) -> Graph:
    """Return the graph of a network.

    `stored` are its weights by name, `key` returns the table and row of an operation, `fallback` adds nodes for one that has
    no row, `layers` are the modules that are one operation each. `finish` is told which operation each node is the last one of.
    """
    separator = architecture.separator
    modules = {module.path: module for module in architecture.modules}
    homes = {weight.name: weight.module for weight in architecture.weights}
    graph = Graph(
        _name(architecture),
        [value.name for value in architecture.inputs],
        list(architecture.results),
        [],
        {value.name: Fact(value.shape, value.dtype) for value in _values(architecture)},
        dict(_tensors(architecture, stored)),
        {
            tuple(module.path.split(separator)): module.class_name
            for module in architecture.modules
            if module.path and module.class_name
        },
    )
    for name, tensor in graph.tensors.items():
        graph.facts[name] = Fact(tensor.shape, tensor.dtype)
    calls: dict[int, Call] = {}
    for op in architecture.ops:
        path = tuple(part for part in op.module.split(separator) if part)
        table, name = key(op)
        row, signature = table.rows.get(name, (None, ""))
        call = Call(op, name, graph, path, signature)
        call.layers, call.modules, call.separator, call.homes = layers or {}, modules, separator, homes
        nodes = _nodes(call, row, fallback)
        graph.nodes += nodes
        if nodes:
            calls[id(nodes[-1])] = call
    if finish is not None:
        finish(graph, calls)
    if not architecture.results:
        graph.nodes.append(Node("missing", [], ["results"], missing="what the network returns is not known"))
        graph.outputs = ["results"]
    resolve_aliases(graph)
    complete(graph)
    graph.sweep()
    return graph


def _values(architecture: Architecture) -> Iterator[Any]:
    yield from architecture.inputs
    for op in architecture.ops:
        yield from op.inputs
        yield from op.outputs


def _tensors(architecture: Architecture, stored: Mapping[str, Stored]) -> Iterator[tuple[str, Tensor]]:
    """Yield the weights of a network; one that is another under a second name is that one."""
    for weight in architecture.weights:
        shape = weight.shape
        if shape is None or not all(isinstance(size, int) for size in shape) or weight.dtype is None:
            continue
        sizes = tuple(size for size in shape if isinstance(size, int))
        own = stored.get(weight.name) or Stored(weight.name, weight.dtype, sizes, None, _NO_NUMBERS)
        if weight.tied_to is not None:
            own = stored.get(weight.tied_to) or Stored(weight.tied_to, weight.dtype, sizes, None, _NO_NUMBERS)
        yield weight.name, Tensor(own, constant=weight.kind == "buffer")
    made = {value.name for op in architecture.ops for value in op.outputs} | {
        weight.name for weight in architecture.weights
    }
    made.update(value.name for value in architecture.inputs)
    for name, constant in stored.items():
        if name not in made:
            yield name, Tensor(constant, constant=True)


def _nodes(call: Call, row: Row | None, fallback: Callable[[Call], bool] | None) -> list[Node]:
    op = call.op
    if not call.outputs:
        return []  # an assertion, or something else that makes nothing
    try:
        if op.condition is not None or op.repeat != 1:
            raise Unsupported(f"{op.op}: it is not always run, or any number of times")
        if row is not None:
            followed(op.op, lambda: row(call))
        elif fallback is None or not fallback(call):
            raise Unsupported(f"{op.op}: there is no code for this operation")
        return call.nodes
    except Unsupported as unsupported:
        return [Node("missing", list(call.inputs), list(call.outputs), path=call.path, missing=str(unsupported))]
