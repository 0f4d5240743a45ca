"""Shapes, joining, splitting, gathering, and constants."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Dim, equal, product, unknown_size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.base.values import Lazy
from cutaway.knowledge.keras.ops.arrange import along, given_sizes, known_rank, pad_amounts
from cutaway.knowledge.keras.tensors.dtypes import DTYPES, standardize
from cutaway.knowledge.keras.tensors.op import Out, compute
from cutaway.knowledge.keras.tensors.shape import size_of, sizes_of, text
from cutaway.knowledge.keras.tensors.tensor import Tensor, convert
from cutaway.knowledge.tensorflow.rows import rule, tf
from cutaway.ops import reshape as shapes
from cutaway.ops.pad import pad as pad_shape


@tf("shape")
def shape(input, out_type="int32", name=None):
    x = convert(input)
    if isinstance(x._shape, Unknown):
        raise Undecidable(x._shape)
    return Out((len(x._shape),), standardize(out_type), sizes=tuple(x._shape))


@tf("rank")
def rank(input, name=None):
    return Out((), DTYPES["int32"], sizes=len(known_rank(input)._shape))


@tf("size")
def size(input, out_type="int32", name=None):
    return Out((), standardize(out_type), sizes=product(known_rank(input)._shape))


@tf("reshape")
def reshape(tensor, shape, name=None):
    x = known_rank(tensor)
    made = shapes.reshape(x._shape, given_sizes(shape), "reshape")
    values = compute(lambda np, a: a.reshape(made), x) if all(isinstance(s, int) for s in made) else None
    return Out(made, x._dtype, values, view=True)


@tf("transpose")
def transpose(a, perm=None, conjugate=False, name="transpose"):
    return rule("transpose")(a, perm)


@tf("expand_dims")
def expand_dims(input, axis=None, name=None, dim=None):
    return rule("expand_dims")(input, dim if axis is None else axis)


@tf("squeeze")
def squeeze(input, axis=None, name=None, squeeze_dims=None):
    return rule("squeeze")(input, squeeze_dims if axis is None else axis)


@tf("concat")
def concat(values, axis=0, name="concat"):
    if isinstance(values, (int, Dim)):  # the order of arguments before TensorFlow 1.0
        values, axis = axis, values
    return rule("concatenate")(values if isinstance(values, (list, tuple)) else [values], axis)


@tf("stack", "pack")
def stack(values, axis=0, name="stack"):
    return rule("stack")(values, axis)


@tf("unstack", "unpack")
def unstack(value, num=None, axis=0, name="unstack"):
    return rule("unstack")(value, num, axis)


@tf("split")
def split(value, num_or_size_splits, axis=0, num=None, name="split", split_dim=None):
    if isinstance(value, (int, Dim)):  # the order of arguments before TensorFlow 1.0
        value, num_or_size_splits, axis = axis, num_or_size_splits, value
    x = known_rank(value)
    place = shapes.axis(size_of(axis), len(x._shape))
    extent = x._shape[place]
    is_list = isinstance(num_or_size_splits, (list, tuple))
    if is_list or (isinstance(num_or_size_splits, Tensor) and num_or_size_splits._shape):
        sizes = shapes.filled_sizes(extent, sizes_of(num_or_size_splits))
        if equal(sum(sizes), extent) is False:
            raise ArgumentFault(
                f"split: parts of {text(sizes)} are {sum(sizes)} together, but dimension {place} has size {extent}",
                FaultCode.SHAPE_MISMATCH,
            )
    else:
        sizes = shapes.equal_parts(extent, size_of(num_or_size_splits), "split")
    return along(x, place, sizes)


@tf("tile")
def tile(input, multiples, name=None):
    x = known_rank(input)
    counts = given_sizes(multiples)
    if len(counts) != len(x._shape):
        raise ArgumentFault(
            f"tile: {len(counts)} multiples for a tensor of {len(x._shape)} dimensions", FaultCode.ARGUMENT_LENGTH
        )
    return Out(shapes.tile(x._shape, counts)[1], x._dtype)


@tf("repeat")
def repeat(input, repeats, axis=None, name=None):
    return rule("repeat")(input, repeats, axis)


@tf("pad")
def pad(tensor, paddings, mode="CONSTANT", constant_values=0, name=None):
    x = known_rank(tensor)
    amounts = paddings.array().tolist() if isinstance(paddings, Tensor) else paddings
    if isinstance(amounts, (list, tuple)) and len(amounts) != len(x._shape):
        raise ArgumentFault(
            f"pad: {len(amounts)} paddings for a tensor of {len(x._shape)} dimensions", FaultCode.ARGUMENT_LENGTH
        )
    return Out(pad_shape("pad", tuple(x._shape), pad_amounts(amounts, len(x._shape))), x._dtype)


@tf("reverse", "reverse_v2")
def reverse(tensor, axis, name=None):
    x = convert(tensor)
    return Out(x._shape, x._dtype)


@tf("roll")
def roll(input, shift, axis, name=None):
    x = convert(input)
    return Out(x._shape, x._dtype)


@tf("sort")
def sort(values, axis=-1, direction="ASCENDING", name=None):
    x = convert(values)
    return Out(x._shape, x._dtype)


@tf("argsort")
def argsort(values, axis=-1, direction="ASCENDING", stable=False, name=None):
    return Out(convert(values)._shape, DTYPES["int32"])


@tf("broadcast_to")
def broadcast_to(input, shape, name=None):
    return rule("broadcast_to")(input, shape)


@tf("gather", "nn.embedding_lookup")
def gather(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None, **_former):
    x, at = known_rank(params), known_rank(indices)
    place = shapes.axis(batch_dims if axis is None else size_of(axis), len(x._shape))
    kept = at._shape[batch_dims:] if isinstance(batch_dims, int) else at._shape
    return Out(shapes.replaced(x._shape, place, *kept), x._dtype)


@tf("gather_nd")
def gather_nd(params, indices, batch_dims=0, name=None):
    x, at = known_rank(params), known_rank(indices)
    depth = at._shape[-1]
    if not isinstance(depth, int):
        raise Undecidable(Unknown("gather_nd: the depth of the indices is not known"))
    return Out((*at._shape[:-1], *x._shape[batch_dims + depth :]), x._dtype)


@tf("boolean_mask")
def boolean_mask(tensor, mask, axis=None, name="boolean_mask"):
    x, m = known_rank(tensor), known_rank(mask)
    start = axis or 0
    return Out((*x._shape[:start], unknown_size(), *x._shape[start + len(m._shape) :]), x._dtype)


@tf("slice")
def slice_(input_, begin, size, name=None):
    return rule("slice")(input_, begin, size)


@tf("one_hot")
def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    return rule("one_hot")(indices, depth, -1 if axis is None else axis, dtype)


@tf("constant", "convert_to_tensor")
def constant(value, dtype=None, shape=None, name="Const", **_former):
    if isinstance(dtype, (list, tuple)):
        dtype, shape = None, dtype
    made = convert(value, dtype)
    if shape is None:
        return Out(made._shape, made._dtype, made._values, sizes=made._sizes)
    wanted = sizes_of(shape)
    if made._shape and equal(product(made._shape), product(wanted)) is False:
        raise ArgumentFault(
            f"constant: a value of shape {text(made._shape)} does not have the {product(wanted)} elements of shape {text(wanted)}",
            FaultCode.SHAPE_MISMATCH,
        )
    return Out(wanted, made._dtype)


def _filled(name: str, number: int) -> None:
    def made(shape: Any, dtype: Any = "float32", name: Any = None) -> Out:
        sizes = sizes_of(shape)
        values = Lazy(lambda np: np.full(sizes, number)) if all(isinstance(s, int) for s in sizes) else None
        return Out(sizes, standardize(dtype), values)

    def like(input: Any, dtype: Any = None, name: Any = None, **_former: Any) -> Out:
        x = convert(input)
        return Out(x._shape, x._dtype if dtype is None else standardize(dtype))

    tf(name)(made)
    tf(f"{name}_like")(like)


_filled("zeros", 0)
_filled("ones", 1)


@tf("fill")
def fill(dims, value, name=None):
    return Out(sizes_of(dims), convert(value)._dtype)


@tf("range")
def range_(start, limit=None, delta=1, dtype=None, name="range"):
    return rule("arange")(start, limit, delta, dtype)


@tf("linspace", "lin_space")
def linspace(start, stop, num, name=None, axis=0):
    return rule("linspace")(start, stop, size_of(num))


@tf("eye")
def eye(num_rows, num_columns=None, batch_shape=None, dtype="float32", name=None):
    rows = size_of(num_rows)
    lead = () if batch_shape is None else sizes_of(batch_shape)
    return Out((*lead, rows, rows if num_columns is None else size_of(num_columns)), standardize(dtype))


@tf("sequence_mask")
def sequence_mask(lengths, maxlen=None, dtype="bool", name=None):
    x = known_rank(lengths)
    return Out((*x._shape, unknown_size() if maxlen is None else size_of(maxlen)), standardize(dtype))


@tf("meshgrid")
def meshgrid(*args, indexing="xy", name="meshgrid"):
    return rule("meshgrid")(*args, indexing=indexing)


@tf("linalg.band_part", "matrix_band_part")
def band_part(input, num_lower, num_upper, name=None):
    x = convert(input)
    return Out(x._shape, x._dtype)


@row("tensorflow.ensure_shape")
def ensure_shape(x: Any, shape: Any, name: Any = None) -> Any:
    x.set_shape(shape)
    return x


@row("tensorflow.is_tensor")
def is_tensor(x: Any) -> bool:
    return isinstance(x, Tensor)


@row("tensorflow.get_static_value")
def get_static_value(tensor: Any) -> Any:
    return tensor.numpy()
