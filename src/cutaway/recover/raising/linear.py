"""Linear layers: a product with a stored matrix, and a bias that is added."""

from __future__ import annotations

from cutaway.recover.graph import Node
from cutaway.recover.raising.pattern import Around, either, pattern


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
