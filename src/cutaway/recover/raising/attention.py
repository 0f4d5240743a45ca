"""Attention: products of queries, keys and values with a softmax between them."""

from __future__ import annotations

import math
from typing import Any

from cutaway.recover.graph import Input, Literal, Node, Operand
from cutaway.recover.raising.layout import order_of, reordered, shared_path
from cutaway.recover.raising.pattern import Around, become, either, pattern


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
    rank = len(around.shape(turned) or ())
    if rank < 3 or len(around.shape(query) or ()) != rank:
        return False
    key, inner_factor = _unscaled(around, swap.inputs[0])
    if not _swaps_last(swap, rank):
        # Several changes of order that were made one: the keys are what the last two dimensions were swapped of.
        inner_factor, shape = 1.0, around.shape(turned)
        order = order_of(swap, rank)
        if shape is None or order is None:
            return False
        swapped = [*order[:-2], order[-1], order[-2]]
        sizes = (*shape[:-2], shape[-1], shape[-2])
        key = reordered(around, node, swap.inputs[0], swapped, sizes)
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


@pattern("torch.einsum")
def by_letters(around: Around, node: Node) -> bool:
    """The same as sums of products by letters, `BTNH,BSNH->BNTS` and `BNTS,BSNH->BTNH`, heads after positions."""
    outer = _letters(node)
    softmax = around.only(node.inputs[1], "nn.Softmax") if outer is not None and len(node.inputs) == 3 else None
    if outer is None or softmax is None or softmax.config.get("dim") not in (-1, 3):
        return False
    scores, mask = _masked(around, softmax.inputs[0])
    inner = _scores(around, scores)
    if inner is None:
        return False
    product, scale = inner
    if not _is_of_keys(product) or not _is_of_values(outer):
        return False
    query, factor = _unscaled(around, product.inputs[1])
    key, other = _unscaled(around, product.inputs[2])
    turned = []
    for operand in (query, key, node.inputs[2]):
        shape = around.shape(operand)
        if shape is None or len(shape) != 4 or not isinstance(operand, str):
            return False
        turned.append((operand, (shape[0], shape[2], shape[1], shape[3])))
    node.path = shared_path(product.path[:-1], node.path[:-1])
    width, scale = turned[0][1][3], scale * factor * other
    config: dict[str, Any] = {} if mask is None else {"attn_mask": Input(3)}
    if not isinstance(width, int) or abs(scale * math.sqrt(width) - 1) > 1e-5:
        config["scale"] = round(scale, 10)
    names = [around.before(node, ".transpose", name, shape=shape, dims=(1, 2)) for name, shape in turned]
    extra = [] if mask is None else [mask]
    shape = (*turned[0][1][:3], turned[2][1][3])
    made = around.before(node, "F.scaled_dot_product_attention", *names, *extra, shape=shape, **config)
    return become(node, ".transpose", made, dims=(1, 2))


def _masked(around: Around, scores: Operand) -> tuple[Operand, Operand | None]:
    """Return scores without a mask that is added to them, and that mask."""
    total = around.only(scores, "+")
    for product, added in either(total) if total is not None else ():
        if _scores(around, product) is not None and isinstance(added, str):
            return product, added
    return scores, None


def _is_of_keys(product: Node) -> bool:
    """Tell whether a product by letters is that of queries and keys, which are then its inputs in this order."""
    given = _letters(product)
    if given is None or len(product.inputs) != 3 or any(len(each) != 4 for each in given):
        return False
    left, right, score = given
    places = {"left": (left[0] + left[2], left[1], right[1]), "right": (right[0] + right[2], right[1], left[1])}
    if left[0] + left[2:] != right[0] + right[2:]:
        return False
    if (score[:2], score[2], score[3]) == places["right"]:
        product.inputs[1], product.inputs[2] = product.inputs[2], product.inputs[1]
        return True
    return (score[:2], score[2], score[3]) == places["left"]


def _is_of_values(letters: tuple[str, str, str]) -> bool:
    """Tell whether a product by letters is that of the weights of attention and values."""
    if any(len(each) != 4 for each in letters):
        return False
    weights, values, out = letters
    batch, heads, targets, sources = weights[0], weights[1], weights[2], weights[3]
    return values[:3] == batch + sources + heads and out == batch + targets + heads + values[3]


def _letters(node: Node) -> tuple[str, str, str] | None:
    """Return the letters of a product of two tensors."""
    equation = node.inputs[0]
    if not isinstance(equation, Literal) or not isinstance(equation.value, str) or "." in equation.value:
        return None
    operands, arrow, result = equation.value.partition("->")
    left, comma, right = operands.partition(",")
    return (left, right, result) if arrow and comma and "," not in right else None


def _scores(around: Around, operand: Operand) -> tuple[Node, float] | None:
    """Return the product by letters that an operand is, and the number it is multiplied by."""
    inner, scale = _unscaled(around, operand)
    node = around.only(inner, "torch.einsum")
    return None if node is None else (node, scale)


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
