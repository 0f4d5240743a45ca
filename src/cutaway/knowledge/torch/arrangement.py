"""How what an operation makes lies in memory, where not all that it reads is contiguous."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from cutaway.knowledge.torch.tensor import Tensor, strides_of
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

_JOINED = frozenset(["torch.cat", "torch.concat", "torch.concatenate"])
"""Rows whose results have their channels where all inputs have them."""


def arrangement(name: str, home: str) -> Arranged:
    """Return the rule for the results of an operation; `home` is the file of its row."""
    if name in _CONTIGUOUS or home.endswith(".reduction"):
        return lambda _shape, _inputs: True
    if name in _FORMATTED:
        return _formatted
    if name in _JOINED:
        return _joined
    if home.rpartition(".")[2] in _ELEMENTWISE:
        return _elementwise
    if home.endswith(".casting"):  # a second tensor only says what is cast to
        return lambda shape, inputs: _elementwise(shape, inputs[:1])
    return lambda _shape, _inputs: None


def _formatted(shape: Any, inputs: list[Tensor]) -> Any:
    """Return the strides of what has channels: last in memory if they are so in the input."""
    strides = strides_of(inputs[0]) if inputs else None
    if strides is None:
        return None
    if not layout.has_channels_last(inputs[0]._shape, strides):
        return True
    return layout.channels_last(shape)


def _joined(shape: Any, inputs: list[Tensor]) -> Any:
    known = [(tensor._shape, strides_of(tensor)) for tensor in inputs]
    if any(strides is None for _, strides in known):
        return None
    return layout.channels_last(shape) if all(layout.has_channels_last(*each) for each in known) else True


def _elementwise(shape: Any, inputs: list[Tensor]) -> Any:
    known = [(tensor._shape, strides_of(tensor)) for tensor in inputs]
    if any(strides is None for _, strides in known):
        return None
    if 1 in shape and any(0 in strides for _, strides in known):
        return None  # the order then hangs on the strides of dimensions of size 1, which are not followed
    return layout.elementwise(shape, known)
