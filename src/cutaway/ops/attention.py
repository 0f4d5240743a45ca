"""Scaled dot-product attention: the shape of the result and its MACs."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core import session
from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Size, equal, mod, product
from cutaway.ops.elementwise import broadcast
from cutaway.ops.reshape import text

Shape = tuple[Size, ...]


def attention(
    query: Sequence[Size],
    key: Sequence[Size],
    value: Sequence[Size],
    mask: Sequence[Size] | None = None,
    grouped: bool = False,
    name: str = "scaled_dot_product_attention",
) -> tuple[Shape, Size]:
    """Return the shape and the MACs of `softmax(query @ key.T + mask) @ value`.

    `grouped` lets several heads of the query share one of key and value.
    """
    for which, shape in (("query", query), ("key", key), ("value", value)):
        if len(shape) < 2:
            raise Fault(
                f"{name}: {which} must have at least 2 dimensions, but it is {text(shape)}", FaultCode.WRONG_RANK
            )
    if not session.require_equal(query[-1], key[-1], name):
        raise Fault(
            f"{name}: query has {query[-1]} features in its last dimension, but key has {key[-1]}",
            FaultCode.SHAPE_MISMATCH,
        )
    if not session.require_equal(key[-2], value[-2], name):
        raise Fault(f"{name}: key has {key[-2]} positions, but value has {value[-2]}", FaultCode.SHAPE_MISMATCH)
    if grouped:
        key, value = (_repeated(query, shape, which, name) for which, shape in (("key", key), ("value", value)))
    scores = (*broadcast(f"{name}: query @ key", query[:-2], key[:-2]), query[-2], key[-2])
    macs = product(scores) * query[-1]
    if mask is not None:
        scores = broadcast(f"{name}: scores + attn_mask", scores, mask)
        if equal(scores[-1], value[-2]) is False:
            raise Fault(
                f"{name}: attn_mask has {mask[-1]} positions in its last dimension, but value has {value[-2]}",
                FaultCode.SHAPE_MISMATCH,
            )
    batch = broadcast(f"{name}: weights @ value", scores[:-2], value[:-2])
    shape = (*batch, scores[-2], value[-1])
    return shape, macs + product(shape) * key[-2]


def _repeated(query: Sequence[Size], shape: Sequence[Size], which: str, name: str) -> Shape:
    """Return `shape` with its heads repeated to those of the query."""
    if len(query) < 3 or len(shape) < 3:
        raise Fault(
            f"{name}: enable_gqa needs a dimension of heads, but {which} is {text(shape)}", FaultCode.WRONG_RANK
        )
    heads, groups = query[-3], shape[-3]
    rest = mod(heads, groups) if equal(groups, 0) is False else 0
    if isinstance(rest, int) and rest:
        raise Fault(
            f"{name}: query has {heads} heads, which is not a multiple of the {groups} heads of {which}",
            FaultCode.SHAPE_MISMATCH,
        )
    return (*shape[:-3], heads, *shape[-2:])
