"""The table of patterns, and what one can ask about the nodes around a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, TypeAlias

from cutaway.core.contents import Fact
from cutaway.recover.graph import Graph, Literal, Node, Operand, Tensor

_FAMILIES = ("layout", "linear", "activation", "normalization", "attention", "recurrent")
"""The files of patterns, in the order in which they are tried: later ones may build on what earlier ones make."""
_EARLY = ("moments",)
"""Those that must be seen before changes of the order of dimensions are moved past them."""

Pattern: TypeAlias = "Callable[[Around, Node], bool]"
_TABLE: dict[str, list[tuple[str, Pattern]]] = {}


def pattern(*ends: str) -> Callable[[Pattern], Pattern]:
    """Enter a pattern that ends in one of these operations; it changes that node, and returns whether it did."""

    def entered(function: Pattern) -> Pattern:
        for op in ends:
            _TABLE.setdefault(function.__module__.rpartition(".")[2], []).append((op, function))
        return function

    return entered


def raise_early(graph: Graph) -> None:
    """Replace the patterns that changes of the order of dimensions would hide."""
    _replace(graph, _EARLY)


def raise_patterns(graph: Graph) -> None:
    """Replace all other patterns in a graph."""
    _replace(graph, _FAMILIES)


def _replace(graph: Graph, families: tuple[str, ...]) -> None:
    """Replace patterns in a graph, until there are none; what nothing reads any more is removed."""
    for family in families:
        import_module(f"cutaway.recover.raising.{family}")
        table: dict[str, list[Pattern]] = {}
        for op, function in _TABLE[family]:
            table.setdefault(op, []).append(function)
        changed = True
        while changed:
            changed = False
            around = Around(graph)
            for node in list(graph.nodes):
                for function in table.get(node.op, ()):
                    if function(around, node):
                        changed = True
                        around.update(node)
                        break
            around.place()
            graph.sweep()


class Around:
    """The nodes around a node."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.makers = graph.makers()
        self.uses = graph.uses()
        self.readers: dict[str, list[Node]] = {}
        for node in graph.nodes:
            for name in node.reads():
                self.readers.setdefault(name, []).append(node)

        self.added: dict[int, list[Node]] = {}

    def before(self, node: Node, op: str, *inputs: Operand, shape: Any = None, **config: Any) -> str:
        """Add a node before another one, in the same module, and return the name of what it makes."""
        listed = self.added.setdefault(id(node), [])
        name = f"{node.outputs[0]}:{op.rpartition('.')[2]}{len(listed)}"
        while name in self.graph.facts:
            name += "'"
        dtype = self.graph.fact(inputs[0]).dtype if inputs else None
        self.graph.facts[name] = Fact(None if shape is None else tuple(shape), dtype)
        made = Node(op, list(inputs), [name], config, path=node.path)
        listed.append(made)
        self.makers[name] = made
        self.uses[name] += 1
        self.readers[name] = [node]
        return name

    def place(self) -> None:
        """Put what was added where it belongs."""
        if self.added:
            self.graph.nodes = [each for node in self.graph.nodes for each in (*self.added.get(id(node), ()), node)]
            self.added = {}

    def update(self, node: Node) -> None:
        """Take note that a node has changed."""
        for name in node.outputs:
            self.makers[name] = node

    def maker(self, operand: Operand, *ops: str) -> Node | None:
        """Return the node that makes an operand, if it is one of these operations."""
        node = self.makers.get(operand) if isinstance(operand, str) else None
        return node if node is not None and (not ops or node.op in ops) else None

    def only(self, operand: Operand, *ops: str) -> Node | None:
        """Return the node that makes an operand, if nothing else reads it."""
        node = self.maker(operand, *ops)
        return node if node is not None and len(node.outputs) == 1 and self.uses[node.outputs[0]] == 1 else None

    def number(self, operand: Operand) -> Any:
        """Return the number that an operand is; None where it is a tensor."""
        if isinstance(operand, Literal):
            return operand.value
        fact = self.graph.fact(operand)
        if fact.numbers is not None and len(fact.numbers) == 1 and isinstance(fact.numbers[0], (int, float)):
            return fact.numbers[0]
        return None

    def tensor(self, operand: Operand) -> Tensor | None:
        """Return the stored tensor that an operand is."""
        return self.graph.tensors.get(operand) if isinstance(operand, str) else None

    def shape(self, operand: Operand) -> tuple[Any, ...] | None:
        """Return the shape of an operand."""
        return self.graph.shape(operand)

    def factors(self, operand: Operand) -> list[Operand]:
        """Return the factors of a product, of which nothing else reads the parts; a division by a number is a factor."""
        node = self.only(operand, "*", "/")
        return [operand] if node is None else self.factors_of(node)

    def factors_of(self, node: Node) -> list[Operand]:
        """Return the factors that a node multiplies."""
        left, right = node.inputs
        if node.op == "/":
            number = self.number(right)
            if number is None or number == 0:
                return [node.outputs[0]]
            return [*self.factors(left), Literal(1.0 / number)]
        return [*self.factors(left), *self.factors(right)]


def either(node: Node) -> Iterator[tuple[Operand, Operand]]:
    """Yield the two operands of a node in both orders."""
    left, right = node.inputs[:2]
    yield left, right
    yield right, left


def close(number: Any, expected: float, tolerance: float = 1e-4) -> bool:
    """Tell whether a number is one that was rounded."""
    return isinstance(number, (int, float)) and abs(number - expected) <= tolerance * max(abs(expected), 1e-6)


def become(node: Node, op: str, *inputs: Operand, **config: Any) -> bool:
    """Make a node another operation with the same output."""
    node.op, node.inputs, node.config, node.weights = op, list(inputs), config, {}
    return True
