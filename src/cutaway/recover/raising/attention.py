"""Attention: products of queries, keys and values with a softmax between them."""

from __future__ import annotations

import math
from typing import Any

from cutaway.recover.graph import Input, Node, Operand
from cutaway.recover.raising.pattern import Around, either, pattern


@pattern("@")
def scaled_dot_product(around: Around, node: Node) -> bool:
    """softmax(query @ key.transpose(-2, -1) * scale + mask) @ value."""
    softmax = around.only(node.inputs[0], "nn.Softmax")
    if softmax is None or softmax.config.get("dim") != -1:
        return False
    scores: Operand = softmax.inputs[0]
    mask: Operand | None = None
    scale = 1.0
    total = around.only(scores, "+")
    if total is not None:
        for product, added in either(total):
            inner = _product(around, product)
            if inner is not None and isinstance(added, str):
                mask, scores = added, product
                break
    found = _product(around, scores)
    if found is None:
        return False
    product_node, scale = found
    query, factor = _unscaled(around, product_node.inputs[0])
    turned, other = _unscaled(around, product_node.inputs[1])
    swap = around.only(turned, ".transpose", ".permute")
    if swap is None:
        return False
    key, inner_factor = _unscaled(around, swap.inputs[0])
    rank = len(around.shape(turned) or ())
    if not _swaps_last(swap, rank) or rank < 3 or len(around.shape(query) or ()) != rank:
        return False
    width = (around.shape(query) or (None,))[-1]
    scale *= factor * other * inner_factor
    config: dict[str, Any] = {}
    inputs = [query, key, node.inputs[1]]
    if mask is not None:
        inputs.append(mask)
        config["attn_mask"] = Input(3)
    if not isinstance(width, int) or abs(scale * math.sqrt(width) - 1) > 1e-5:
        config["scale"] = round(scale, 10)
    node.op, node.inputs, node.config = "F.scaled_dot_product_attention", inputs, config
    return True


def _product(around: Around, operand: Operand) -> tuple[Node, float] | None:
    """Return the product of matrices that an operand is, and the number it is multiplied by."""
    inner, scale = _unscaled(around, operand)
    node = around.only(inner, "@")
    return None if node is None else (node, scale)


def _unscaled(around: Around, operand: Operand) -> tuple[Operand, float]:
    """Return an operand without a number that it is multiplied by, and that number."""
    node = around.only(operand, "*", "/")
    if node is None:
        return operand, 1.0
    scale, others = 1.0, []
    for factor in around.factors_of(node):
        number = around.number(factor)
        if number is None:
            others.append(factor)
        else:
            scale *= number
    return (others[0], scale) if len(others) == 1 else (operand, 1.0)


def _swaps_last(node: Node, rank: int) -> bool:
    dims = tuple(dim % rank for dim in node.config["dims"]) if rank else ()
    if node.op == ".transpose":
        return sorted(dims) == [rank - 2, rank - 1]
    return dims == (*range(rank - 2), rank - 1, rank - 2)
