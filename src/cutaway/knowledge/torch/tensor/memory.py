"""How what an operation makes lies in memory, where not all that it reads is contiguous."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any, TypeAlias

from cutaway.knowledge.torch.tensor.tensor import Tensor, strides_of
from cutaway.ops import layout

Arranged: TypeAlias = Callable[[Any, list[Tensor]], Any]
"""Shape and inputs -> strides, None where they are not known."""

_ELEMENTWISE = frozenset(["unary", "binary", "ternary", "elementwise", "activation"])
"""Files of rows whose results lie as their operands do."""

_CONTIGUOUS = frozenset(
    f"torch.nn.functional.{name}"
    for name in """linear layer_norm rms_norm softmax log_softmax softmin embedding embedding_bag one_hot glu bilinear
    pairwise_distance cosine_similarity""".split()
) | frozenset(
    f"torch.{name}"
    for name in """matmul bmm mm addmm baddbmm addbmm mv addmv outer dot softmax log_softmax roll stack hstack vstack
    dstack gather index_select take Tensor.repeat tile repeat_interleave masked_select bincount cumsum cumprod
    Tensor.softmax Tensor.log_softmax scatter scatter_add""".split()
)
"""Rows whose results are contiguous, however their arguments lie."""

_FORMATTED = frozenset(
    f"torch.nn.functional.{family}{rank}d"
    for family in ("conv", "conv_transpose", "max_pool", "avg_pool", "adaptive_avg_pool", "adaptive_max_pool")
    for rank in (1, 2, 3)
) | {"torch.nn.functional.batch_norm"}
"""Rows whose results have their channels where the input has them."""

_MOST_SINGLE = 6
_FAR = 1 << 60
"""How many dimensions of size 1 are tried with all strides, and one that is larger than any."""

_JOINED = frozenset(["torch.cat", "torch.concat", "torch.concatenate"])
"""Rows whose results have their channels where all inputs have them."""


def arrangement(name: str, home: str) -> Arranged:
    """Return the rule for the results of an operation; `home` is the file of its row."""
    if name in _CONTIGUOUS or home.endswith(".reduction") or name.startswith("torch.Tensor.new_"):
        return lambda _shape, _inputs: True
    if name in _FORMATTED:
        return _formatted
    if name in _JOINED:
        return _joined
    if home.rpartition(".")[2] in _ELEMENTWISE or name.endswith("_like"):
        return _elementwise
    if (
        home.endswith(".casting") or name == "torch.nn.functional.normalize"
    ):  # a second tensor only says what is cast to
        return lambda shape, inputs: _elementwise(shape, inputs[:1])
    return lambda _shape, _inputs: None


def _formatted(shape: Any, inputs: list[Tensor]) -> Any:
    """Return the strides of what has channels: last in memory if they are so in the input."""
    strides = strides_of(inputs[0]) if inputs else None
    return _with_channels(shape, [] if strides is None else [layout.has_channels_last(inputs[0]._shape, strides)])


def _joined(shape: Any, inputs: list[Tensor]) -> Any:
    known = [(tensor._shape, strides_of(tensor)) for tensor in inputs]
    if any(strides is None for _, strides in known):
        return None
    return _with_channels(shape, [layout.has_channels_last(*each) for each in known])


def _with_channels(shape: Any, verdicts: list[bool | None]) -> Any:
    """Return the strides of what has its channels last if all operands have them so; None where that is open."""
    if False in verdicts:
        return True
    return None if None in verdicts or not verdicts else layout.channels_last(shape)


def _elementwise(shape: Any, inputs: list[Tensor]) -> Any:
    return elementwise(shape, [(tensor._shape, strides_of(tensor)) for tensor in inputs])


def elementwise(shape: Any, known: list[tuple[Any, Any]]) -> Any:
    """Return the strides of what is made element by element, from the shapes and strides of the operands."""
    if any(strides is None for _, strides in known):
        return None
    if 1 in shape and any(0 in strides for _, strides in known):
        is_numeric = layout.is_numeric(shape) and all(layout.is_numeric(strides) for _, strides in known)
        return _whatever_single(shape, known) if is_numeric else None
    return layout.elementwise(shape, known)


def _whatever_single(shape: Any, known: list[tuple[Any, Any]]) -> Any:
    """Return the strides if they are the same whatever those of dimensions of size 1 are, which are not followed.

    Where something is repeated along a dimension, torch's order of the others may depend on them.
    """
    slots = [
        (at, dim)
        for at, (own, _) in enumerate(known)
        for dim, size in enumerate(shape[len(shape) - len(own) :])
        if size == 1
    ]
    if len(slots) > _MOST_SINGLE:
        return None
    found: dict[tuple[Any, ...], Any] = {}
    for choice in product((0, 1, _FAR), repeat=len(slots)):
        varied = [(own, list(strides)) for own, strides in known]
        for (at, dim), stride in zip(slots, choice):
            varied[at][1][dim] = stride
        strides = layout.elementwise(shape, [(own, tuple(lie)) for own, lie in varied])
        if strides is None:
            return None
        found[tuple(stride for stride, size in zip(strides, shape) if size != 1)] = strides
    return next(iter(found.values())) if len(found) == 1 else None
