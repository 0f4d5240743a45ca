"""Linear layers: a product with a stored matrix, and a bias that is added."""

from __future__ import annotations

from cutaway.recover.graph import Node
from cutaway.recover.raising.pattern import Around, either, pattern

_CONVOLUTIONS = tuple(f"nn.Conv{kind}{rank}d" for kind in ("", "Transpose") for rank in (1, 2, 3))


@pattern(".reshape")
def joined_rows(around: Around, node: Node) -> bool:
    """A linear layer around which leading dimensions are joined and taken apart again: it takes them as they are."""
    layer = around.only(node.inputs[0], "nn.Linear")
    joined = None if layer is None else around.only(layer.inputs[0], ".reshape", ".flatten", "nn.Flatten")
    if layer is None or joined is None or len(joined.inputs) != 1:
        return False
    before, after = around.shape(joined.inputs[0]), around.shape(node.outputs[0])
    if before is None or after is None or None in before or tuple(before[:-1]) != tuple(after[:-1]):
        return False
    if before[-1] != layer.config["in_features"] or after[-1] != layer.config["out_features"]:
        return False
    node.op, node.inputs, node.config, node.weights = layer.op, list(joined.inputs), layer.config, layer.weights
    node.path = layer.path if len(layer.path) >= len(node.path) else node.path
    return True


@pattern("+")
def bias(around: Around, node: Node) -> bool:
    """A stored vector that is added to a linear layer is its bias."""
    for product, added in either(node):
        layer, vector = around.only(product, "nn.Linear"), around.tensor(added)
        if layer is None or vector is None or "bias" in layer.weights:
            continue
        out = layer.config["out_features"]
        if vector.shape in ((out,), (1, out), (1, 1, out)):
            node.op, node.inputs, node.weights = layer.op, layer.inputs, {**layer.weights, "bias": vector.reshaped(out)}
            node.config = {**layer.config, "bias": True}
            node.path = layer.path if len(layer.path) >= len(node.path) else node.path
            return True
    return False


@pattern("+")
def convolution_bias(around: Around, node: Node) -> bool:
    """A stored number for each channel that is added to a convolution is its bias."""
    for product, added in either(node):
        layer, vector = around.only(product, *_CONVOLUTIONS), around.tensor(added)
        if layer is None or vector is None or "bias" in layer.weights:
            continue
        out, spatial = layer.config["out_channels"], int(layer.op[-2])
        if tuple(vector.shape[-spatial - 1 :]) != (out, *[1] * spatial) or any(
            size != 1 for size in vector.shape[: -spatial - 1]
        ):
            continue
        node.op, node.inputs, node.weights = layer.op, layer.inputs, {**layer.weights, "bias": vector.reshaped(out)}
        node.config = {**layer.config, "bias": True}
        node.path = layer.path if len(layer.path) >= len(node.path) else node.path
        return True
    return False


@pattern("+")
def split_bias(around: Around, node: Node) -> bool:
    """A stored tensor that is added after the last dimension of a linear layer was taken apart is its bias."""
    for product, added in either(node):
        apart, tensor = around.only(product, ".reshape"), around.tensor(added)
        layer = None if apart is None else around.only(apart.inputs[0], "nn.Linear")
        if apart is None or layer is None or tensor is None or "bias" in layer.weights:
            continue
        shape, before = around.shape(apart.outputs[0]), around.shape(layer.outputs[0])
        if shape is None or before is None or len(tensor.shape) != len(shape) - len(before) + 1:
            continue
        if tuple(shape[-len(tensor.shape) :]) != tensor.shape or shape[: len(before) - 1] != before[:-1]:
            continue
        layer.weights = {**layer.weights, "bias": tensor.reshaped(layer.config["out_features"])}
        layer.config = {**layer.config, "bias": True}
        node.op, node.inputs, node.config = apart.op, list(apart.inputs), dict(apart.config)
        return True
    return False
