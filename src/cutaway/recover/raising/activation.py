"""Activation functions that are written out."""

from __future__ import annotations

import math
from typing import Any

from cutaway.recover.graph import Literal, Node, Operand
from cutaway.recover.raising.pattern import Around, become, close, either, pattern


def _scaled(around: Around, node: Node) -> tuple[float, list[Operand]]:
    """Return the number that a product is multiplied by, and its other factors."""
    scale, others = 1.0, []
    for factor in around.factors_of(node):
        number = around.number(factor)
        if number is None:
            others.append(factor)
        else:
            scale *= number
    return scale, others


@pattern("*", "/")
def gelu(around: Around, node: Node) -> bool:
    """x * (1 + erf(x / sqrt(2))) / 2, or with tanh in place of erf; 1 + erf(y) may be erfc(-y)."""
    scale, factors = _scaled(around, node)
    if len(factors) != 2 or not close(scale, 0.5):
        return False
    for source, rest in (factors, factors[::-1]):
        erfc = around.only(rest, "torch.erfc")
        if erfc is not None and _minus_times(around, erfc.inputs[0], 1 / math.sqrt(2)) == source:
            return become(node, "nn.GELU", source, approximate="none")
        total = around.only(rest, "+")
        inner = None if total is None else _plus(around, total, 1.0)
        if inner is None:
            continue
        erf = around.only(inner, "torch.erf")
        if erf is not None and _times(around, erf.inputs[0], 1 / math.sqrt(2)) == source:
            return become(node, "nn.GELU", source, approximate="none")
        tanh = around.only(inner, "nn.Tanh", "torch.tanh")
        if tanh is not None and _is_cubic(around, tanh.inputs[0], source):
            return become(node, "nn.GELU", source, approximate="tanh")
    return False


def _plus(around: Around, node: Node, number: float) -> Operand | None:
    """Return what a number is added to."""
    return next((other for other, added in either(node) if close(around.number(added), number)), None)


def _times(around: Around, operand: Operand, number: float) -> Operand | None:
    """Return what is multiplied by a number."""
    node = around.only(operand, "*", "/")
    if node is None:
        return None
    scale, factors = _scaled(around, node)
    return factors[0] if len(factors) == 1 and close(scale, number) else None


def _minus_times(around: Around, operand: Operand, number: float) -> Operand | None:
    """Return what is multiplied by a number and negated."""
    negated = around.only(operand, "neg")
    if negated is not None:
        return _times(around, negated.inputs[0], number)
    node = around.only(operand, "*", "/")
    if node is None:
        return None
    scale, (factor, *more) = _scaled(around, node)
    inner = around.only(factor, "neg")
    if inner is not None:
        scale, factor = -scale, inner.inputs[0]
    return factor if not more and close(scale, -number) else None


def _is_cubic(around: Around, operand: Operand, source: Operand) -> bool:
    """Tell whether an operand is sqrt(2 / pi) * (x + 0.044715 * x ** 3)."""
    total_name = _times(around, operand, math.sqrt(2 / math.pi))
    total = None if total_name is None else around.only(total_name, "+")
    if total is None:
        return False
    for plain, cube in either(total):
        if plain != source:
            continue
        inner = _times(around, cube, 0.044715)
        power = None if inner is None else around.only(inner, "**")
        if power is not None and power.inputs[0] == source and close(around.number(power.inputs[1]), 3.0):
            return True
        node = around.only(cube, "*")
        if node is not None:
            scale, factors = _scaled(around, node)
            if close(scale, 0.044715) and factors == [source] * 3:
                return True
    return False


@pattern("*")
def silu(around: Around, node: Node) -> bool:
    """x * sigmoid(x)."""
    return _gated(around, node, {"nn.Sigmoid": "nn.SiLU", "nn.Hardsigmoid": "nn.Hardswish"})


def _gated(around: Around, node: Node, gates: dict[str, str]) -> bool:
    for source, gate in either(node):
        maker = around.only(gate, *gates)
        if maker is not None and maker.inputs == [source]:
            deeper = max(node.path, maker.path, key=len)
            become(node, gates[maker.op], source)
            node.path = deeper
            return True
    return False


@pattern("*", "/")
def hard_swish(around: Around, node: Node) -> bool:
    """x * relu6(x + 3) / 6, and relu6(x + 3) / 6 alone."""
    scale, factors = _scaled(around, node)
    if not close(scale, 1 / 6):
        return False
    for place, factor in enumerate(factors):
        source = _shifted(around, factor)
        rest = factors[:place] + factors[place + 1 :]
        if source is not None and not rest:
            return become(node, "nn.Hardsigmoid", source)
        if source is not None and rest == [source]:
            return become(node, "nn.Hardswish", source)
    return False


def _shifted(around: Around, operand: Operand) -> Any:
    clip = around.only(operand, "nn.ReLU6")
    total = None if clip is None else around.only(clip.inputs[0], "+")
    return None if total is None else _plus(around, total, 3.0)


@pattern("*")
def mish(around: Around, node: Node) -> bool:
    """x * tanh(softplus(x))."""
    for source, gate in either(node):
        tanh = around.only(gate, "nn.Tanh")
        inner = None if tanh is None else around.only(tanh.inputs[0], "nn.Softplus")
        if inner is not None and inner.inputs == [source]:
            return become(node, "nn.Mish", source)
    return False


@pattern("/")
def reciprocal_root(around: Around, node: Node) -> bool:
    """1 / sqrt(x)."""
    root = around.only(node.inputs[1], "torch.sqrt")
    if isinstance(node.inputs[0], Literal) and node.inputs[0].value == 1 and root is not None:
        return become(node, "torch.rsqrt", *root.inputs)
    return False
