"""Shapes of operations that rearrange a tensor's elements without combining them."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault, IndexFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import (
    Dim,
    Size,
    equal,
    floordiv,
    is_known,
    less,
    maximum,
    minimum,
    mod,
    product,
    rewritten,
    unknown_size,
)
from cutaway.core.size.relation import Relation
from cutaway.core.unknown import Undecidable, Unknown

Shape = tuple[Size, ...]


def axis(dim: Any, rank: int) -> int:
    """Return a dimension argument counted from the front; a scalar has one nominal dimension."""
    dim = integer(dim, "dimension")
    span = max(rank, 1)
    if not -span <= dim < span:
        raise IndexFault(
            f"Dimension out of range (expected to be in range of [{-span}, {span - 1}], but got {dim})",
            FaultCode.DIMENSION_OUT_OF_RANGE,
        )
    return int(dim % span)


def axes(dims: Any, rank: int, name: str) -> list[int]:
    """Return distinct dimension arguments, each counted from the front."""
    found = [axis(d, rank) for d in dims]
    if len(set(found)) != len(found):
        raise Fault(f"{name}: a dimension appears twice in {text(dims)}", FaultCode.DUPLICATE_DIMENSION)
    return found


def integer(value: Any, what: str) -> Any:
    """Return a number that counts or points: an int or a symbolic size; raise what Python would."""
    if isinstance(value, (int, Dim)):
        return int(value) if isinstance(value, bool) else value
    if isinstance(value, Unknown):
        raise Undecidable(value)
    try:
        return operator.index(value)
    except TypeError as error:
        raise TypeFault(f"{what} must be an integer, but got {type(value).__name__}", FaultCode.WRONG_TYPE) from error


def size(value: Any, what: str = "size") -> Size:
    """Return a size argument; an undetermined one becomes an unknown size."""
    try:
        found: Size = integer(value, what)
    except Undecidable:
        return unknown_size()
    return found


def text(sizes: Iterable[Any]) -> str:
    """Return sizes as a user writes them."""
    return f"[{', '.join(map(str, sizes))}]"


def reshape(shape: Sequence[Size], sizes: Sequence[Size], name: str = "reshape") -> Shape:
    """Return the sizes, with a -1 replaced by what is left of the elements."""
    inferred = [i for i, s in enumerate(sizes) if isinstance(s, int) and s == -1]
    if len(inferred) > 1:
        raise Fault(
            f"{name}: only one dimension can be inferred, but the shape is {text(sizes)}", FaultCode.INVALID_ARGUMENT
        )
    for place, wanted in enumerate(sizes):
        if place not in inferred and less(wanted, 0) is True:
            raise Fault(
                f"{name}: invalid shape dimension {wanted} at index {place} of shape {text(sizes)}",
                FaultCode.INVALID_ARGUMENT,
            )
    wanted_sizes = [s for i, s in enumerate(sizes) if i not in inferred]
    have, want = (product(side) for side in _cancel(shape, wanted_sizes, lambda s: less(0, s) is True))
    mismatch = Fault(
        f"{name}: shape {text(sizes)} is invalid for a tensor {text(shape)} of {product(shape)} elements",
        FaultCode.SHAPE_MISMATCH,
    )
    if not inferred:
        if less(0, have) is True and not all(session.require_at_least(s, 1, name) for s in wanted_sizes):
            raise mismatch
        if not session.require_equal(have, want, name):
            raise mismatch
        return tuple(sizes)
    if equal(want, 0) is True:
        if equal(have, 0) is False:
            raise mismatch
        raise Fault(
            f"{name}: the -1 in shape {text(sizes)} is ambiguous, because the tensor {text(shape)} has no elements",
            FaultCode.INVALID_ARGUMENT,
        )
    if less(0, want) is True and not session.require_equal(mod(have, want), 0, name):
        raise mismatch
    have, want = (product(side) for side in _cancel(shape, wanted_sizes, lambda s: s != 0))
    return tuple(floordiv(have, want) if i in inferred else s for i, s in enumerate(sizes))


def _cancel(left: Sequence[Size], right: Sequence[Size], may: Any) -> tuple[list[Size], list[Size]]:
    """Drop the factors that both products have, where `may` allows it."""
    kept, rest = [], list(right)
    for factor in left:
        if factor in rest and may(factor):
            rest.remove(factor)
        else:
            kept.append(factor)
    return kept, rest


def flatten(shape: Sequence[Size], start: Any, end: Any) -> Shape:
    """Return the shape with dimensions `start` to `end`, both included, made one."""
    first, last = axis(start, len(shape)), axis(end, len(shape))
    if first > last:
        raise Fault(
            f"flatten: start_dim {start} comes after end_dim {end} in {text(shape)}", FaultCode.INVALID_ARGUMENT
        )
    return (*shape[:first], product(shape[first : last + 1]), *shape[last + 1 :])


def unflatten(shape: Sequence[Size], dim: Any, sizes: Sequence[Size]) -> Shape:
    """Return the shape with one dimension split into several, of which one may be -1."""
    place = axis(dim, len(shape))
    if not sizes:
        raise Fault("unflatten: sizes must be non-empty", FaultCode.INVALID_ARGUMENT)
    try:
        parts = reshape((shape[place],), sizes, "unflatten")
    except IndexError as error:
        raise IndexFault("unflatten: the tensor has no dimension", FaultCode.DIMENSION_OUT_OF_RANGE) from error
    except Fault as fault:
        if fault.code is FaultCode.SHAPE_MISMATCH:
            raise Fault(
                f"unflatten: sizes {text(sizes)} don't multiply up to the size {shape[place]} of dimension {place}",
                FaultCode.SHAPE_MISMATCH,
            ) from fault
        raise
    return (*shape[:place], *parts, *shape[place + 1 :])


def replaced(shape: Sequence[Size], place: int, *sizes: Size) -> Shape:
    """Return the shape with one dimension replaced by any number of others."""
    return (*shape[:place], *sizes, *shape[place + 1 :])


def squeeze(shape: Sequence[Size], dims: Iterable[int] | None, strict: bool = False) -> Shape:
    """Drop the given dimensions where their size is 1; None means all of them. `strict` rejects any other size."""
    if strict and dims is not None:
        return _without(shape, list(dims))
    named = range(len(shape)) if dims is None else set(dims)
    return tuple(s for i, s in enumerate(shape) if i not in named or not _is_one(s))


def _without(shape: Sequence[Size], places: Sequence[int]) -> Shape:
    for place in places:
        if equal(shape[place], 1) is False:
            raise ArgumentFault(
                f"squeeze: dimension {place} has size {shape[place]}, not 1: the tensor is {text(shape)}",
                FaultCode.SHAPE_MISMATCH,
            )
    return tuple(size for place, size in enumerate(shape) if place not in places)


def unsqueeze(shape: Sequence[Size], dims: Sequence[Any], extent: Size = 1) -> tuple[list[int], Shape]:
    """Return the places of new dimensions of one size, in order, and the shape with them."""
    places = sorted(axis(dim, len(shape) + len(dims)) for dim in dims)
    sizes = list(shape)
    for place in places:
        sizes.insert(place, extent)
    return places, tuple(sizes)


def _is_one(extent: Size) -> bool:
    answer = equal(extent, 1)
    if answer is None:
        if not is_known(extent):
            raise Undecidable(Unknown("whether a dimension of unknown size is 1 is not known"))
        session.current().assume_relation(Relation(">", extent, 1), "squeeze")
        return False
    return answer


def expand(shape: Sequence[Size], sizes: Sequence[Any], name: str = "expand") -> Shape:
    """Return the shape that repeats size-1 dimensions; -1 and undetermined keep what is there."""
    if len(sizes) < len(shape):
        raise Fault(
            f"{name}: {len(sizes)} sizes {text(sizes)} were given for a tensor {text(shape)} of {len(shape)} dimensions",
            FaultCode.ARGUMENT_LENGTH,
        )
    lead = len(sizes) - len(shape)
    result: list[Size] = []
    for place, wanted in enumerate(sizes):
        here = shape[place - lead] if place >= lead else None
        if isinstance(wanted, int) and wanted == -1:
            if here is None:
                raise Fault(
                    f"{name}: -1 isn't allowed in the leading, new dimension {place}", FaultCode.INVALID_ARGUMENT
                )
            result.append(here)
        elif less(wanted, 0) is True:
            raise Fault(f"{name}: invalid size {wanted} in dimension {place}", FaultCode.INVALID_ARGUMENT)
        elif here is None or equal(here, 1) is True:
            result.append(wanted)
        elif equal(here, wanted) is False and equal(here, 1) is False:
            raise Fault(
                f"{name}: a tensor {text(shape)} cannot be expanded to {text(sizes)}, "
                f"because size {here} in dimension {place} is neither 1 nor {wanted}",
                FaultCode.SHAPE_MISMATCH,
            )
        else:
            result.append(here if equal(here, 1) is False else wanted)
    return tuple(result)


def repeat(shape: Sequence[Size], counts: Sequence[Size]) -> Shape:
    """Return the shape repeated `counts` times in each dimension, new ones in front."""
    if len(counts) < len(shape):
        raise Fault(
            f"repeat: {len(counts)} counts {text(counts)} were given for a tensor {text(shape)}",
            FaultCode.ARGUMENT_LENGTH,
        )
    lead = len(counts) - len(shape)
    made = (*counts[:lead], *(s * c for s, c in zip(shape, counts[lead:])))
    if any(less(s, 0) is True for s in made):
        raise Fault(f"repeat: a count in {text(counts)} is negative", FaultCode.INVALID_ARGUMENT)
    return made


def tile(shape: Sequence[Size], counts: Sequence[Size]) -> tuple[list[Size], Shape]:
    """Return a count for each dimension, and the shape repeated so often; missing counts and dimensions are 1."""
    every = [*[1] * (len(shape) - len(counts)), *counts]
    return every, repeat(shape, every)


def swap(rank: int, dim1: Any, dim2: Any) -> list[int]:
    """Return the order of dimensions with two of them exchanged."""
    first, second = axis(dim1, rank), axis(dim2, rank)
    order = list(range(rank))
    if rank:
        order[first], order[second] = second, first
    return order


def rotate(shape: Sequence[Size], turns: int, first: int, second: int) -> Shape:
    """Return the shape turned by right angles in the plane of two dimensions."""
    order = swap(len(shape), first, second) if turns % 2 else range(len(shape))
    return tuple(shape[place] for place in order)


def permute(shape: Sequence[Size], dims: Sequence[Any], name: str = "permute") -> tuple[list[int], Shape]:
    """Return the order of dimensions and the shape in that order."""
    if len(dims) != len(shape):
        raise Fault(
            f"{name}: {len(dims)} dims {text(dims)} were given for a tensor {text(shape)}", FaultCode.ARGUMENT_LENGTH
        )
    order = axes(dims, len(shape), name)
    return order, tuple(shape[i] for i in order)


def move(rank: int, source: Sequence[Any], destination: Sequence[Any], name: str) -> list[int]:
    """Return the order of dimensions after moving some of them to new places."""
    if len(source) != len(destination):
        raise Fault(
            f"{name}: source {text(source)} and destination {text(destination)} have different lengths",
            FaultCode.ARGUMENT_LENGTH,
        )
    if not rank and source:  # a scalar's nominal dimension moves onto itself
        axes(source, rank, name), axes(destination, rank, name)
        return []
    moved = dict(zip(axes(destination, rank, name), axes(source, rank, name)))
    rest = iter(i for i in range(rank) if i not in moved.values())
    return [moved[i] if i in moved else next(rest) for i in range(rank)]


def diagonal(shape: Sequence[Size], offset: Any, dim1: Any, dim2: Any) -> tuple[int, int, Shape]:
    """Return both dimensions and the shape that has their diagonal as its last one."""
    first, second = axis(dim1, len(shape)), axis(dim2, len(shape))
    offset = integer(offset, "diagonal: offset")
    if first == second:
        raise Fault(f"diagonal: dimensions cannot be identical, but both are {dim1}", FaultCode.DUPLICATE_DIMENSION)
    rest = [s for i, s in enumerate(shape) if i not in (first, second)]
    return first, second, (*rest, diagonal_size(shape[first], shape[second], offset))


def diag(shape: Sequence[Size], offset: Any) -> Shape:
    """Return the shape of the matrix that has a vector on its diagonal, or of the diagonal of a matrix."""
    offset = integer(offset, "diag: diagonal")
    if len(shape) == 1:
        side = shape[0] + abs(offset)
        return side, side
    if len(shape) == 2:
        return diagonal(shape, offset, 0, 1)[2]
    raise Fault(f"diag: expects a 1-D or 2-D tensor, but input is {text(shape)}", FaultCode.WRONG_RANK)


def diagonal_size(rows: Size, columns: Size, offset: Size) -> Size:
    """Return how many elements a matrix has on its diagonal, counted `offset` to the right."""
    side = minimum(rows, columns - offset) if offset >= 0 else minimum(rows + offset, columns)
    return maximum(side, 0)


def windows(extent: Size, length: Size, step: Size) -> Size:
    """Return how many windows of `length` fit into `extent`, each `step` after the one before."""
    if less(extent, length) is True:
        raise Fault(
            f"unfold: windows have size {length}, but the dimension has only {extent}", FaultCode.SHAPE_MISMATCH
        )
    if less(0, step) is False:
        raise Fault(f"unfold: step must be greater than zero, but is {step}", FaultCode.INVALID_ARGUMENT)
    return floordiv(extent - length, step) + 1


def narrow(extent: Size, start: Any, length: Size) -> Size:
    """Check a part of a dimension against its extent and return its length."""
    if less(length, 0) is True:
        raise Fault(f"narrow: length must be non-negative, but is {length}", FaultCode.INVALID_ARGUMENT)
    if less(extent, start) is True or less(start, -extent) is True:
        raise IndexFault(
            f"narrow: start {start} is out of range for a dimension of size {extent}", FaultCode.INDEX_OUT_OF_RANGE
        )
    begin = start + extent if less(start, 0) is True else start
    if less(extent, begin + length) is True:
        raise Fault(
            f"narrow: start ({begin}) + length ({length}) exceeds the dimension size ({extent})",
            FaultCode.INDEX_OUT_OF_RANGE,
        )
    return length


def chunk(extent: Size, chunks: Any) -> list[Size]:
    """Return the sizes of at most `chunks` equal parts; the last may be smaller."""
    if less(0, chunks) is False:
        raise Fault(f"chunk: chunks must be greater than 0, but is {chunks}", FaultCode.INVALID_ARGUMENT)
    if not isinstance(chunks, int):
        raise Undecidable(Unknown(f"into how many chunks a tensor is split depends on {chunks}"))
    if isinstance(extent, int):
        return split(extent, -(-extent // chunks)) if extent else [0] * chunks
    if chunks == 1:
        return [extent]
    if equal(mod(extent, chunks), 0) is True:
        return [floordiv(extent, chunks)] * chunks
    if not is_known(extent):
        raise Undecidable(Unknown(f"into how many chunks the size {extent} splits is not known"))
    if chunks != 2:
        if not session.current().assume_relation(Relation("==", mod(extent, chunks), 0), "chunk"):
            raise Undecidable(Unknown(f"into how many chunks the size {extent} splits is not known"))
        return [floordiv(rewritten(extent), chunks)] * chunks
    several = less(1, extent)
    if several is False:
        return [extent]
    if several is None:
        session.current().assume_relation(Relation(">", extent, 1), "chunk")
    return [floordiv(extent + 1, 2), floordiv(extent, 2)]


def split(extent: Size, part: Size) -> list[Size]:
    """Return the sizes of parts of size `part`; the last may be smaller."""
    if less(part, 0) is True:
        raise Fault(f"split: split_size must be non-negative, but is {part}", FaultCode.INVALID_ARGUMENT)
    if equal(part, 0) is True and equal(extent, 0) is False:
        raise Fault(
            f"split: split_size can only be 0 if the dimension is empty, but it has size {extent}",
            FaultCode.INVALID_ARGUMENT,
        )
    if equal(extent, 0) is True:
        return [0]
    if equal(extent, part) is True:
        return [extent]
    count = floordiv(extent, part)
    rest = extent - count * part
    if not isinstance(count, int) or equal(rest, 0) is None:
        raise Undecidable(Unknown(f"into how many parts of {part} the size {extent} splits is not known"))
    session.current().limit_parts(count, "parts of a tensor")
    parts: list[Size] = [part] * count
    return parts if equal(rest, 0) else [*parts, rest]


def split_sizes(extent: Size, sizes: Sequence[Size]) -> list[Size]:
    """Check the sizes of parts against the whole."""
    total: Size = 0
    for part in sizes:
        if less(part, 0) is True:
            raise Fault(f"split: sizes must be non-negative, but they are {text(sizes)}", FaultCode.INVALID_ARGUMENT)
        total = total + part
    if not session.require_equal(total, extent, "split"):
        raise Fault(
            f"split: sizes {text(sizes)} sum to {total}, but the dimension has size {extent}", FaultCode.SHAPE_MISMATCH
        )
    return list(sizes)


def filled_sizes(extent: Size, sizes: Sequence[Size]) -> list[Size]:
    """Return the sizes of parts, with a -1 replaced by what is left of the whole."""
    others: Size = 0
    for part in sizes:
        others = others if isinstance(part, int) and part == -1 else others + part
    return [extent - others if isinstance(part, int) and part == -1 else part for part in sizes]


def equal_parts(extent: Size, count: Any, name: str) -> list[Size]:
    """Return the sizes of exactly `count` equal parts."""
    if not isinstance(count, int):
        raise Undecidable(Unknown("the number of parts of a split is not known"))
    if count <= 0 or equal(mod(extent, count), 0) is False:
        raise ArgumentFault(
            f"{name}: {count} equal parts do not divide a dimension of size {extent}", FaultCode.SHAPE_MISMATCH
        )
    session.current().limit_parts(count, "parts of a tensor")
    return [floordiv(extent, count)] * count


def parts_between(extent: Size, places: Sequence[Size]) -> list[Size]:
    """Return the sizes of the parts before, between and after places."""
    return [end - start for start, end in zip([0, *places], [*places, extent])]


def even_parts(extent: Size, sections: int) -> list[Size]:
    """Return exactly `sections` sizes that differ by at most one, the larger first."""
    if sections <= 0:
        raise Fault(f"number of sections must be larger than 0, got {sections}", FaultCode.INVALID_ARGUMENT)
    session.current().limit_parts(sections, "parts of a tensor")
    part, rest = floordiv(extent, sections), mod(extent, sections)
    if not isinstance(rest, int):
        return [floordiv(extent - i + sections - 1, sections) for i in range(sections)]
    return [part + 1 if i < rest else part for i in range(sections)]


def cut(places: Sequence[Size]) -> list[slice]:
    """Return the slices before, between and after places."""
    return [slice(a, b) for a, b in zip([0, *places], [*places, None])]


def same_items(itemsize: int, wanted: int, shape: Sequence[Size]) -> Shape:
    """Return the shape of the same bytes read as items of another size."""
    if itemsize == wanted:
        return tuple(shape)
    if not shape:
        raise Fault(
            "view: a tensor without dimensions cannot be viewed as a dtype of another size", FaultCode.WRONG_RANK
        )
    if itemsize > wanted:
        return (*shape[:-1], shape[-1] * (itemsize // wanted))
    ratio = wanted // itemsize
    if equal(mod(shape[-1], ratio), 0) is False:
        raise Fault(
            f"view: the last dimension has size {shape[-1]}, which must be divisible by {ratio} for the wider dtype",
            FaultCode.SHAPE_MISMATCH,
        )
    return (*shape[:-1], floordiv(shape[-1], ratio))


def matrix(shape: Sequence[Size], name: str) -> tuple[Size, Size]:
    """Return rows and columns of the last two dimensions."""
    if len(shape) < 2:
        raise Fault(f"{name}: input must have at least 2 dimensions, but is {text(shape)}", FaultCode.WRONG_RANK)
    return shape[-2], shape[-1]


def positive(value: Any, name: str, what: str) -> Any:
    """Check that a count is not negative."""
    if less(value, 0) is True:
        raise ArgumentFault(f"{name}: {what} must be non-negative, but is {value}", FaultCode.INVALID_ARGUMENT)
    return value
