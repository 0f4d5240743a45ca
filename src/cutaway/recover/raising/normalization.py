"""Normalisations that are written out."""

from __future__ import annotations

from array import array
from typing import Any

from cutaway.recover.graph import Node, Operand
from cutaway.recover.raising.pattern import Around, close, either, pattern
from cutaway.recover.sources.emission import shortest


@pattern("+")
def layer_norm(around: Around, node: Node) -> bool:
    """(x - mean) / sqrt(variance + eps) * weight + bias over the last dimension."""
    for product, added in either(node):
        bias, scaled = around.tensor(added), around.only(product, "*")
        if bias is None or scaled is None:
            continue
        for normal, factor in either(scaled):
            weight = around.tensor(factor)
            inner = _normal(around, normal)
            if weight is None or inner is None or len(weight.shape) != 1 or weight.shape != bias.shape:
                continue
            source, eps = inner
            node.op, node.inputs = "nn.LayerNorm", [source]
            node.config = {"normalized_shape": weight.shape[0], "eps": eps, "bias": True}
            node.weights = {"weight": weight, "bias": bias}
            return True
    return False


def _normal(around: Around, operand: Operand) -> tuple[Operand, Any] | None:
    """Return x and eps where an operand is (x - mean(x)) / sqrt(mean((x - mean(x)) ** 2) + eps)."""
    quotient = around.only(operand, "/", "*")
    if quotient is None:
        return None
    for above, below in either(quotient) if quotient.op == "*" else [tuple(quotient.inputs)]:
        root = around.only(below, "torch.sqrt" if quotient.op == "/" else "torch.rsqrt")
        total = None if root is None else around.only(root.inputs[0], "+")
        difference = around.maker(above, "-")
        if total is None or difference is None:
            continue
        mean = around.maker(difference.inputs[1], ".mean")
        if mean is None or mean.inputs[0] != difference.inputs[0] or mean.config != {"dim": -1, "keepdim": True}:
            continue
        for variance, added in either(total):
            eps = around.number(added)
            if eps is not None and _is_variance(around, variance, difference):
                return difference.inputs[0], shortest(eps)
    return None


def _is_variance(around: Around, operand: Operand, difference: Node) -> bool:
    mean = around.only(operand, ".mean")
    if mean is None or mean.config != {"dim": -1, "keepdim": True}:
        return False
    square = around.only(mean.inputs[0], "**", "*")
    if square is None:
        return False
    base = around.maker(square.inputs[0], "-")
    same = base is not None and base.inputs == difference.inputs
    if square.op == "**":
        return same and close(around.number(square.inputs[1]), 2.0)
    return same and square.inputs[0] == square.inputs[1]


@pattern("+")
def group_norm(around: Around, node: Node) -> bool:
    """Instance normalisation of channels that are grouped by a reshape, then a weight and a bias for each channel."""
    for product, added in either(node):
        bias, scaled = around.tensor(added), around.only(product, "*")
        if bias is None or scaled is None:
            continue
        for normal, factor in either(scaled):
            weight, back = around.tensor(factor), around.only(normal, ".reshape")
            inner = None if back is None else around.only(back.inputs[0], "nn.InstanceNorm1d")
            apart = None if inner is None else around.only(inner.inputs[0], ".reshape")
            if weight is None or apart is None or inner is None:
                continue
            shape = around.shape(apart.inputs[0])
            groups = inner.config["num_features"]
            grouped = around.shape(apart.outputs[0])
            if shape is None or grouped is None or grouped[:2] != (shape[0], groups) or not isinstance(shape[1], int):
                continue
            if (
                not _spans_channels(weight.shape, shape)
                or not _spans_channels(bias.shape, shape)
                or not _is_plain(around, inner)
            ):
                continue
            node.op, node.inputs = "nn.GroupNorm", [apart.inputs[0]]
            node.config = {"num_groups": groups, "num_channels": shape[1], "eps": inner.config["eps"]}
            node.weights = {"weight": weight.reshaped(shape[1]), "bias": bias.reshaped(shape[1])}
            return True
    return False


def _spans_channels(own: tuple[int, ...], shape: tuple[Any, ...]) -> bool:
    """Tell whether a stored tensor has a number for each channel."""
    padded = (1,) * (len(shape) - len(own)) + tuple(own)
    return padded[1] == shape[1] and all(size == 1 for place, size in enumerate(padded) if place != 1)


def _is_plain(around: Around, layer: Node) -> bool:
    """Tell whether a normalisation has only ones for weights and zeros for biases."""
    expected = {"weight": 1.0, "bias": 0.0}
    for name, number in expected.items():
        tensor = layer.weights[name]
        numbers = around.graph.fact(tensor.stored.name).numbers
        if numbers is None and tensor.stored.pieces is not None and tensor.dtype == "float32":
            numbers = tuple(array("f", b"".join(tensor.stored.pieces())))
        if numbers is None or any(each != number for each in numbers):
            return False
    return True
