"""The contents of a graph of TensorFlow, for code that is recovered from it."""

from __future__ import annotations

import os
import struct
from typing import Any

from cutaway.core.contents import Contents, Fact, Stored
from cutaway.core.contents import Operation as Contained
from cutaway.formats.graph_def import variables
from cutaway.formats.graph_def.architecture import FRAMEWORK, SEPARATOR, Followed, Network, follow
from cutaway.formats.graph_def.inference import Operation
from cutaway.formats.graph_def.messages import Node, dtype, message, number, numbers, shape, text, texts
from cutaway.formats.graph_def.tensor_content import few_numbers, stored
from cutaway.formats.graph_def.value import Value, quantity, stated

_NO_NUMBERS = "its numbers are not in the file"


def contents(network: Network) -> Contents:
    """Return what a network contains; its tensors can be read while its file is open."""
    with follow(network) as followed:
        return _contents(followed, network)


def _contents(followed: Followed, network: Network) -> Contents:
    tensors = _tensors(followed, network)
    facts: dict[str, Fact] = {}
    for operation in followed.inference.operations:
        for value in (*operation.inputs, *operation.outputs):
            if value.name not in facts or facts[value.name].numbers is None:
                facts[value.name] = _fact(value, tensors)
    for value in (*followed.inputs, *followed.outputs.values()):
        facts.setdefault(value.name, _fact(value, tensors))
    return Contents(
        os.path.splitext(os.path.basename((network.folder or network.path).rstrip("/")))[0],
        FRAMEWORK,
        tuple(value.name for value in followed.inputs),
        tuple(value.name for value in followed.outputs.values()),
        tuple(_operation(operation, followed) for operation in followed.inference.operations),
        facts,
        tensors,
        _classes(followed, network),
        SEPARATOR,
        tuple(followed.inference.notes),
    )


def _operation(operation: Operation, followed: Followed) -> Contained:
    node = operation.node
    attributes = {name: _attribute(node, name) for name in node.raw if not name.startswith("_")}
    return Contained(
        f"{FRAMEWORK}.{node.op}",
        tuple(value.name for value in operation.inputs),
        tuple(value.name for value in operation.outputs),
        {name: value for name, value in attributes.items() if value is not None},
        followed.scopes.module(operation),
        0,
        operation.condition,
        operation.repeat,
    )


def _attribute(node: Node, name: str) -> Any:
    """Return an attribute: a text, a number, an element type, a shape, or a list of these."""
    held = node.attribute(name) or {}
    if 2 in held:
        return text(held, 2)
    if 3 in held:
        return number(held, 3)
    if 4 in held:
        return struct.unpack("<f", bytes(held[4][-1])[:4])[0]
    if 5 in held:
        return bool(number(held, 5))
    if 6 in held:
        return dtype(number(held, 6))
    if 7 in held:
        told = shape(held[7][-1])
        return None if told is None else list(told)
    listed = message(held, 1) if 1 in held else None
    if listed is None:
        return None
    if 2 in listed:
        return texts(listed, 2)
    return list(numbers(listed, 3)) if 3 in listed else []


def _tensors(followed: Followed, network: Network) -> dict[str, Stored]:
    """Return the constants and variables of a network, by the names under which operations read them."""
    found: dict[str, Stored] = {}
    for name, node in followed.inference.constants.items():
        data = node.raw_tensor()
        tensor = _absent(name, node) if data is None else stored(name, data)
        if tensor is not None:
            found[name] = tensor
    there = {} if network.folder is None else variables.in_checkpoint(network.folder, network.graph, network.objects)
    for name, weight in followed.inference.weights.items():
        known = stated(weight.shape)
        if name in found or not weight.is_variable:
            continue
        if name in there:
            found[name] = there[name]
        elif known is not None and all(isinstance(size, int) for size in known) and weight.dtype is not None:
            sizes = tuple(size for size in known if isinstance(size, int))
            found[name] = Stored(name, weight.dtype, sizes, None, _NO_NUMBERS)
    return found


def _absent(name: str, node: Node) -> Stored | None:
    """Return a constant whose numbers are not in the graph."""
    (_, sizes), dtype = node.shape(), node.type("dtype")
    if sizes is None or None in sizes or dtype is None:
        return None
    return Stored(name, dtype, tuple(size for size in sizes if size is not None), None, _NO_NUMBERS)


def _fact(value: Value, tensors: dict[str, Stored]) -> Fact:
    shape: Any = stated(value.shape)
    if value.numbers is not None:
        return Fact(shape, value.dtype, tuple(quantity(each) for each in value.numbers))
    tensor = tensors.get(value.name) if value.is_constant else None
    return Fact(shape, value.dtype, None if tensor is None else few_numbers(tensor))


def _classes(followed: Followed, network: Network) -> dict[str, str]:
    """Return the classes of layers that the file states, by the paths of their modules."""
    layers = {} if network.objects is None else network.objects.layers
    paths = {followed.scopes.module(operation) for operation in followed.inference.operations}
    inner = {
        SEPARATOR.join(path.split(SEPARATOR)[: at + 1]) for path in paths for at in range(path.count(SEPARATOR) + 1)
    }
    named = {path: layers.get(path.rpartition(SEPARATOR)[2]) for path in inner}
    return {path: layer.class_name for path, layer in named.items() if layer is not None}
