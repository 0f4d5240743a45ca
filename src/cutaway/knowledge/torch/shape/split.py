"""Rows that split one tensor into several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.core import session
from cutaway.core.fault import Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, mod
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.torch.shape.arrange import along
from cutaway.knowledge.torch.shape.reshape import same, sizes_of
from cutaway.knowledge.torch.tensor.op import Out, op
from cutaway.knowledge.torch.tensor.tensor import Tensor, strides_of
from cutaway.ops import reshape as rule
from cutaway.ops.index import slice_size


def _place(tensor: Any, dim: Any, name: str) -> int:
    if not tensor.shape:
        raise Fault(f"{name}: expects at least a 1-dimensional tensor", FaultCode.WRONG_RANK)
    return rule.axis(dim, len(tensor.shape))


def _parts(tensor: Any, place: int, sizes: Sequence[Any]) -> tuple[Out, ...]:
    """Return consecutive parts of these sizes along a dimension."""
    outs, start = [], 0
    kept = strides_of(tensor)
    for size in sizes:
        piece = along(place, slice(start, start + size))
        listed = None if place else lambda a, span=piece[0]: a[span]
        outs.append(
            same(tensor, rule.replaced(tensor.shape, place, size), lambda np, a, piece=piece: a[piece], listed, kept)
        )
        start = start + size
    return tuple(outs)


@op("torch.unbind", "torch.Tensor.unbind")
def unbind(input, dim=0):
    place = rule.axis(dim, len(input.shape))
    if not input.shape:
        raise Fault("unbind: cannot be applied to a tensor without dimensions", FaultCode.DIMENSION_OUT_OF_RANGE)
    count = input.shape[place]
    if not isinstance(count, int):
        raise Undecidable(Unknown(f"the number of parts of a dimension of size {count} is not known"))
    session.current().limit_parts(count, "parts of a tensor")
    shape = rule.replaced(input.shape, place)
    strides = strides_of(input)
    kept = None if strides is None else rule.replaced(strides, place)
    return tuple(
        same(input, shape, lambda np, a, i=i: a[along(place, i)], None if place else lambda a, i=i: a[i], kept)
        for i in range(count)
    )


@op("torch.chunk", "torch.Tensor.chunk", "torch.unsafe_chunk", "torch.Tensor.unsafe_chunk")
def chunk(input, chunks, dim=0):
    place = _place(input, dim, "chunk")
    return _parts(input, place, rule.chunk(input.shape[place], rule.integer(chunks, "chunk: chunks")))


def _split(tensor: Any, size: Any, dim: Any) -> tuple[Out, ...]:
    place = _place(tensor, dim, "split")
    extent = tensor.shape[place]
    if isinstance(size, (list, tuple)):
        return _parts(tensor, place, rule.split_sizes(extent, sizes_of(size, "split")))
    return _parts(tensor, place, rule.split(extent, rule.integer(size, "split: split_size")))


@op("torch.unsafe_split", "torch.Tensor.unsafe_split")
def unsafe_split(input, split_size, dim=0):
    return _split(input, split_size, dim)


@op("torch.split", "torch.functional.split")
def split(tensor, split_size_or_sections, dim=0):
    return _split(tensor, split_size_or_sections, dim)


@op("torch.Tensor.split")
def tensor_split_method(self, split_size, dim=0):
    return _split(self, split_size, dim)


@op("torch.split_with_sizes", "torch.Tensor.split_with_sizes",
    "torch.unsafe_split_with_sizes", "torch.Tensor.unsafe_split_with_sizes")  # fmt: skip
def split_with_sizes(input, split_sizes, dim=0):
    return _split(input, list(split_sizes), dim)


def _sections(tensor: Any, sections: Any, place: int) -> tuple[Out, ...]:
    """Split into a number of parts or before each of the given places."""
    extent = tensor.shape[place]
    if isinstance(sections, Tensor):
        if len(sections.shape) > 1 or sections.dtype.name != "int64":
            raise Fault(
                "tensor_split: indices must be an int64 tensor of at most 1 dimension", FaultCode.INVALID_ARGUMENT
            )
        sections = sections.array().tolist()
    if isinstance(sections, (list, tuple)):
        cuts = rule.cut([rule.integer(s, "tensor_split: an index") for s in sections])
        return tuple(
            same(
                tensor,
                rule.replaced(tensor.shape, place, slice_size(extent, c)),
                lambda np, a, c=c: a[along(place, c)],
            )
            for c in cuts
        )
    return _parts(tensor, place, rule.even_parts(extent, rule.integer(sections, "tensor_split: sections")))


@op("torch.tensor_split")
def tensor_split(input, indices_or_sections=None, dim=0, *, indices=None, sections=None):
    return _sections(input, _given(indices_or_sections, indices, sections), _place(input, dim, "tensor_split"))


@op("torch.Tensor.tensor_split")
def tensor_tensor_split(self, indices_or_sections=None, dim=0, *, indices=None, sections=None):
    return _sections(self, _given(indices_or_sections, indices, sections), _place(self, dim, "tensor_split"))


def _given(*forms: Any) -> Any:
    for form in forms:
        if form is not None:
            return form
    raise TypeFault("indices or sections are missing", FaultCode.MISSING_ARGUMENT)


def _register_split(name: str, least: int, dim_of: Any) -> None:
    @op(f"torch.{name}", f"torch.Tensor.{name}")
    def split_(input, indices_or_sections=None, *, indices=None, sections=None):
        sections = _given(indices_or_sections, indices, sections)
        rank = len(input.shape)
        if rank < least:
            raise Fault(
                f"{name}: needs a tensor with at least {least} dimensions, but got {rule.text(input.shape)}",
                FaultCode.WRONG_RANK,
            )
        place = dim_of(rank)
        extent = input.shape[place]
        if isinstance(sections, int) and (sections <= 0 or equal(mod(extent, sections), 0) is False):
            raise Fault(
                f"{name}: size {extent} of dimension {place} is not divisible by {sections}", FaultCode.SHAPE_MISMATCH
            )
        return _sections(input, sections, place)


_register_split("hsplit", 1, lambda rank: 0 if rank == 1 else 1)
_register_split("vsplit", 2, lambda rank: 0)
_register_split("dsplit", 3, lambda rank: 2)
