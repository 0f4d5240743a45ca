"""Nodes that a row of a table adds to the graph in the place of one operation."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from typing import Any

from cutaway.core.contents import Fact
from cutaway.recover.graph import ElementType, Graph, Node, Operand, Path, Tensor


class Unsupported(Exception):
    """An operation, or a use of one, that has no code; the message says which."""


class Emission:
    """The nodes of one operation; the last makes its outputs."""

    def __init__(self, graph: Graph, path: Path, outputs: Sequence[str]) -> None:
        self.graph = graph
        self.path = path
        self.outputs = list(outputs)
        self.nodes: list[Node] = []

    def emit(self, op: str, *inputs: Operand, weights: dict[str, Tensor] | None = None, **config: Any) -> None:
        """Add the node that makes the outputs."""
        outputs = list(self.outputs)
        while len(outputs) > 1 and not outputs[-1]:
            outputs.pop()
        config = {**config, **element_type(weights)}
        self.nodes.append(Node(op, list(inputs), outputs, config, weights or {}, self.path))

    def emit_to(self, output: str, op: str, *inputs: Operand, **config: Any) -> None:
        """Add the node that makes one of several outputs."""
        self.nodes.append(Node(op, list(inputs), [output], config, path=self.path))

    def temporary(
        self, op: str, *inputs: Operand, shape: Any = None, weights: dict[str, Tensor] | None = None, **config: Any
    ) -> str:
        """Add a node that makes a value in between, and return its name."""
        name = f"{self.outputs[0]}:{len(self.nodes)}"
        config = {**config, **element_type(weights)}
        dtype = self.graph.fact(inputs[0]).dtype if inputs else None
        self.graph.facts[name] = Fact(None if shape is None else tuple(shape), dtype)
        self.nodes.append(Node(op, list(inputs), [name], config, weights or {}, self.path))
        return name

    def alias(self, operand: Operand) -> None:
        """Say that the output is the input."""
        self.emit("identity", operand)


def element_type(weights: dict[str, Tensor] | None) -> dict[str, Any]:
    """Return the argument that gives a layer the element type of its weights, unless it is the usual one."""
    dtypes = {tensor.dtype for tensor in (weights or {}).values()}
    return {"dtype": ElementType(dtypes.pop())} if len(dtypes) == 1 and dtypes != {"float32"} else {}


def alike(values: Sequence[Any]) -> Any:
    """Return one number where all are the same, else a tuple."""
    return values[0] if len(set(values)) == 1 else tuple(values)


def shortest(value: Any) -> Any:
    """Return the shortest decimal that is the same number in 32 bits."""
    if not isinstance(value, float) or not math.isfinite(value):
        return value

    def rounded(number: float) -> float:
        return float(struct.unpack("f", struct.pack("f", number))[0])

    try:
        for digits in range(1, 10):
            text = float(f"{value:.{digits}g}")
            if rounded(text) == rounded(value):
                return text
    except OverflowError:
        return value
    return value


def resolve_aliases(graph: Graph) -> None:
    """Remove the nodes whose output is their input."""
    names: dict[str, str] = {}
    kept = []
    for node in graph.nodes:
        node.inputs = [names.get(each, each) if isinstance(each, str) else each for each in node.inputs]
        if node.op == "identity" and isinstance(node.inputs[0], str):
            names[node.outputs[0]] = node.inputs[0]
        else:
            kept.append(node)
    graph.nodes = kept
    graph.outputs = [names.get(name, name) for name in graph.outputs]


def complete(graph: Graph) -> None:
    """Put places without code where a value is read, or returned, that nothing makes."""
    known = {*graph.inputs, *graph.tensors}
    for node in graph.nodes:
        if any(name not in known for name in node.reads()):
            node.missing = node.missing or f"{node.op}: nothing makes one of its inputs"
            node.op, node.config, node.weights = "missing", {}, {}
            node.inputs = [name for name in node.reads() if name in known]
        known.update(node.outputs)
    for name in graph.outputs:
        if name not in known:
            graph.nodes.append(Node("missing", [], [name], missing="nothing makes an output of the graph"))
            known.add(name)


def followed(what: str, row: Callable[[], None]) -> None:
    """Call a row, which takes the operation's own inputs and attributes for granted."""
    try:
        row()
    except (LookupError, ValueError, TypeError, ArithmeticError, AttributeError, struct.error) as error:
        reason = f"{what}: its inputs and attributes do not fit the operator ({type(error).__name__})"
        raise Unsupported(reason) from None
