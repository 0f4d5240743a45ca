"""Indexing, gathering, and looking for elements."""

from __future__ import annotations

from typing import Any

from cutaway.core.size.dim import Dim, product, unknown_size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.tensors.dtypes import DTYPES, promote
from cutaway.knowledge.keras.tensors.op import Out, compute, op
from cutaway.knowledge.keras.tensors.shape import size_of, sizes_of
from cutaway.knowledge.keras.tensors.tensor import Tensor, convert, is_array
from cutaway.ops import join, reshape
from cutaway.ops.index import Mask, Positions, plan
from cutaway.ops.window import windows


def item_of(item: Any) -> Any:
    """Return one index in the words of the rules."""
    if item is None or item is Ellipsis or isinstance(item, (int, Dim)):
        return item
    if isinstance(item, slice):
        return slice(*(_bound(edge) for edge in (item.start, item.stop, item.step)))
    if isinstance(item, Unknown):
        raise Undecidable(item)
    if isinstance(item, Tensor) or is_array(item) or isinstance(item, list):
        index = convert(item)
        if index._dtype == "bool":
            return Mask(tuple(index._shape), unknown_size())
        if index._shape == () and (index._sizes is not None or index._values is not None):
            return index.sizes()
        return Positions(tuple(index._shape))
    return item


def _bound(edge: Any) -> Any:
    return None if edge is None else size_of(edge)


@op("keras.ops.get_item", methods=("__getitem__",))
def get_item(x, key):
    x = known_rank(x)
    items = [item_of(item) for item in (key if isinstance(key, tuple) else (key,))]
    made = plan(x._shape, items, backwards=True)
    values = None
    plain = all(item is None or item is Ellipsis or isinstance(item, (int, slice)) for item in items)
    if plain and not any(isinstance(e, Dim) for i in items if isinstance(i, slice) for e in (i.start, i.stop, i.step)):
        values = compute(lambda np, a: a[tuple(items)], x)
    sizes = None
    if isinstance(x._sizes, tuple) and len(items) == 1 and isinstance(items[0], (int, slice)):
        try:
            sizes = x._sizes[items[0]]
        except (IndexError, TypeError, Undecidable):
            sizes = None
    return Out(made.shape, x._dtype, values, sizes=sizes, view=not made.advanced)


@op("keras.ops.take")
def take(x, indices, axis=None):
    x, at = known_rank(x), known_rank(indices)
    if axis is None:
        return Out(at._shape, x._dtype)
    place = reshape.axis(size_of(axis), len(x._shape))
    return Out(reshape.replaced(x._shape, place, *at._shape), x._dtype)


@op("keras.ops.take_along_axis")
def take_along_axis(x, indices, axis=None):
    x, at = known_rank(x), known_rank(indices)
    if axis is None:
        return Out(at._shape, x._dtype)
    place = reshape.axis(axis, len(x._shape))
    shape = [a if i == place else b for i, (a, b) in enumerate(zip(at._shape, x._shape))]
    return Out(shape, x._dtype)


@op("keras.ops.top_k")
def top_k(x, k, sorted=True):
    x = known_rank(x)
    shape = (*x._shape[:-1], size_of(k))
    return (Out(shape, x._dtype), Out(shape, DTYPES["int32"]))


@op("keras.ops.in_top_k")
def in_top_k(targets, predictions, k):
    return Out(known_rank(targets)._shape, DTYPES["bool"])


@op("keras.ops.searchsorted")
def searchsorted(sorted_sequence, values, side="left"):
    return Out(known_rank(values)._shape, DTYPES["int32"])


@op("keras.ops.digitize")
def digitize(x, bins):
    return Out(known_rank(x)._shape, DTYPES["int32"])


@op("keras.ops.bincount")
def bincount(x, weights=None, minlength=0, sparse=False):
    x = known_rank(x)
    kind = DTYPES["int32"] if weights is None else convert(weights)._dtype
    return Out((*x._shape[:-1], unknown_size()), kind)


@op("keras.ops.slice")
def slice_(inputs, start_indices, shape):
    x = known_rank(inputs)
    begins, sizes = sizes_of(start_indices), sizes_of(shape)
    made = [
        extent - begin if isinstance(size, int) and size == -1 else size
        for extent, begin, size in zip(x._shape, begins, sizes)
    ]
    return Out(made, x._dtype)


@op("keras.ops.slice_update")
def slice_update(inputs, start_indices, updates):
    x = convert(inputs)
    return Out(x._shape, x._dtype)


@op("keras.ops.scatter")
def scatter(indices, values, shape):
    return Out(sizes_of(shape), convert(values)._dtype)


@op("keras.ops.scatter_update")
def scatter_update(inputs, indices, updates, reduction=None):
    x = convert(inputs)
    return Out(x._shape, x._dtype)


def _segment(name: str) -> Any:
    def rule(data: Any, segment_ids: Any, num_segments: Any = None, sorted: bool = False) -> Out:
        x = known_rank(data)
        count = unknown_size() if num_segments is None else size_of(num_segments)
        return Out((count, *x._shape[1:]), x._dtype)

    rule.__name__ = name
    return rule


for _name in ("segment_sum", "segment_max"):
    op(f"keras.ops.{_name}")(_segment(_name))


@op("keras.ops.append")
def append(x1, x2, axis=None):
    left, right = known_rank(x1), known_rank(x2)
    kind = promote(left._dtype, right._dtype)
    if axis is None:
        return Out((product(left._shape) + product(right._shape),), kind)
    place = reshape.axis(axis, len(left._shape))
    return Out(join.concatenate([left._shape, right._shape], place, "append"), kind)


@op("keras.ops.extract_sequences")
def extract_sequences(x, sequence_length, sequence_stride):
    x = known_rank(x)
    count = windows(x._shape[-1], sequence_length, sequence_stride, 0, 0)
    return Out((*x._shape[:-1], count, sequence_length), x._dtype)
