"""The graph of a functional model: operations, the nodes that are their calls, and the order of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from cutaway.core import session
from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base import attribute
from cutaway.knowledge.base.construction import Construction
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.keras.models.layers_in_loops import mark, turning, turns_of
from cutaway.knowledge.keras.models.state import auto_name
from cutaway.knowledge.keras.tensors.tensor import KerasTensor
from cutaway.knowledge.keras.tensors.tree import flatten, map_structure


class History(NamedTuple):
    """Which call made a symbolic tensor."""

    operation: Any
    node_index: int
    tensor_index: int


@row("keras.Operation", "keras.src.ops.operation.Operation")
class Operation:
    """What can be a node of a graph: a layer, or the call of a function."""

    _inbound_nodes: list[Node]
    _outbound_nodes: list[Node]

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        made = object.__new__(cls)
        made.__dict__["_construction"] = Construction(args, kwargs, session.current().place())
        mark(made)
        return made

    def __init__(self, name: Any = None, _kind: str | None = None) -> None:
        if isinstance(name, Unknown):
            session.current().note(name)
            name = None
        if name is None:
            name = auto_name(_kind or type(self).__name__)
        if not isinstance(name, str) or "/" in name:
            raise ArgumentFault(
                f"{type(self).__name__}: name must be a text without '/', but is {name!r}", FaultCode.INVALID_ARGUMENT
            )
        self.__dict__["name"] = name
        self.__dict__["_inbound_nodes"] = []
        self.__dict__["_outbound_nodes"] = []

    def call(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    @property
    def input(self) -> Any:
        return self._attribute("input_tensors")

    @property
    def output(self) -> Any:
        return self._attribute("outputs")

    def _attribute(self, which: str) -> Any:
        nodes = self._inbound_nodes
        if not nodes:
            what = which.removesuffix("_tensors").removesuffix("s")
            raise ValueError(f"The layer {self.name} has never been called and thus has no defined {what}.")  # type: ignore[attr-defined]
        found = attribute.get(nodes[0], which)
        return found[0] if len(found) == 1 else found


class Node:
    """One call of an operation on symbolic tensors."""

    def __init__(self, operation: Operation, args: Any, kwargs: Any, outputs: Any) -> None:
        self.operation = operation
        self.args = args
        self.kwargs = kwargs
        self.outputs = [value for value in flatten(outputs) if isinstance(value, KerasTensor)]
        self.input_tensors = [v for v in flatten((list(args), kwargs)) if isinstance(v, KerasTensor)]
        self.turns = [*turns_of(operation), *session.current().iterations]
        operation._inbound_nodes.append(self)
        for tensor in self.input_tensors:
            history = tensor.__dict__.get("_keras_history")
            if history is not None and history.operation is not None:
                history.operation._outbound_nodes.append(self)
        index = len(operation._inbound_nodes) - 1
        for at, tensor in enumerate(self.outputs):
            tensor.__dict__["_keras_history"] = History(operation, index, at)

    @property
    def is_input(self) -> bool:
        return not self.input_tensors

    @property
    def parents(self) -> list[Node]:
        """The nodes whose outputs this one reads."""
        return [node for node in map(made_by, self.input_tensors) if node is not None]

    def run(self, values: dict[int, Any], operate: Callable[..., Any]) -> None:
        """Call the operation on what stands for its inputs."""

        def one(value: Any) -> Any:
            return values[id(value)] if isinstance(value, KerasTensor) else value

        args = map_structure(one, list(self.args))
        kwargs = map_structure(one, self.kwargs)
        with turning(self.turns):
            outputs = operate(self.operation, *args, **kwargs)
        found = [outputs] * len(self.outputs) if isinstance(outputs, Unknown) else flatten(outputs)
        for reference, value in zip(self.outputs, found):
            values[id(reference)] = value


def made_by(tensor: Any) -> Node | None:
    """Return the call that made a symbolic tensor."""
    history = tensor.__dict__.get("_keras_history")
    if history is None or history.operation is None:
        return None
    node: Node = history.operation._inbound_nodes[history.node_index]
    return node


class Graph:
    """What lies between some symbolic tensors and others: nodes in the order they run, operations as listed."""

    def __init__(self, inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        self.inputs = list(inputs)
        self.outputs = list(outputs)
        order, first_seen = self._order()
        depths, of_operation = _depths(order)
        for tensor in self.inputs:
            node = made_by(tensor)
            if node is not None and node.is_input and node.operation not in of_operation:
                of_operation[node.operation] = 0
                first_seen[node.operation] = -1
                depths[node] = 0
        found = sorted(of_operation, key=lambda o: (-of_operation[o], first_seen[o]))
        self.operations: list[Operation] = found
        by_depth: dict[int, list[Node]] = {}
        for node, depth in depths.items():
            by_depth.setdefault(depth, []).append(node)
        self.nodes = [node for depth in sorted(by_depth, reverse=True) for node in by_depth[depth]]
        self._check()

    def _order(self) -> tuple[list[Node], dict[Operation, int]]:
        """Return the nodes from the inputs to the outputs, and when each operation is first met from the outputs."""
        starts = {id(tensor) for tensor in self.inputs}
        order: list[Node] = []
        finished: set[Node] = set()
        seen: dict[Operation, int] = {}
        for output in self.outputs:
            stack: list[tuple[Any, bool]] = [(output, False)]
            while stack:
                tensor, done = stack.pop()
                if done:
                    if tensor not in finished:
                        finished.add(tensor)
                        order.append(tensor)
                    continue
                node = made_by(tensor)
                if node is None or node in finished:
                    continue
                if not node.is_input and id(tensor) in starts:
                    finished.add(node)
                    continue
                seen.setdefault(node.operation, len(seen))
                stack.append((node, True))
                stack.extend((each, False) for each in reversed(node.input_tensors))
        return order, seen

    def _check(self) -> None:
        """Require that the inputs suffice, and that names are unique."""
        known = {id(tensor) for tensor in self.inputs}
        for node in self.nodes:
            for tensor in node.input_tensors:
                if id(tensor) not in known:
                    raise ArgumentFault(
                        f"the graph is disconnected: the input {tensor.name} of {node.operation.name} "  # type: ignore[attr-defined]
                        "does not follow from the inputs of the model",
                        FaultCode.GRAPH_DISCONNECTED,
                    )
            known.update(id(tensor) for tensor in node.outputs)
        names = [operation.name for operation in self.operations]  # type: ignore[attr-defined]
        twice = next((name for name in names if names.count(name) > 1), None) if len(set(names)) < len(names) else None
        if twice is not None:
            raise ArgumentFault(
                f"the name {twice!r} is used {names.count(twice)} times in the model", FaultCode.DUPLICATE_NAME
            )

    def require_connected(self) -> None:
        """Raise if an output depends on a start of the graph that is not among its inputs."""
        known = {id(tensor) for tensor in self.inputs}
        for node in self.nodes:
            if not node.is_input and all(id(tensor) in known for tensor in node.input_tensors):
                known.update(id(tensor) for tensor in node.outputs)
        if all(id(tensor) in known for tensor in self.outputs):
            return
        starts = [node.operation.name for node in self.nodes if node.is_input and id(node.outputs[0]) not in known]  # type: ignore[attr-defined]
        names = " and ".join(dict.fromkeys(starts))
        raise ArgumentFault(
            f"an output of the model does not follow from its inputs: it needs {names or 'another input'}, too",
            FaultCode.GRAPH_DISCONNECTED,
        )

    def run(self, inputs: Sequence[Any], operate: Callable[..., Any]) -> list[Any]:
        """Return what follows from these inputs; `operate(operation, *args)` calls each operation."""
        values = {id(reference): value for reference, value in zip(self.inputs, inputs)}
        for node in self.nodes:
            if not node.is_input and all(id(tensor) in values for tensor in node.input_tensors):
                node.run(values, operate)
        return [values.get(id(tensor), Unknown("an output does not follow from the inputs")) for tensor in self.outputs]


def _depths(order: Sequence[Node]) -> tuple[dict[Node, int], dict[Operation, int]]:
    """Return how far each node, and each operation, is from the outputs."""
    inside = set(order)
    depths: dict[Node, int] = {}
    of_operation: dict[Operation, int] = {}
    for node in reversed(order):
        depth = max(depths.setdefault(node, 0), of_operation.get(node.operation, 0))
        of_operation[node.operation] = depth
        depths[node] = depth
        for parent in node.parents:
            if parent in inside:
                depths[parent] = max(depth + 1, depths.get(parent, 0))
    return depths, of_operation
