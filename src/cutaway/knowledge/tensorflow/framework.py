"""Reading networks that TensorFlow itself describes: a `tf.Module`, or the graph of a program of TensorFlow 1."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from cutaway.core.architecture import Architecture, Weight
from cutaway.core.place import Place
from cutaway.core.session import Call, Session
from cutaway.core.size.dim import Size
from cutaway.knowledge.base.framework import FRAMEWORKS, Framework
from cutaway.knowledge.base.read_off import (
    Contents,
    architecture,
    built_modules,
    named_inputs,
    shape_of,
    signature_of,
    unknown_parts,
    weight_number,
)
from cutaway.knowledge.keras.tensors.tensor import Tensor, input_tensor
from cutaway.knowledge.tensorflow.graph_mode.graph import GRAPH, Graph, default_graph
from cutaway.knowledge.tensorflow.variable import Module, held_variables, modules_of


class TensorFlow(Framework):
    """TensorFlow without Keras, for the interpreter."""

    name = "tensorflow"

    def is_network(self, value: object) -> bool:
        return Module in type(value).__mro__ or type(value) is Graph

    def is_network_class(self, value: object) -> bool:
        if type not in type(value).__mro__ or Module not in type.mro(value):  # type: ignore[arg-type]
            return False
        return not str(value.__module__).startswith(("tensorflow.", "cutaway."))  # type: ignore[attr-defined]

    def unbound(self) -> list[tuple[str, Any]]:
        """Return the graph of a program that builds one, which is bound to no name."""
        if not GRAPH.is_set():
            return []
        graph = default_graph()
        return [("graph", graph)] if graph.building or graph.variables else []

    def tensor(self, shape: Sequence[Size] | None, dtype: str, name: str, number: int | None = None) -> Tensor:
        return input_tensor(shape, dtype, name)

    def forward(self, network: Any) -> Any:
        if isinstance(network, Graph):
            return lambda: None
        own = type(network).__call__
        return getattr(own, "_function", own).__get__(network)

    def call(self, network: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
        return None if isinstance(network, Graph) else network(*args, **kwargs)

    def origin(self, network: Any) -> Place | None:
        return network.place if isinstance(network, Graph) else super().origin(network)

    def parts(self, network: Any) -> list[Any]:
        return [network] if isinstance(network, Graph) else [module for _, module in modules_of(network)]

    def read_off(self, network: Any, name: str, target: str, gathered: Session, call: Call | None) -> Architecture:
        if isinstance(network, Graph):
            call = Call(network, [], network.first, last_operation=len(gathered.operations))
            call.inputs = [(tensor.name, tensor.reference()) for tensor in network.placeholders]
            call.outputs = [("", tensor.reference()) for tensor in network.fetched]
            modules: list[tuple[str, Any]] = [("", network)]
            variables = [("", variable.path, variable) for variable in network.variables]
            inputs, calls, separator = call.inputs, {id(network): [call]}, "/"
        else:
            modules, variables = modules_of(network), held_variables(network)
            inputs = list(named_inputs(signature_of(self.forward(network)), call)) if call else []
            calls, separator = None, "."
        weights = list(_weights(variables))
        contents = Contents(
            modules, weights, inputs, built_modules(), weight_number, partial(unknown_parts, modules, weights), calls,
            separator,
        )  # fmt: skip
        return architecture(name, target, self.name, gathered, call, contents)


def _weights(found: list[tuple[str, str, Any]]) -> Iterator[tuple[Weight, Any]]:
    for path, label, variable in found:
        shape = shape_of(variable.reference())
        yield Weight(label, shape, str(variable.dtype), "parameter", bool(variable.trainable), None, path), variable


FRAMEWORKS.append(TensorFlow())
