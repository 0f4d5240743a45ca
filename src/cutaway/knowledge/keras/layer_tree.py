"""The layers, weights and inputs of a network of Keras by their names: of one that is interpreted, and of one that runs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from cutaway.core import session

SEPARATOR = "/"


def layers_below(
    network: Any, is_layer: Callable[[Any], bool], name_of: Callable[[Any], str]
) -> Iterator[tuple[str, Any]]:
    """Yield a network and every layer below it once, with the path of its names; equal paths are numbered."""
    seen = {id(network)}
    taken: dict[str, int] = {}
    yield "", network
    waiting = [(layer, "") for layer in reversed(network._layers)]
    while waiting:
        layer, above = waiting.pop()
        if id(layer) in seen or not is_layer(layer):
            continue
        session.current().tick()
        seen.add(id(layer))
        path = _numbered(f"{above}{SEPARATOR}{name_of(layer)}" if above else name_of(layer), taken)
        yield path, layer
        waiting.extend((below, path) for below in reversed(layer._layers))


def _numbered(name: str, taken: dict[str, int]) -> str:
    taken[name] = taken.get(name, 0) + 1
    return name if taken[name] == 1 else f"{name}#{taken[name]}"


class NamedVariable(NamedTuple):
    """A weight, with the path of the layer that holds it."""

    variable: Any
    name: str
    trainable: bool
    layer: str


def named_variables(
    network: Any, layers: list[tuple[str, Any]], variables_of: Callable[[Any], Iterable[Any]]
) -> Iterator[NamedVariable]:
    """Yield the weights in the order of `network.weights`."""
    homes: dict[int, str] = {}
    for path, layer in layers:
        for variable in variables_of(layer):
            homes.setdefault(id(variable), path)
    taken: dict[str, int] = {}
    frozen = {id(variable) for variable in network.non_trainable_weights}
    for variable in network.weights:
        trainable = bool(variable.trainable) and id(variable) not in frozen
        yield NamedVariable(variable, _numbered(variable.path, taken), trainable, homes.get(id(variable), ""))


def input_names(tensors: Iterable[Any]) -> dict[str, Any]:
    """Return the symbolic inputs of a functional model by names that can be parameters."""
    named: dict[str, Any] = {}
    for tensor in tensors:
        name = re.sub(r"\W", "_", tensor._keras_history.operation.name)
        while name in named or not name.isidentifier():
            name = f"{name}_" if name in named else f"_{name}"
        named[name] = tensor
    return named
