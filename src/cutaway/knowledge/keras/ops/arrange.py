"""Functions that rearrange, join, split and repeat tensors."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Dim, equal, product, unknown_size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.keras.tensors.dtypes import promote
from cutaway.knowledge.keras.tensors.op import Out, compute, op
from cutaway.knowledge.keras.tensors.shape import size_of, sizes_of
from cutaway.knowledge.keras.tensors.tensor import convert
from cutaway.ops import join, reshape
from cutaway.ops.elementwise import expands_to, written
from cutaway.ops.pad import pad as pad_shape


def known_rank(x: Any) -> Any:
    """Return a value as a tensor whose number of dimensions is known, or raise `Undecidable`."""
    x = convert(x)
    if isinstance(x._shape, Unknown):
        raise Undecidable(x._shape)
    return x


def given_sizes(shape: Any) -> tuple[Any, ...]:
    """Return the sizes of a shape argument; None, which only symbolic tensors allow, is a -1."""
    return tuple(-1 if size is None else size for size in sizes_of(shape))


@op("keras.ops.reshape")
def reshape_(x, newshape):
    x = known_rank(x)
    shape = reshape.reshape(x._shape, given_sizes(newshape), "reshape")
    values = compute(lambda np, a: a.reshape(shape), x) if all(isinstance(s, int) for s in shape) else None
    return Out(shape, x._dtype, values, view=True)


@op("keras.ops.ravel")
def ravel(x):
    x = known_rank(x)
    return Out((product(x._shape),), x._dtype, compute(lambda np, a: a.ravel(), x), view=True)


@op("keras.ops.transpose")
def transpose(x, axes=None):
    x = known_rank(x)
    order = list(sizes_of(axes)) if axes is not None else list(range(len(x._shape)))[::-1]
    if len(order) != len(x._shape):
        raise ArgumentFault(
            f"transpose: axes {tuple(order)} are for {len(order)} dimensions, but the tensor is {written(x._shape)}",
            FaultCode.ARGUMENT_LENGTH,
        )
    places, shape = reshape.permute(x._shape, order, "transpose")
    return Out(shape, x._dtype, compute(lambda np, a: a.transpose(places), x))


@op("keras.ops.swapaxes")
def swapaxes(x, axis1, axis2):
    x = known_rank(x)
    order = reshape.swap(len(x._shape), axis1, axis2)
    return Out([x._shape[i] for i in order], x._dtype, compute(lambda np, v: v.transpose(order), x))


@op("keras.ops.moveaxis")
def moveaxis(x, source, destination):
    x = known_rank(x)
    sources = source if isinstance(source, (list, tuple)) else [source]
    targets = destination if isinstance(destination, (list, tuple)) else [destination]
    order = reshape.move(len(x._shape), sources, targets, "moveaxis")
    return Out([x._shape[i] for i in order], x._dtype, compute(lambda np, v: v.transpose(order), x))


@op("keras.ops.expand_dims")
def expand_dims(x, axis):
    x = known_rank(x)
    dims = [size_of(a) for a in (axis if isinstance(axis, (list, tuple)) else [axis])]
    places, shape = reshape.unsqueeze(x._shape, dims)
    return Out(shape, x._dtype, compute(lambda np, v: np.expand_dims(v, tuple(places)), x), view=True)


@op("keras.ops.squeeze")
def squeeze(x, axis=None):
    x = known_rank(x)
    dims = None if axis is None else axis if isinstance(axis, (list, tuple)) else [axis]
    places = None if dims is None else tuple(reshape.axis(a, len(x._shape)) for a in dims)
    shape = reshape.squeeze(x._shape, places, strict=True)
    return Out(shape, x._dtype, compute(lambda np, v: np.squeeze(v, places), x), view=True)


@op("keras.ops.concatenate")
def concatenate(xs, axis=0):
    tensors = [known_rank(x) for x in xs]
    if not tensors:
        raise ArgumentFault("concatenate: there is nothing to join", FaultCode.INVALID_ARGUMENT)
    place = reshape.axis(size_of(axis), len(tensors[0]._shape))
    shape = join.concatenate([t._shape for t in tensors], place, "concatenate")
    values = None
    if all(t._values is not None for t in tensors):
        values = compute(lambda np, *a: np.concatenate(a, axis=place), *tensors)
    sizes = None
    if len(shape) == 1 and any(t._sizes is not None for t in tensors):
        sizes = tuple(size for t in tensors for size in t.sizes())
    return Out(shape, promote(*(t._dtype for t in tensors)), values, sizes=sizes)


@op("keras.ops.stack")
def stack(x, axis=0):
    tensors = [known_rank(t) for t in x]
    _, shape = join.stack([t._shape for t in tensors], size_of(axis))
    values = None
    if all(t._values is not None for t in tensors):
        values = compute(lambda np, *a: np.stack(a, axis=axis), *tensors)
    sizes = None
    if len(shape) == 1 and any(t._sizes is not None for t in tensors):
        sizes = tuple(t.sizes() for t in tensors)
    return Out(shape, promote(*(t._dtype for t in tensors)), values, sizes=sizes)


def _joined(name: str, least: int, axis: int) -> Any:
    def rule(xs: Any) -> Out:
        tensors = [known_rank(x) for x in xs]
        shapes = [t._shape if len(t._shape) >= least else _at_least(t._shape, least, axis) for t in tensors]
        place = 0 if name == "hstack" and len(shapes[0]) == 1 else axis
        return Out(join.concatenate(shapes, place, name), promote(*(t._dtype for t in tensors)))

    rule.__name__ = name
    return rule


def _at_least(shape: Any, least: int, axis: int) -> Any:
    return (1, *shape) if len(shape) == 1 else (1,) * (least - len(shape)) + tuple(shape)


op("keras.ops.hstack")(_joined("hstack", 1, 1))
op("keras.ops.vstack")(_joined("vstack", 2, 0))


def parts(name: str, extent: Any, indices_or_sections: Any) -> list[Any]:
    """Return the sizes of the parts that a dimension is split into."""
    if isinstance(indices_or_sections, (list, tuple)) or hasattr(indices_or_sections, "sizes"):
        return reshape.parts_between(extent, sizes_of(indices_or_sections))
    return reshape.equal_parts(extent, size_of(indices_or_sections), name)


def along(x: Any, place: int, sizes: list[Any]) -> list[Out]:
    """Return a tensor for each size of one of its dimensions."""
    return [Out(reshape.replaced(x._shape, place, size), x._dtype) for size in sizes]


@op("keras.ops.split")
def split(x, indices_or_sections, axis=0):
    x = known_rank(x)
    place = reshape.axis(axis, len(x._shape))
    return along(x, place, parts("split", x._shape[place], indices_or_sections))


@op("keras.ops.array_split")
def array_split(x, indices_or_sections, axis=0):
    x = known_rank(x)
    place = reshape.axis(axis, len(x._shape))
    return along(x, place, reshape.even_parts(x._shape[place], size_of(indices_or_sections)))


@op("keras.ops.unstack")
def unstack(x, num=None, axis=0):
    x = known_rank(x)
    place = reshape.axis(axis, len(x._shape))
    count = num if num is not None else x._shape[place]
    if not isinstance(count, int):
        raise Undecidable(Unknown(f"unstack: the size {count} is not a known number"))
    if equal(x._shape[place], count) is False:
        raise ArgumentFault(
            f"unstack: num is {count}, but dimension {place} has size {x._shape[place]}", FaultCode.SHAPE_MISMATCH
        )
    kept = reshape.replaced(x._shape, place)
    held = x._sizes if isinstance(x._sizes, tuple) and len(x._shape) == 1 else [None] * count
    return [Out(kept, x._dtype, sizes=size) for size in held]


@op("keras.ops.tile")
def tile(x, repeats):
    x = known_rank(x)
    return Out(reshape.tile(x._shape, given_sizes(repeats))[1], x._dtype)


@op("keras.ops.repeat")
def repeat(x, repeats, axis=None):
    x = known_rank(x)
    shape = (product(x._shape),) if axis is None else tuple(x._shape)
    place = 0 if axis is None else reshape.axis(axis, len(shape))
    counts = sizes_of(repeats)
    total = shape[place] * counts[0] if len(counts) == 1 else sum(counts)
    return Out(reshape.replaced(shape, place, total), x._dtype)


@op("keras.ops.broadcast_to")
def broadcast_to(x, shape):
    x = known_rank(x)
    wanted = given_sizes(shape)
    if expands_to(x._shape, wanted) is False:
        raise ArgumentFault(
            f"broadcast_to: {written(x._shape)} does not broadcast to {written(wanted)}", FaultCode.SHAPE_MISMATCH
        )
    return Out(wanted, x._dtype, compute(lambda np, a: np.broadcast_to(a, wanted), x))


@op("keras.ops.pad")
def pad(x, pad_width, mode="constant", constant_values=None):
    x = known_rank(x)
    return Out(pad_shape("pad", tuple(x._shape), pad_amounts(pad_width, len(x._shape))), x._dtype)


def pad_amounts(pad_width: Any, rank: int) -> list[Any]:
    """Return amounts before and after each dimension, the last first."""
    if hasattr(pad_width, "tolist"):
        pad_width = pad_width.tolist()
    if isinstance(pad_width, (int, Dim)):
        pairs: Any = [(pad_width, pad_width)] * rank
    elif all(isinstance(size, (int, Dim)) for size in pad_width):
        before, after = (pad_width[0], pad_width[-1])
        pairs = [(before, after)] * rank
    else:
        pairs = [tuple(sizes_of(pair)) for pair in pad_width]
        if len(pairs) == 1:
            pairs = pairs * rank
    if len(pairs) != rank:
        raise ArgumentFault(
            f"pad: {len(pairs)} pairs of amounts for a tensor of {rank} dimensions", FaultCode.ARGUMENT_LENGTH
        )
    return [amount for pair in reversed(pairs) for amount in (pair[0], pair[-1])]


@op("keras.ops.flip")
def flip(x, axis=None):
    x = convert(x)
    return Out(x._shape, x._dtype, compute(lambda np, a: np.flip(a, axis), x))


@op("keras.ops.roll")
def roll(x, shift, axis=None):
    x = convert(x)
    return Out(x._shape, x._dtype)


@op("keras.ops.sort")
def sort(x, axis=-1):
    x = convert(x)
    return Out(x._shape, x._dtype)


@op("keras.ops.argsort")
def argsort(x, axis=-1):
    x = known_rank(x)
    return Out((product(x._shape),) if axis is None else x._shape, "int32")


@op("keras.ops.tril")
def tril(x, k=0):
    x = convert(x)
    return Out(x._shape, x._dtype)


@op("keras.ops.triu")
def triu(x, k=0):
    x = convert(x)
    return Out(x._shape, x._dtype)


@op("keras.ops.rot90")
def rot90(array, k=1, axes=(0, 1)):
    x = known_rank(array)
    first, second = (reshape.axis(axis, len(x._shape)) for axis in axes)
    return Out(reshape.rotate(x._shape, k, first, second), x._dtype)


@op("keras.ops.diag")
def diag(x, k=0):
    x = known_rank(x)
    return Out(reshape.diag(x._shape, k), x._dtype)


@op("keras.ops.diagonal")
def diagonal(x, offset=0, axis1=0, axis2=1):
    x = known_rank(x)
    return Out(reshape.diagonal(x._shape, offset, axis1, axis2)[2], x._dtype)


@op("keras.ops.meshgrid")
def meshgrid(*x, indexing="xy"):
    tensors = [known_rank(t) for t in x]
    sizes = [product(t._shape) for t in tensors]
    if indexing == "xy" and len(sizes) > 1:
        sizes[0], sizes[1] = sizes[1], sizes[0]
    return [Out(sizes, t._dtype) for t in tensors]


@op("keras.ops.nonzero")
def nonzero(x):
    x = known_rank(x)
    count = unknown_size()
    return tuple(Out((count,), "int32") for _ in x._shape)
