"""Rows that give a tensor another size in place, and the copying variants of views."""

from __future__ import annotations

import functools
from typing import Any

from cutaway.core.fault import ArgumentFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.protocols import is_tensor
from cutaway.core.size.dim import unknown_size
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import TABLE
from cutaway.knowledge.torch.indexing.index import planned
from cutaway.knowledge.torch.shape import arrange, reshape, split
from cutaway.knowledge.torch.shape.reshape import sizes_of, spread
from cutaway.knowledge.torch.tensor.op import Out, compute, inplace_op, op
from cutaway.knowledge.torch.tensor.tensor import change_shape
from cutaway.knowledge.torch.tensor.types import Size, int64
from cutaway.ops.reshape import axis, integer


def _resized(self: Any, sizes: Any) -> Out:
    change_shape(self, Size(sizes_of(sizes, "resize_")))
    return Out(self.shape, self.dtype)


@inplace_op("torch.Tensor.resize_")
def resize_(self, *size, memory_format=None, **named):
    return _resized(self, spread(size, named, "size"))


@inplace_op("torch.Tensor.resize_as_")
def resize_as_(self, the_template, *, memory_format=None):
    return _resized(self, the_template.shape)


@inplace_op("torch.Tensor.set_")
def set_(self, source=None, storage_offset=0, size=None, stride=()):
    if size is not None:
        return _resized(self, size)
    return _resized(self, (0,) if source is None else source.shape if is_tensor(source) else (unknown_size(),))


@inplace_op("torch.Tensor.as_strided_", strided=True)
def as_strided_(self, size, stride, storage_offset=None):
    return _resized(self, size)


@op("torch.unravel_index", "torch.functional.unravel_index", strided=True)
def unravel_index(indices, shape):
    if indices.dtype.is_floating_point or indices.dtype.is_complex or indices.dtype.name == "bool":
        raise ArgumentFault(
            f"unravel_index: indices must be integers, but are {indices.dtype}", FaultCode.UNSUPPORTED_DTYPE
        )
    if not isinstance(shape, (int, list, tuple, Unknown)):
        raise TypeFault(f"unravel_index: shape must be sizes, but is {type(shape).__name__}", FaultCode.WRONG_TYPE)
    sizes = spread([shape], {})
    strides = [1] * len(sizes)
    for i in reversed(range(len(sizes) - 1)):
        strides[i] = strides[i + 1] * sizes[i + 1]
    return tuple(
        Out(indices.shape, int64, compute(lambda np, a, by, n: a.astype("int64") // by % n, indices, stride, extent))
        for stride, extent in zip(strides, sizes)
    )


@op("torch.slice_copy")
def slice_copy(input, dim=0, start=None, end=None, step=1):
    ends = [e if e is None or isinstance(e, Unknown) else integer(e, "slice_copy: an end") for e in (start, end, step)]
    made, _ = planned(input.shape, (slice(None),) * axis(dim, len(input.shape)) + (slice(*ends),))
    values = None if any(isinstance(e, Unknown) for e in ends) else compute(
        lambda np, a: a[tuple(made.basic)], input
    )  # fmt: skip
    return Out(made.shape, input.dtype, values)


def _copied(result: Any) -> Any:
    if isinstance(result, Out):
        return Out(result.shape, result.dtype, result.values)
    return tuple(map(_copied, result))


def _copying(name: str, view: Any) -> None:
    """Register `torch.<name>_copy`, which gives the numbers of a view in memory of their own."""

    @functools.wraps(view.__wrapped__)
    def copy(*args, **kwargs):
        return _copied(view.__wrapped__(*args, **kwargs))

    op(f"torch.{name}_copy")(copy)


for _module, _names in (
    (reshape, "permute squeeze t transpose unsqueeze view_as_complex view_as_real view"),
    (arrange, "as_strided diagonal select unfold"),
    (split, "split_with_sizes unbind"),
):
    for _name in _names.split():
        _copying(_name, getattr(_module, _name))
_copying("expand", TABLE["torch.broadcast_to"])
_copying("split", TABLE["torch.unsafe_split"])
