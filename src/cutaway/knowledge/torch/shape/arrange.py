"""Rows that pick, repeat or rearrange elements by their position along dimensions."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import Fault, IndexFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, less, product, unknown_size
from cutaway.core.unknown import Unknown
from cutaway.knowledge.torch.shape.reshape import same, sizes_of, spread
from cutaway.knowledge.torch.tensor.op import Out, compute, op
from cutaway.knowledge.torch.tensor.tensor import Tensor, strides_of
from cutaway.knowledge.torch.tensor.types import int32, int64
from cutaway.ops import reshape as rule
from cutaway.ops.index import position


def along(place: int, item: Any) -> tuple[Any, ...]:
    """Return the index that applies `item` to one dimension."""
    return (slice(None),) * place + (item,)


@op("torch.repeat_interleave", "torch.Tensor.repeat_interleave")
def repeat_interleave(input=None, repeats=None, dim=None, *, output_size=None):
    if input is None or repeats is None:
        return _counted(repeats if input is None else input, output_size)
    shape = tuple(input.shape)
    if dim is None:
        shape, dim = (product(shape),), 0
    place = rule.axis(dim, len(shape))
    if not shape:
        shape = (1,)
    extent = shape[place]
    if not isinstance(repeats, Tensor):
        count = rule.positive(rule.size(repeats), "repeat_interleave", "repeats")
        total = extent * count
    else:
        total = _interleaved(repeats, extent, output_size)
    values = compute(lambda np, a, r: np.repeat(a.reshape(shape), r, place), input, repeats)
    return Out(rule.replaced(shape, place, total), input.dtype, values)


def _interleaved(repeats: Any, extent: Any, output_size: Any) -> Any:
    if repeats.dtype not in (int64, int32):
        raise Fault(
            f"repeat_interleave: repeats must be int32 or int64, but are {repeats.dtype}", FaultCode.UNSUPPORTED_DTYPE
        )
    if len(repeats.shape) > 1:
        raise Fault(
            f"repeat_interleave: repeats must be 0-D or 1-D, but are {rule.text(repeats.shape)}",
            FaultCode.WRONG_RANK,
        )
    count = repeats.shape[0] if repeats.shape else 1
    if equal(count, 1) is False and equal(count, extent) is False:
        raise Fault(
            f"repeat_interleave: {count} repeats were given for a dimension of size {extent}", FaultCode.SHAPE_MISMATCH
        )
    if repeats.values_ is not None:
        total = int(repeats.array().sum())
        return total * extent if equal(count, 1) is True else total
    return unknown_size() if output_size is None else rule.size(output_size)


def _counted(repeats: Any, output_size: Any) -> Out:
    if len(repeats.shape) != 1:
        raise Fault(f"repeat_interleave: repeats must be 1-D, but are {rule.text(repeats.shape)}", FaultCode.WRONG_RANK)
    total = _interleaved(repeats, repeats.shape[0], output_size)
    return Out((total,), repeats.dtype, compute(lambda np, r: np.repeat(np.arange(len(r)), r), repeats))


@op("torch.Tensor.unfold")
def unfold(self, dimension, size, step):
    place = rule.axis(dimension, len(self.shape))
    size, step = rule.size(size), rule.size(step)
    extent = self.shape[place] if self.shape else 1
    if less(size, 0) is True:
        raise Fault(f"unfold: size must be non-negative, but is {size}", FaultCode.INVALID_ARGUMENT)
    count = rule.windows(extent, size, step)
    shape = (*rule.replaced(self.shape, place, count), size) if self.shape else (size,)

    def apply(np: Any, a: Any) -> Any:
        starts = np.arange(count) * step
        if not a.ndim or not size:
            return a.reshape(-1)[:size]
        return np.stack([np.take(a, starts + i, place) for i in range(size)], -1)

    return same(self, shape, apply)


@op("torch.as_strided", "torch.Tensor.as_strided")
def as_strided(input, size, stride, storage_offset=None):
    shape = sizes_of(size, "as_strided")
    if len(shape) != len(list(stride)):
        raise Fault(f"as_strided: {len(shape)} sizes and {len(stride)} strides were given", FaultCode.ARGUMENT_LENGTH)
    return Out(shape, input.dtype, view=True)


@op("torch.narrow", "torch.Tensor.narrow", "torch.narrow_copy", "torch.Tensor.narrow_copy")
def narrow(input, dim, start, length):
    if not input.shape:
        raise Fault("narrow: cannot be applied to a tensor without dimensions", FaultCode.DIMENSION_OUT_OF_RANGE)
    place = rule.axis(dim, len(input.shape))
    if isinstance(start, Tensor) and start.values_ is None:
        start = Unknown("a number in a tensor")
    if isinstance(start, Unknown):
        return Out(rule.replaced(input.shape, place, rule.size(length)), input.dtype, view=True)
    start, extent = rule.integer(start, "narrow: start"), input.shape[place]
    length = rule.narrow(extent, start, rule.size(length))

    def apply(np: Any, a: Any) -> Any:
        begin = start + extent if start < 0 else start
        return a[along(place, slice(begin, begin + length))]

    return same(input, rule.replaced(input.shape, place, length), apply, strides=strides_of(input))


@op("torch.select", "torch.Tensor.select")
def select(input, dim, index):
    if not input.shape:
        raise IndexFault("select: cannot be applied to a tensor without dimensions", FaultCode.DIMENSION_OUT_OF_RANGE)
    place = rule.axis(dim, len(input.shape))
    position(index, input.shape[place], place, "select")
    strides = strides_of(input)
    kept = None if strides is None else rule.replaced(strides, place)
    return same(input, rule.replaced(input.shape, place), lambda np, a: a[along(place, int(index))], strides=kept)


@op("torch.diagonal", "torch.Tensor.diagonal")
def diagonal(input, offset=0, dim1=0, dim2=1):
    first, second, shape = rule.diagonal(input.shape, offset, dim1, dim2)
    return same(input, shape, lambda np, a: np.diagonal(a, offset, first, second))


@op("torch.diag", "torch.Tensor.diag")
def diag(input, diagonal=0):
    shape = rule.diag(input.shape, diagonal)
    if len(shape) == 2:
        return Out(shape, input.dtype, compute(lambda np, a: np.diag(a, diagonal), input))
    return same(input, shape, lambda np, a: np.diagonal(a, diagonal))


@op("torch.diagflat", "torch.Tensor.diagflat")
def diagflat(input, offset=0):
    side = product(input.shape) + abs(rule.integer(offset, "diagflat: offset"))
    return Out((side, side), input.dtype, compute(lambda np, a: np.diag(a.reshape(-1), offset), input))


@op("torch.diag_embed", "torch.Tensor.diag_embed")
def diag_embed(input, offset=0, dim1=-2, dim2=-1):
    rank = len(input.shape) + 1
    if rank == 1:
        raise IndexFault(
            "diag_embed: cannot be applied to a tensor without dimensions", FaultCode.DIMENSION_OUT_OF_RANGE
        )
    first, second = rule.axis(dim1, rank), rule.axis(dim2, rank)
    if first == second:
        raise Fault(f"diag_embed: dimensions cannot be identical, but both are {dim1}", FaultCode.DUPLICATE_DIMENSION)
    side = input.shape[-1] + abs(rule.integer(offset, "diag_embed: offset"))
    rest = iter(input.shape[:-1])
    shape = [side if i in (first, second) else next(rest) for i in range(rank)]

    def apply(np: Any, a: Any) -> Any:
        made = np.zeros((*a.shape[:-1], side, side), a.dtype)
        places = np.arange(a.shape[-1])
        made[..., places + max(-offset, 0), places + max(offset, 0)] = a
        return np.moveaxis(made, (-2, -1), (first, second))

    return Out(shape, input.dtype, compute(apply, input))


def _offset(diagonal: Any) -> Any:
    return diagonal if isinstance(diagonal, Unknown) else rule.integer(diagonal, "diagonal")


@op("torch.tril", "torch.Tensor.tril", inplace=True)
def tril(input, diagonal=0):
    rule.matrix(input.shape, "tril")
    diagonal = _offset(diagonal)
    return Out(input.shape, input.dtype, compute(lambda np, a, k: np.tril(a, k), input, diagonal))


@op("torch.triu", "torch.Tensor.triu", inplace=True)
def triu(input, diagonal=0):
    rule.matrix(input.shape, "triu")
    diagonal = _offset(diagonal)
    return Out(input.shape, input.dtype, compute(lambda np, a, k: np.triu(a, k), input, diagonal))


def _flipped(input: Any, dims: Any) -> Out:
    places = tuple(rule.axes(dims, len(input.shape), "flip"))
    values = compute(lambda np, a: np.flip(a, places) if a.ndim else a, input)
    return Out(input.shape, input.dtype, values)


@op("torch.flip")
def flip(input, dims):
    return _flipped(input, spread([dims], {}))


@op("torch.Tensor.flip")
def tensor_flip(self, *dims, **named):
    return _flipped(self, spread(dims, named, "dims"))


@op("torch.fliplr", "torch.Tensor.fliplr")
def fliplr(input):
    if len(input.shape) < 2:
        raise Fault(
            f"fliplr: input must have at least 2 dimensions, but is {rule.text(input.shape)}", FaultCode.WRONG_RANK
        )
    return _flipped(input, [1])


@op("torch.flipud", "torch.Tensor.flipud")
def flipud(input):
    if not input.shape:
        raise Fault("flipud: input must have at least 1 dimension", FaultCode.WRONG_RANK)
    return _flipped(input, [0])


@op("torch.rot90", "torch.Tensor.rot90", strided=True)
def rot90(input, k=1, dims=(0, 1)):
    rank = len(input.shape)
    if len(dims) != 2 or rank < 2:
        raise Fault(f"rot90: needs 2 dims and at least 2 dimensions, but got dims {rule.text(dims)} and a tensor "
                    f"{rule.text(input.shape)}", FaultCode.INVALID_ARGUMENT)  # fmt: skip
    first, second = rule.axes(dims, rank, "rot90")
    shape = rule.rotate(input.shape, k, first, second)
    return Out(shape, input.dtype, compute(lambda np, a: np.rot90(a, k, (first, second)), input))


@op("torch.roll", "torch.Tensor.roll")
def roll(input, shifts, dims=()):
    shifts, dims = spread([shifts], {}), spread([() if dims is None else dims], {})
    if not shifts:
        raise Fault("roll: shifts are required", FaultCode.MISSING_ARGUMENT)
    if len(shifts) != len(dims) and (dims or len(shifts) != 1):
        raise Fault(f"roll: {len(shifts)} shifts and {len(dims)} dims were given", FaultCode.ARGUMENT_LENGTH)
    if equal(product(input.shape), 0) is True:
        return Out(input.shape, input.dtype, compute(lambda np, a: a, input))
    if dims and not input.shape:
        raise IndexFault("roll: a tensor without dimensions has no dim", FaultCode.DIMENSION_OUT_OF_RANGE)
    places = [rule.axis(d, len(input.shape)) for d in dims]

    def apply(np: Any, a: Any, *by: Any) -> Any:
        return np.roll(a, by, places) if places and a.ndim else a if not a.ndim else np.roll(a, by[0])

    return Out(input.shape, input.dtype, compute(apply, input, *shifts))
