"""The table of nodes, and what a row is called with."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, NoReturn, TypeAlias

from cutaway.recover.graph import Graph, Literal, Node, Operand
from cutaway.recover.sources.emission import Emission, Unsupported


class Rewriting(Emission):
    """One node in the terms of PyTorch, in the place of which nodes in the terms of Keras are added."""

    def __init__(self, node: Node, graph: Graph) -> None:
        super().__init__(graph, node.path, node.outputs)
        self.node = node
        self.config: dict[str, Any] = node.config
        self.weights = node.weights

    @property
    def op(self) -> str:
        """What the node is, without the mark that its channels come last."""
        return self.node.op.removeprefix(LAST)

    def unsupported(self, why: str) -> NoReturn:
        """Give up on this node."""
        raise Unsupported(f"{self.op}: {why}")

    def operand(self, place: int = 0) -> Operand:
        """Return an input."""
        return self.node.inputs[place]

    def name(self, place: int = 0) -> str:
        """Return an input that is a tensor."""
        operand = self.node.inputs[place]
        if isinstance(operand, Literal):
            self.unsupported("one of its inputs is a number")
        return operand

    def shape(self, place: int = 0) -> tuple[Any, ...]:
        """Return the shape of an input."""
        shape = self.graph.shape(self.node.inputs[place])
        if shape is None or any(size is None for size in shape):
            self.unsupported("the shape of its input is not known")
        return shape

    def out_shape(self, place: int = 0) -> tuple[Any, ...]:
        """Return the shape of an output."""
        shape = self.graph.shape(self.node.outputs[place])
        if shape is None or any(size is None for size in shape):
            self.unsupported("the shape of its output is not known")
        return shape

    def get(self, name: str, default: Any = None) -> Any:
        """Return an argument."""
        return self.config.get(name, default)


LAST = "last:"
"""What the name of a layer begins with whose channels have been moved to the end."""

Row: TypeAlias = Callable[[Rewriting], None]
ROWS: dict[str, Row] = {}


def row(names: str) -> Callable[[Row], Row]:
    """Enter a row under the names of nodes."""

    def entered(function: Row) -> Row:
        for name in names.split():
            if name in ROWS:
                raise ValueError(f"there are two rows for {name}")
            ROWS[name] = function
        return function

    return entered


def load() -> None:
    """Import the files of the rows."""
    package = __name__.rpartition(".")[0]
    for module in iter_modules(import_module(package).__path__):
        import_module(f"{package}.{module.name}")
