"""Reading a network of the target off our model of Keras, into an `Architecture`."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from cutaway.core import session
from cutaway.core.architecture import Architecture, Shape, Weight
from cutaway.core.record import replace
from cutaway.core.session import Call, Reference, Session
from cutaway.core.size.dim import Size
from cutaway.knowledge.base.describe import class_name
from cutaway.knowledge.base.framework import FRAMEWORKS, Framework
from cutaway.knowledge.base.read_off import (
    Contents,
    architecture,
    as_quantity,
    built_modules,
    mode_name,
    shape_of,
    unknown_parts,
    weight_number,
)
from cutaway.knowledge.keras.layer_tree import SEPARATOR, input_names, layers_below, named_variables
from cutaway.knowledge.keras.mode import assumption
from cutaway.knowledge.keras.models.layer import Layer
from cutaway.knowledge.keras.models.layers_in_loops import count, turns_of
from cutaway.knowledge.keras.models.model import Model
from cutaway.knowledge.keras.models.sequential import Sequential
from cutaway.knowledge.keras.models.state import reset_uids
from cutaway.knowledge.keras.tensors.shape import symbolic
from cutaway.knowledge.keras.tensors.tensor import Tensor, input_tensor, new, plain
from cutaway.knowledge.keras.tensors.tree import flatten, pack_sequence_as
from cutaway.knowledge.keras.training.fit import MODELS

CALLS_AS_LIBRARY = True  # functions of the target are called exactly as the library does


class Keras(Framework):
    """Keras, for the interpreter."""

    name = "keras"
    bookkeeping = frozenset(
        "_tracker _functional _inbound_nodes _outbound_nodes _inputs_struct _outputs_struct _called_with _building "
        "_path _parent_path _call_signature_parameters _is_symbolic _is_fed built".split()
    )
    mode_argument = "training"

    def is_network(self, value: object) -> bool:
        """A model, or a layer of the target's own; Keras's layers are what networks are made of."""
        kinds = type(value).__mro__
        return Model in kinds or (Layer in kinds and self.is_network_class(type(value)))

    def is_part(self, value: object) -> bool:
        return Layer in type(value).__mro__

    def has_weights(self, network: Layer) -> bool:
        return not network.__dict__.get("built") or bool(network.weights)

    def is_network_class(self, value: object) -> bool:
        if type not in type(value).__mro__ or Layer not in type.mro(value):  # type: ignore[arg-type]
            return False
        return not str(value.__module__).startswith("keras.")  # type: ignore[attr-defined]

    def unbound(self) -> list[tuple[str, Any]]:
        """Return the models that a program compiled, fitted or summarised, which may be bound to no name."""
        return [(model.name, model) for model in MODELS.get().values()]

    def tensor(self, shape: Sequence[Size] | None, dtype: str, name: str, number: int | None = None) -> Tensor:
        return input_tensor(shape, dtype, name)

    def forward(self, network: Layer) -> Any:
        references = _references(network)
        if references is None:
            return network.call

        def forward(*_args: Any, **_kwargs: Any) -> None:
            """Stands for a model's inputs by their names."""

        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        forward.__signature__ = inspect.Signature([inspect.Parameter(name, kind) for name in references])  # type: ignore[attr-defined]
        return forward

    def declared(self, network: Layer, name: str) -> Any:
        references = _references(network)
        if references is not None:
            return references[name].plain() if name in references else None
        if name == self.mode_argument:
            return bool(session.current().train)
        positional, before = list(network._call_parameters()), network.__dict__.get("_called_with", ())
        if name in positional[: len(before)]:
            return plain(before[positional.index(name)])
        shape = network.__dict__.get("_input_shape_arg")
        if shape is None or name != next(iter(network._call_parameters()), None):
            return None
        return new(symbolic((None, *shape), name))

    def call(self, network: Layer, args: list[Any], kwargs: dict[str, Any]) -> Any:
        references = _references(network)
        is_given = self.mode_argument in list(network._call_parameters())[: len(args)]
        mode = {} if is_given else {self.mode_argument: bool(session.current().train)}
        if references is None:
            return network(*args, **{**mode, **kwargs})
        given = dict(zip(references, args))
        given.update(kwargs)
        structure = network.__dict__["_inputs_struct"]
        return network(pack_sequence_as(structure, [given[name] for name in references]), **mode)

    def prepare(self, network: Layer) -> None:
        here = session.current()
        here.assume(assumption(here.train))

    def start_naming(self) -> None:
        reset_uids()

    def parts(self, network: Layer) -> list[Any]:
        return [layer for _, layer in _walk(network)]

    def read_off(self, network: Layer, name: str, target: str, gathered: Session, call: Call | None) -> Architecture:
        layers = list(_walk(network))
        weights = list(_weights(layers, network))
        contents = Contents(
            layers,
            weights,
            list(_inputs(network, call)) if call else [],
            built_modules(_repeats(layers)),
            weight_number,
            partial(unknown_parts, layers, weights),
            separator=SEPARATOR,
            mode=None if call is None else mode_name(call.training),
        )
        return architecture(name, target, self.name, gathered, call, contents)


def _references(network: Any) -> dict[str, Any] | None:
    """Return the symbolic inputs of a functional model by names that can be parameters; None for any other."""
    if not isinstance(network, Model) or network._graph is None:
        return None
    own = type(network).call
    if own is not Model.call and own is not Sequential.call:
        return None
    return input_names(flatten(network.__dict__["_inputs_struct"]))


def _inputs(network: Layer, call: Call) -> Iterator[tuple[str, Reference]]:
    """Name the inputs of a call by the model's inputs, or by the parameters of `call`."""
    references = _references(network)
    if references is not None and len(references) == len(call.inputs):
        yield from ((name, reference) for name, (_, reference) in zip(references, call.inputs))
        return
    positional = list(network._call_parameters())
    for path, reference in call.inputs:
        side, _, rest = path.partition(".")
        head, _, tail = rest.partition(".")
        if side == "0":
            index = int(head)
            head = positional[index] if index < len(positional) else f"input.{index}"
        yield (f"{head}.{tail}" if tail else head), reference


def _walk(network: Layer) -> Iterator[tuple[str, Any]]:
    """Yield the network and every layer below it once, with the path of its names."""

    def name_of(layer: Any) -> str:
        return str(layer.__dict__.get("name", class_name(type(layer))))

    return layers_below(network, lambda layer: isinstance(layer, Layer), name_of)


def _repeats(layers: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return how many there are of a layer in its parent, by path, where that is not one."""
    found: dict[str, Any] = {}
    by_path = dict(layers)
    for path, layer in layers:
        turns = turns_of(layer)
        if turns:
            around = turns_of(by_path[path.rpartition(SEPARATOR)[0]])
            times = count(one for one in turns if one not in around)
            if times != 1:
                found[path] = times
    return found


def _weights(layers: list[tuple[str, Any]], network: Layer) -> Iterator[tuple[Weight, Any]]:
    """Yield the weights in the order of `network.weights`, each with the layer that holds it."""
    by_path = dict(layers)

    def held(layer: Any) -> tuple[Any, ...]:
        return (*layer._tracker.trainable, *layer._tracker.non_trainable)

    for variable, name, trainable, home in named_variables(network, layers, held):
        shape: Shape = shape_of(variable.reference())
        weight = Weight(name, shape, str(variable.dtype), "parameter", trainable, None, home)
        turns = turns_of(by_path[home])
        yield replace(weight, repeat=as_quantity(count(turns))) if turns else weight, variable


FRAMEWORKS.append(Keras())
