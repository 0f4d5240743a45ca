"""The objects that a SavedModel keeps beside its graph: variables, layers and their configurations."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, field
from typing import Any

from cutaway.core import disk
from cutaway.formats.graph_def.messages import (
    Fields,
    ToldShape,
    decoded,
    dtype,
    message,
    messages,
    number,
    parse,
    shape,
    text,
)
from cutaway.formats.protobuf import Malformed

_LARGEST = 64 << 20
_METADATA = "keras_metadata.pb"
_NOT_WEIGHTS = frozenset(
    "optimizer metrics keras_api losses _metrics compiled_metrics compiled_loss loss_tracker _optimizer".split()
)


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable that is saved."""

    name: str
    shape: ToldShape
    dtype: str | None
    trainable: bool


@dataclass(frozen=True, slots=True)
class Layer:
    """What is said of a layer: its class and its configuration."""

    class_name: str
    config: dict[str, Any]


@dataclass(slots=True)
class Objects:
    """The variables of a network in order, and its layers by name."""

    variables: list[Variable] = field(default_factory=list)
    layers: dict[str, Layer] = field(default_factory=dict)
    root: Layer | None = None
    children: list[list[tuple[str, int]]] = field(default_factory=list)
    named: dict[int, str] = field(default_factory=dict)  # the names of variables, by the numbers of their objects

    def keys(self, tracked: Any) -> list[tuple[str, str]]:
        """Return the variables in order with their keys in a checkpoint, which has a graph of its own of the same objects."""
        nodes = [parse(each) for each in parse(tracked).get(1, ())]
        there = [dict(_children(node)) for node in nodes]
        pairs, waiting = {0: 0}, [0]
        while waiting:
            at = waiting.pop()
            for name, below in self.children[at] if at < len(self.children) else ():
                other = there[pairs[at]].get(name) if pairs[at] < len(there) else None
                if other is not None and below not in pairs:
                    pairs[below] = other
                    waiting.append(below)
        found = []
        for at, name in sorted(self.named.items()):
            attributes = messages(nodes[pairs[at]], 2) if at in pairs and 0 <= pairs[at] < len(nodes) else []
            key = next((text(each, 3) for each in attributes if text(each, 1) == "VARIABLE_VALUE"), "")
            found.append((name, key))
        return found


def read(data: Any, folder: str | None) -> Objects:
    """Return the objects of a SavedObjectGraph."""
    nodes = [parse(each) for each in parse(data).get(1, ())]
    found = Objects()
    if not nodes:
        return found
    children = [_children(node) for node in nodes]
    slots = {number(slot, 3) for node in nodes for slot in messages(node, 3)}
    found.variables = _variables(nodes, children, slots)
    found.children = children
    variables = {at: message(node, 7) for at, node in enumerate(nodes)}
    found.named = {at: text(variable, 6) for at, variable in variables.items() if variable is not None}
    metadata = {at: _user_metadata(node) for at, node in enumerate(nodes)}
    if folder is not None:
        metadata.update(_separate_metadata(os.path.join(folder, _METADATA)))
    for at, content in metadata.items():
        layer, name = _layer(content)
        if layer is None:
            continue
        if at == 0:
            found.root = layer
        elif name:
            found.layers.setdefault(name, layer)
    return found


def _children(node: Fields) -> list[tuple[str, int]]:
    return [(text(each, 2), number(each, 1)) for each in messages(node, 1)]


def _variables(nodes: list[Fields], children: list[list[tuple[str, int]]], slots: set[int]) -> list[Variable]:
    """Return the variables that can be reached from the root, without those of training."""
    listed = next((at for name, at in children[0] if name == "variables"), None)
    waiting = [listed] if listed is not None and 0 <= listed < len(nodes) else [0]
    seen: set[int] = set()
    found: dict[str, Variable] = {}
    while waiting:
        at = waiting.pop()
        if at in seen or not 0 <= at < len(nodes):
            continue
        seen.add(at)
        variable = message(nodes[at], 7)
        if variable is not None and at not in slots:
            kind = dtype(number(variable, 1))
            told = shape(variable[2][-1]) if 2 in variable else ()
            name = text(variable, 6)
            if name and name not in found:
                found[name] = Variable(name, told, kind, bool(number(variable, 3)))
        waiting.extend(below for name, below in reversed(children[at]) if name not in _NOT_WEIGHTS)
    return list(found.values())


def _user_metadata(node: Fields) -> str:
    user = message(node, 4)
    return "" if user is None else text(user, 3)


def _separate_metadata(path: str) -> dict[int, str]:
    """Return what Keras writes about layers into a file of its own."""
    if not disk.is_file(path):
        return {}
    try:
        with open(path, "rb") as file:
            content = file.read(_LARGEST)
        return {number(each, 2): decoded(each[5][-1]) for each in messages(parse(content), 1) if 5 in each}
    except (OSError, Malformed):
        return {}  # layers then have no classes, which the network is shown without


def _layer(content: str) -> tuple[Layer | None, str]:
    if not content.startswith("{"):
        return None, ""
    try:
        told = json.loads(content)
    except (ValueError, RecursionError):
        return None, ""
    if not isinstance(told, dict) or not isinstance(told.get("class_name"), str):
        return None, ""
    config = told.get("config")
    config = config if isinstance(config, dict) else {}
    name = told.get("name") or config.get("name")
    return Layer(told["class_name"], config), name if isinstance(name, str) else ""
