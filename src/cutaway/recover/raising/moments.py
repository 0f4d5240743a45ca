"""Normalisations that are written out as a product and a sum: x * scale + (bias - mean * scale)."""

from __future__ import annotations

from typing import Any

from cutaway.core.record import dataclass
from cutaway.recover.graph import Node, Operand, Tensor
from cutaway.recover.layout import LAYOUT
from cutaway.recover.raising.pattern import Around, become, close, either, pattern
from cutaway.recover.sources.channels_last import filled, first_order, last_order, zeros_like
from cutaway.recover.sources.emission import shortest


@dataclass(frozen=True, slots=True)
class _Parts:
    """What a normalisation is made of."""

    source: str
    mean: Operand
    variance: Operand
    eps: float
    weight: Tensor | None
    bias: Tensor | None


@pattern("+")
def batch_norm(around: Around, node: Node) -> bool:
    """With means and variances that are stored, a batch normalisation."""
    parts = _parts(around, node)
    if parts is None:
        return False
    mean, variance, shape = around.tensor(parts.mean), around.tensor(parts.variance), around.shape(parts.source)
    if (
        mean is None
        or variance is None
        or shape is None
        or len(shape) not in (2, 3, 4, 5)
        or mean.shape != variance.shape
    ):
        return False
    axis = _axis(mean.shape, shape)
    given = [each for each in (parts.weight, parts.bias) if each is not None]
    if axis not in (1, len(shape) - 1) or any(each.shape != mean.shape for each in given):
        return False
    size = max(mean.shape)
    weights = {
        "weight": parts.weight.reshaped(size) if parts.weight is not None else filled(mean, 1.0, size),
        "bias": parts.bias.reshaped(size) if parts.bias is not None else zeros_like(mean, size),
        "running_mean": mean.reshaped(size),
        "running_var": variance.reshaped(size),
    }
    kind = {2: "1d", 3: "1d", 4: "2d", 5: "3d"}[len(shape)]
    config = {"num_features": size, "eps": parts.eps}
    node.path = _outside(node)
    if axis == 1:
        become(node, f"nn.BatchNorm{kind}", parts.source, **config)
        node.weights = weights
        return True
    order = first_order(len(shape))
    turned = tuple(shape[place] for place in order)
    inner = around.before(node, LAYOUT, parts.source, shape=turned, dims=order)
    made = around.before(node, f"nn.BatchNorm{kind}", inner, shape=turned, **config)
    around.makers[made].weights = weights
    return become(node, LAYOUT, made, dims=last_order(len(shape)))


@pattern("+")
def layer_norm(around: Around, node: Node) -> bool:
    """With the mean and variance of the input itself, a layer normalisation."""
    parts = _parts(around, node)
    if parts is None or parts.weight is None:
        return False
    shape = around.shape(parts.source)
    mean, variance = around.maker(parts.mean, ".mean"), around.maker(parts.variance, ".mean")
    if (
        shape is None
        or mean is None
        or variance is None
        or mean.inputs != [parts.source]
        or mean.config != variance.config
    ):
        return False
    if not _is_squared_gap(around, variance.inputs[0], {parts.source, mean.outputs[0]}):
        return False
    dims = mean.config["dim"]
    axes = sorted(dim % len(shape) for dim in (dims if isinstance(dims, tuple) else (dims,)))
    over = tuple(shape[axes[0] :])
    if axes != list(range(len(shape) - len(axes), len(shape))) or not all(isinstance(size, int) for size in over):
        return False
    given = [each for each in (parts.weight, parts.bias) if each is not None]
    if any(_stripped(each.shape) != _stripped(over) for each in given):
        return False
    weights = {"weight": parts.weight.reshaped(*over)}
    if parts.bias is not None:
        weights["bias"] = parts.bias.reshaped(*over)
    node.path = _outside(node)
    become(node, "nn.LayerNorm", parts.source, normalized_shape=over[0] if len(over) == 1 else over, eps=parts.eps,
           bias=parts.bias is not None)  # fmt: skip
    node.weights = weights
    return True


def _is_squared_gap(around: Around, operand: Operand, ends: set[str]) -> bool:
    """Tell whether an operand is the square of the difference of two values."""
    square = around.maker(operand, "torch.square", "**", "*")
    gap = None if square is None else around.maker(square.inputs[0], "-")
    if square is None or gap is None or set(map(str, gap.inputs)) != ends:
        return False
    if square.op == "**":
        return close(around.number(square.inputs[1]), 2.0)
    return square.op == "torch.square" or square.inputs[0] == square.inputs[1]


def _parts(around: Around, node: Node) -> _Parts | None:
    for product, rest in either(node):
        scaled = around.maker(product, "*")
        for source, scale in either(scaled) if scaled is not None else ():
            factors = _scale(around, scale)
            shift = None if factors is None else _shift(around, rest, scale)
            if factors is None or shift is None or not isinstance(source, str):
                continue
            (variance, eps, weight), (mean, bias) = factors, shift
            return _Parts(source, mean, variance, eps, weight, bias)
    return None


def _scale(around: Around, operand: Operand) -> tuple[Operand, float, Tensor | None] | None:
    """Return variance, eps and weight where an operand is rsqrt(variance + eps) * weight."""
    node = around.maker(operand, "*", "torch.rsqrt")
    if node is None:
        return None
    for root, factor in either(node) if node.op == "*" else [(operand, None)]:
        inner = around.maker(root, "torch.rsqrt")
        total = None if inner is None else around.maker(inner.inputs[0], "+")
        weight = None if factor is None else around.tensor(factor)
        if total is None or (factor is not None and weight is None):
            continue
        for variance, added in either(total):
            eps = around.number(added)
            if eps is not None and around.number(variance) is None:
                return variance, shortest(eps), weight
    return None


def _shift(around: Around, rest: Operand, scale: Operand) -> tuple[Operand, Tensor | None] | None:
    """Return mean and bias where an operand is bias - mean * scale, in any of its forms."""
    node = around.maker(rest, "-", "+", "*", "neg")
    if node is None:
        return None
    if node.op == "-":
        bias, mean = around.tensor(node.inputs[0]), _times(around, node.inputs[1], scale)
        return None if bias is None or mean is None else (mean, bias)
    if node.op == "+":
        for product, added in either(node):
            bias, mean = around.tensor(added), _minus(around, product, scale)
            if bias is not None and mean is not None:
                return mean, bias
        return None
    mean = _minus(around, rest, scale)
    return None if mean is None else (mean, None)


def _minus(around: Around, operand: Operand, scale: Operand) -> Operand | None:
    """Return mean where an operand is -mean * scale."""
    node = around.maker(operand, "neg", "*")
    if node is None:
        return None
    if node.op == "neg":
        return _times(around, node.inputs[0], scale)
    turned = around.maker(_times(around, operand, scale) or "", "neg")
    return None if turned is None else turned.inputs[0]


def _times(around: Around, operand: Operand, scale: Operand) -> Operand | None:
    node = around.maker(operand, "*")
    return None if node is None else next((other for other, each in either(node) if each == scale), None)


def _axis(own: tuple[int, ...], shape: tuple[Any, ...]) -> int | None:
    """Return the dimension that a stored tensor has a number for each place of."""
    padded = (1,) * (len(shape) - len(own)) + tuple(own)
    places = [place for place, size in enumerate(padded) if size != 1]
    if not places and len(own) == 1:
        return len(shape) - 1
    return places[0] if len(places) == 1 and padded[places[0]] == shape[places[0]] else None


def _stripped(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Return a shape without leading ones."""
    sizes = list(shape)
    while len(sizes) > 1 and sizes[0] == 1:
        sizes.pop(0)
    return tuple(sizes)


def _outside(node: Node) -> tuple[str, ...]:
    """Return the module of the whole normalisation: what TensorFlow calls its last step is no module."""
    return node.path[:-1] if node.path and node.path[-1] in ("batchnorm", "moments") else node.path
