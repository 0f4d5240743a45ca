"""Small changes of a Keras model that make it another network: each is a new model, built from a changed configuration."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any


def changes(model: Any) -> Iterator[tuple[str, Any]]:
    """Yield the name of each change that a model allows, and the changed model."""
    for name, change in CHANGES.items():
        changed = _first(model, change)
        if changed is not None:
            yield name, changed


def _first(model: Any, change: Callable[[dict, dict], bool]) -> Any:
    """Return the model with the change made to the first layer that allows it."""
    plain = model.get_config()
    for at, layer in enumerate(plain["layers"]):
        config = copy.deepcopy(plain)
        _forget_shapes(config)
        if layer["class_name"] == "InputLayer" or not change(config["layers"][at], config):
            continue
        try:
            return type(model).from_config(config)
        except (ValueError, TypeError, KeyError, RuntimeError):  # the layers around it do not fit any more
            continue
    return None


def _forget_shapes(node: Any) -> None:
    """Remove the shapes that layers were built with."""
    if isinstance(node, dict):
        node.pop("build_config", None)
        node.pop("build_input_shape", None)
    for each in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        _forget_shapes(each)


def _channel(layer: dict, config: dict) -> bool:
    for name in ("units", "filters", "output_dim"):
        if layer["config"].get(name):
            layer["config"][name] += 1
            return True
    return False


def _kernel(layer: dict, config: dict) -> bool:
    size = layer["config"].get("kernel_size")
    if size:
        layer["config"]["kernel_size"] = [each + 2 for each in size]
    return bool(size)


def _activation(layer: dict, config: dict) -> bool:
    if layer["class_name"] in ("LSTM", "GRU") or layer["config"].get("activation", "linear") == "linear":
        return False
    layer["config"]["activation"] = "linear"
    return True


def _missing(layer: dict, config: dict) -> bool:
    """Take a layer with a matrix out; what read its result reads its input."""
    if layer["class_name"] not in ("Conv2D", "Dense", "LSTM", "GRU", "SeparableConv2D", "MultiHeadAttention"):
        return False
    config["layers"].remove(layer)
    nodes = layer.get("inbound_nodes")
    if nodes is None:
        return True
    if not nodes:
        return False
    source = _history(nodes[0])
    _replace(config, layer["config"]["name"], source)
    return True


def _history(node: Any) -> list:
    """Return where the first tensor that a node reads comes from."""
    if isinstance(node, dict):
        if "keras_history" in node:
            return node["keras_history"]
        node = list(node.values())
    for each in node if isinstance(node, (list, tuple)) else ():
        found = _history(each)
        if found:
            return found
    return []


def _replace(node: Any, name: str, source: list) -> None:
    if isinstance(node, dict):
        if node.get("keras_history", [None])[0] == name:
            node["keras_history"] = list(source)
        for each in node.values():
            _replace(each, name, source)
    elif isinstance(node, (list, tuple)):
        for each in node:
            _replace(each, name, source)


CHANGES: dict[str, Callable[[dict, dict], bool]] = {
    "channel": _channel,
    "kernel": _kernel,
    "activation": _activation,
    "missing": _missing,
}
