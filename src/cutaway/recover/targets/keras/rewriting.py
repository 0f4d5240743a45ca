"""A graph in the terms of PyTorch to one in the terms of Keras, whose channels come last."""

from __future__ import annotations

from collections import Counter

from cutaway.core.record import replace
from cutaway.recover.graph import Graph, Node, Numbers, Path
from cutaway.recover.layout import LAYOUT, settle_layouts
from cutaway.recover.sources.channels_last import first_order, last_order
from cutaway.recover.sources.emission import Unsupported, complete, followed, resolve_aliases
from cutaway.recover.targets.keras.table import LAST, ROWS, Rewriting, load

_CHANNELS = ("nn.Conv", "nn.BatchNorm", "nn.InstanceNorm", "nn.GroupNorm", "nn.MaxPool", "nn.AvgPool", "nn.Adaptive",
             "F.interpolate", "nn.PReLU", "nn.LocalResponseNorm")  # fmt: skip
"""Layers whose channels are the second dimension."""
_ATTENTION = "F.scaled_dot_product_attention"
_HEADS = (0, 2, 1, 3)


def to_keras(graph: Graph) -> None:
    """Rewrite a graph in place; what has no counterpart becomes a place that raises."""
    load()
    graph.layers |= _layers(graph)
    graph.nodes = [each for node in graph.nodes for each in _decomposed(graph, node)]
    graph.nodes = [each for node in graph.nodes for each in _turned(graph, node)]
    settle_layouts(graph)
    graph.nodes = [each for node in graph.nodes for each in _rewritten(graph, node)]
    resolve_aliases(graph)
    complete(graph)
    graph.sweep()


def _layers(graph: Graph) -> set[Path]:
    """Return the modules that are one layer: what is added around it does not make them more."""
    nodes = Counter(node.path for node in graph.nodes)
    inner = {node.path[:length] for node in graph.nodes for length in range(len(node.path))}
    return {node.path for node in graph.nodes if nodes[node.path] == 1 and node.op.startswith("nn.")} - inner


def _decomposed(graph: Graph, node: Node) -> list[Node]:
    """Return a layer that Keras does not have as nodes that it has."""
    if node.op != "nn.PixelShuffle":
        return [node]
    shape, factor = graph.shape(node.inputs[0]), node.config["upscale_factor"]
    if shape is None or len(shape) != 4 or not isinstance(shape[1], int):
        return [node]
    n, c, h, w = shape
    inner = c // factor**2
    call = Rewriting(node, graph)
    sizes = (n, inner, factor, factor, h, w)
    apart = call.temporary(".reshape", node.inputs[0], shape=sizes, sizes=sizes)
    order = (n, inner, h, factor, w, factor)
    moved = call.temporary(".permute", apart, shape=order, dims=(0, 1, 4, 2, 5, 3))
    call.emit(".reshape", moved, sizes=(n, inner, h * factor, w * factor))
    return call.nodes


def _turned(graph: Graph, node: Node) -> list[Node]:
    """Return a layer with channels last, between two changes of the order of dimensions."""
    shape = graph.shape(node.inputs[0]) if node.inputs else None
    if shape is None or node.missing:
        return [node]
    rank = len(shape)
    if node.op == _ATTENTION and rank == 4 and not node.config.get("enable_gqa"):
        return _around(graph, node, _HEADS, _HEADS, 3)
    if not node.op.startswith(_CHANNELS) or rank < 3:
        return [node]
    return _around(graph, node, last_order(rank), first_order(rank), 1)


def _around(graph: Graph, node: Node, there: Path | tuple[int, ...], back: tuple[int, ...], count: int) -> list[Node]:
    nodes = []
    inputs = list(node.inputs)
    for place in range(count):
        name = inputs[place]
        if not isinstance(name, str):
            return [node]
        fact = graph.fact(name)
        turned = f"{name}@{node.outputs[0]}:{place}"
        shape = None if fact.shape is None else tuple(fact.shape[axis] for axis in there)  # type: ignore[index]
        graph.facts[turned] = replace(fact, shape=shape, numbers=None)
        nodes.append(Node(LAYOUT, [name], [turned], {"dims": there}, path=node.path))
        inputs[place] = turned
    (out, *rest) = node.outputs
    if rest and any(rest):
        return [node]
    fact = graph.fact(out)
    made = f"{out}@last"
    shape = None if fact.shape is None else tuple(fact.shape[axis] for axis in there)  # type: ignore[index]
    graph.facts[made] = replace(fact, shape=shape, numbers=None)
    nodes.append(replace(node, op=LAST + node.op, inputs=inputs, outputs=[made]))
    nodes.append(Node(LAYOUT, [made], [out], {"dims": back}, path=node.path))
    return nodes


def _rewritten(graph: Graph, node: Node) -> list[Node]:
    if node.missing:
        return [node]
    call = Rewriting(node, graph)
    row = ROWS.get(call.op)
    try:
        if row is None:
            raise Unsupported(f"{call.op}: there is no counterpart of it in Keras")
        if any(isinstance(value, Numbers) for value in node.config.values()):
            raise Unsupported(f"{call.op}: an argument of it is computed from the numbers of a tensor")
        followed(call.op, lambda: row(call))
        return call.nodes
    except Unsupported as unsupported:
        inputs = [name for name in node.inputs if isinstance(name, str)]
        return [Node("missing", inputs, list(node.outputs), path=node.path, missing=str(unsupported))]  # type: ignore[arg-type]
