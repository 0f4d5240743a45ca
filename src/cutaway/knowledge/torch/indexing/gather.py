"""Rows that read from and write to positions given by index tensors and masks."""

from __future__ import annotations

from math import isfinite
from typing import Any

from cutaway.core.dtype import INTEGER, category
from cutaway.core.fault import Fault, IndexFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Dim, equal, product, unknown_size
from cutaway.core.unknown import Unknown
from cutaway.knowledge.torch.indexing.index import check_numbers
from cutaway.knowledge.torch.shape.arrange import along
from cutaway.knowledge.torch.tensor.op import Out, compute, inplace_op, op
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import DType
from cutaway.ops import index as rule
from cutaway.ops.elementwise import broadcast, expands_to
from cutaway.ops.reshape import axis, diagonal, integer, replaced, text


def _need(tensor: Any, names: tuple[str, ...], name: str, what: str, fault: type[Fault] = Fault) -> None:
    if tensor.dtype.name not in names:
        raise fault(f"{name}: {what} must be {' or '.join(names)}, but is {tensor.dtype}", FaultCode.UNSUPPORTED_DTYPE)


def _same_dtype(input: Any, source: Any, name: str) -> None:
    if input.dtype is not source.dtype:
        raise Fault(f"{name}: the tensor is {input.dtype}, but the source is {source.dtype}", FaultCode.DTYPE_MISMATCH)


_INTS = ("int32", "int64")


@op("torch.gather", "torch.Tensor.gather")
def gather(input, dim, index, *, sparse_grad=False):
    place = axis(dim, len(input.shape))
    if equal(product(index.shape), 0) is True:
        return Out(index.shape, input.dtype, compute(lambda np, a: np.empty(0), input))
    _need(index, _INTS, "gather", "index")
    rule.gather(input.shape, index.shape, place, "gather")
    if input.shape:
        check_numbers(index, input.shape[place], place, "gather", negative=False)

    def apply(np: Any, a: Any, i: Any) -> Any:
        shape = i.shape
        a, i = np.atleast_1d(a), np.atleast_1d(i)
        cut = tuple(slice(None) if d == place else slice(n) for d, n in enumerate(i.shape))
        return np.take_along_axis(a[cut], i, place).reshape(shape)

    return Out(index.shape, input.dtype, compute(apply, input, index))


_REDUCE = {
    None: lambda np, a, at, v: a.__setitem__(at, v),
    "add": lambda np, a, at, v: np.add.at(a, at, v),
    "sum": lambda np, a, at, v: np.add.at(a, at, v),
    "multiply": lambda np, a, at, v: np.multiply.at(a, at, v),
    "prod": lambda np, a, at, v: np.multiply.at(a, at, v),
    "amax": lambda np, a, at, v: np.maximum.at(a, at, v),
    "amin": lambda np, a, at, v: np.minimum.at(a, at, v),
}


def _scattered(input: Any, dim: Any, index: Any, src: Any, reduce: str | None, name: str) -> Out:
    place = axis(dim, len(input.shape))
    if equal(product(index.shape), 0) is not True:
        _need(index, _INTS, name, "index")
    if isinstance(src, Tensor):
        _same_dtype(input, src, name)
    rule.scatter(input.shape, index.shape, src.shape if isinstance(src, Tensor) else None, place, name)
    if input.shape:
        check_numbers(index, input.shape[place], place, name, negative=False)

    def apply(np: Any, a: Any, i: Any, v: Any) -> Any:
        made = np.array(np.atleast_1d(a))
        i, v = np.atleast_1d(i), np.atleast_1d(v) if isinstance(src, Tensor) else np.asarray(v).astype(made.dtype)
        if not i.size:
            return made
        at = list(np.ogrid[tuple(slice(n) for n in i.shape)])
        at[place] = i
        part = v[tuple(slice(n) for n in i.shape)] if isinstance(src, Tensor) else v
        _REDUCE[reduce](np, made, tuple(at), part)
        return made

    values = compute(apply, input, index, src) if reduce in _REDUCE else None
    return Out(input.shape, input.dtype, values)


@op("torch.scatter", "torch.Tensor.scatter", inplace=True)
def scatter(input, dim, index, src=None, value=None, *, reduce=None):
    if reduce not in (None, "add", "multiply"):
        raise Fault(f"scatter: reduce must be 'add' or 'multiply', but is {reduce!r}", FaultCode.INVALID_ARGUMENT)
    return _scattered(input, dim, index, value if src is None else src, reduce, "scatter")


@op("torch.scatter_add", "torch.Tensor.scatter_add", inplace=True)
def scatter_add(input, dim, index, src):
    return _scattered(input, dim, index, src, "add", "scatter_add")


@op("torch.scatter_reduce", "torch.Tensor.scatter_reduce", inplace=True)
def scatter_reduce(input, dim, index, src, reduce, *, include_self=True):
    if reduce not in ("sum", "prod", "mean", "amax", "amin"):
        raise Fault(
            f"scatter_reduce: reduce must be sum, prod, mean, amax or amin, got {reduce}", FaultCode.INVALID_ARGUMENT
        )
    return _scattered(input, dim, index, src, reduce if include_self else "mean", "scatter_reduce")


def _vector(index: Any, name: str) -> Any:
    """Return the number of positions in an index of at most one dimension."""
    if len(index.shape) > 1:
        raise IndexFault(f"{name}: index must be a vector, but is {text(index.shape)}", FaultCode.WRONG_RANK)
    return index.shape[0] if index.shape else 1


@op("torch.index_select", "torch.Tensor.index_select")
def index_select(input, dim, index):
    place = axis(dim, len(input.shape))
    count = _vector(index, "index_select")
    _need(index, _INTS, "index_select", "index")
    if not input.shape:
        if equal(count, 1) is False:
            raise Fault(
                f"index_select: index of a scalar can have only 1 value, but has {count}", FaultCode.SHAPE_MISMATCH
            )
        return Out((), input.dtype, compute(lambda np, a: a, input))
    check_numbers(index, input.shape[place], place, "index_select", negative=False)
    values = compute(lambda np, a, i: np.take(a, i.reshape(-1), place), input, index)
    return Out(replaced(input.shape, place, count), input.dtype, values)


def _checked_source(input: Any, dim: Any, index: Any, source: Any, name: str, fault: type[Fault]) -> int:
    """Check a source whose slices go to the indexed positions; return the dimension."""
    place = axis(dim, len(input.shape))
    count = _vector(index, name)
    _same_dtype(input, source, name)
    if len(input.shape) != len(source.shape) and input.shape and source.shape:
        raise fault(f"{name}: source {text(source.shape)} and tensor {text(input.shape)} differ in rank",
                    FaultCode.WRONG_RANK)  # fmt: skip
    have = source.shape[place] if source.shape else 1
    if equal(count, have) is False:
        raise fault(
            f"{name}: {count} indices were given for {have} slices of the source in dimension {place}",
            FaultCode.SHAPE_MISMATCH,
        )
    for d, (a, b) in enumerate(zip(input.shape, source.shape)):
        if d != place and equal(a, b) is False:
            raise Fault(
                f"{name}: source {text(source.shape)} must match the tensor {text(input.shape)} "
                f"apart from dimension {place}, but sizes {b} and {a} in dimension {d} differ",
                FaultCode.SHAPE_MISMATCH,
            )
    if input.shape:
        check_numbers(index, input.shape[place], place, name, negative=False)
    return place


def _at(array: Any, place: int, index: Any) -> Any:
    return along(place, index.reshape(-1)) if array.ndim else ...


@op("torch.index_add", "torch.Tensor.index_add", inplace=True)
def index_add(input, dim, index, source, *, alpha=1):
    _need(index, _INTS, "index_add", "index")
    place = _checked_source(input, dim, index, source, "index_add", Fault)

    def apply(np: Any, a: Any, i: Any, s: Any, scale: Any) -> Any:
        made = np.array(a)
        np.add.at(made, _at(made, place, i), s * np.asarray(scale).astype(made.dtype))
        return made

    return Out(input.shape, input.dtype, compute(apply, input, index, source, alpha))


@op("torch.index_copy", "torch.Tensor.index_copy", inplace=True)
def index_copy(input, dim, index, source):
    _need(index, ("int64",), "index_copy", "index")
    place = _checked_source(input, dim, index, source, "index_copy", IndexFault)

    def apply(np: Any, a: Any, i: Any, s: Any) -> Any:
        made = np.array(a)
        made[_at(made, place, i)] = s
        return made

    return Out(input.shape, input.dtype, compute(apply, input, index, source))


@op("torch.index_reduce", "torch.Tensor.index_reduce", inplace=True)
def index_reduce(input, dim, index, source, reduce, *, include_self=True):
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise Fault(f"index_reduce: reduce must be prod, mean, amax or amin, got {reduce}", FaultCode.INVALID_ARGUMENT)
    _need(index, _INTS, "index_reduce", "index")
    _checked_source(input, dim, index, source, "index_reduce", Fault)
    return Out(input.shape, input.dtype)


@op("torch.index_fill", "torch.Tensor.index_fill", inplace=True)
def index_fill(input, dim, index, value):
    place = axis(dim, len(input.shape))
    _need(index, ("int64",), "index_fill", "index", IndexFault)
    if len(index.shape) > 1:
        raise Fault(f"index_fill: index must be a vector, but is {text(index.shape)}", FaultCode.WRONG_RANK)
    _single(value, input.dtype, "index_fill")
    if input.shape:
        check_numbers(index, input.shape[place], place, "index_fill")

    def apply(np: Any, a: Any, i: Any, v: Any) -> Any:
        made = np.array(a)
        made[_at(made, place, i)] = v
        return made

    return Out(input.shape, input.dtype, compute(apply, input, index, value))


_FINITE = {"float16": 65504.0, "bfloat16": 3.3895313892515355e38, "float32": 3.4028234663852886e38}


def _single(value: Any, dtype: DType, name: str) -> None:
    """Check a number to fill with: one element, and representable in the dtype."""
    if isinstance(value, Tensor):
        if value.shape:
            raise Fault(
                f"{name}: value must be a number or a 0-dimensional tensor, but is {text(value.shape)}",
                FaultCode.WRONG_RANK,
            )
        return
    if isinstance(value, bool) or not isinstance(value, (int, float)) or dtype.name == "bool":
        return
    if category(dtype.name) == INTEGER:
        bits = dtype.itemsize * 8 - dtype.is_signed
        fits = isfinite(value) and -(2**bits) <= value < 2**bits
    else:
        fits = not isfinite(value) or abs(value) <= _FINITE.get(dtype.name, abs(value))
    if not fits:
        raise Fault(f"{name}: value {value} cannot be represented in {dtype}", FaultCode.VALUE_OVERFLOW)


def _masked_fill(input: Any, mask: Any, value: Any) -> Out:
    _need(mask, ("bool",), "masked_fill", "mask")
    _single(value, input.dtype, "masked_fill")
    shape = broadcast("masked_fill", input.shape, mask.shape)
    values = compute(lambda np, a, m, v: np.where(m, np.asarray(v).astype(a.dtype), a), input, mask, value)
    return Out(shape, input.dtype, values)


@op("torch.masked_fill", "torch.Tensor.masked_fill")
def masked_fill(input, mask, value):
    return _masked_fill(input, mask, value)


@inplace_op("torch.Tensor.masked_fill_")
def masked_fill_(self, mask, value):
    if isinstance(mask, Unknown):
        return Out(self.shape, self.dtype)
    out = _masked_fill(self, mask, value)
    _fits_in(self, mask, "masked_fill_")
    return out


def _fits_in(target: Any, mask: Any, name: str) -> None:
    if not isinstance(mask.shape, Unknown) and expands_to(mask.shape, target.shape) is False:
        raise Fault(
            f"{name}: mask {text(mask.shape)} cannot be broadcast to the tensor {text(target.shape)}",
            FaultCode.SHAPE_MISMATCH,
        )


@op("torch.masked_select", "torch.Tensor.masked_select")
def masked_select(input, mask):
    _need(mask, ("bool",), "masked_select", "mask")
    shape = broadcast("masked_select", input.shape, mask.shape)
    count: Any = unknown_size()
    total, own = product(shape), product(mask.shape)
    if mask.values_ is not None and isinstance(total, int) and isinstance(own, int) and own:
        count = int(mask.array().sum()) * (total // own)
    elif equal(total, 0) is True:
        count = 0
    values = compute(lambda np, a, m: np.broadcast_to(a, shape)[np.broadcast_to(m, shape)], input, mask)
    return Out((count,), input.dtype, values)


def _masked_scatter(input: Any, mask: Any, source: Any) -> Out:
    _need(mask, ("bool",), "masked_scatter", "mask")
    _same_dtype(input, source, "masked_scatter")
    return Out(broadcast("masked_scatter", input.shape, mask.shape), input.dtype)


@op("torch.masked_scatter", "torch.Tensor.masked_scatter")
def masked_scatter(input, mask, source):
    return _masked_scatter(input, mask, source)


@inplace_op("torch.Tensor.masked_scatter_")
def masked_scatter_(self, mask, source):
    out = _masked_scatter(self, mask, source)
    _fits_in(self, mask, "masked_scatter_")
    return out


@op("torch.take", "torch.Tensor.take")
def take(input, index):
    _need(index, ("int64",), "take", "index")
    total = product(input.shape)
    if equal(total, 0) is True and equal(product(index.shape), 0) is False:
        raise IndexFault("take: tried to take from an empty tensor", FaultCode.INDEX_OUT_OF_RANGE)
    check_numbers(index, total, 0, "take")
    return Out(index.shape, input.dtype, compute(lambda np, a, i: a.reshape(-1)[i], input, index))


@op("torch.take_along_dim", "torch.Tensor.take_along_dim")
def take_along_dim(input, indices, dim=None):
    if dim is not None or equal(product(indices.shape), 0) is not True:
        _need(indices, ("int64",), "take_along_dim", "indices")
    if dim is None:
        check_numbers(indices, product(input.shape), 0, "take_along_dim")
        values = compute(lambda np, a, i: a.reshape(-1)[i.reshape(-1).astype(int)], input, indices)
        return Out((product(indices.shape),), input.dtype, values)
    place = axis(dim, len(input.shape))
    if len(input.shape) != len(indices.shape):
        raise Fault(f"take_along_dim: input {text(input.shape)} and indices {text(indices.shape)} differ in rank",
                    FaultCode.WRONG_RANK)  # fmt: skip
    if not input.shape:
        return Out((), input.dtype, compute(lambda np, a: a, input))
    common = broadcast("take_along_dim", replaced(input.shape, place, 1), replaced(indices.shape, place, 1))
    # Positions out of range wrap around.
    values = compute(lambda np, a, i: np.take_along_axis(a, i % a.shape[place], place), input, indices)
    return Out(replaced(common, place, indices.shape[place]), input.dtype, values)


@op("torch.put", "torch.Tensor.put", inplace=True)
def put(input, index, source, accumulate=False):
    _need(index, ("int64",), "put", "index")
    _same_dtype(input, source, "put")
    if equal(product(index.shape), product(source.shape)) is False:
        raise IndexFault(f"put: source {text(source.shape)} and index {text(index.shape)} differ in their number "
                         "of elements", FaultCode.SHAPE_MISMATCH)  # fmt: skip
    check_numbers(index, product(input.shape), 0, "put")

    def apply(np: Any, a: Any, i: Any, s: Any) -> Any:
        flat = np.array(a).reshape(-1)
        if accumulate:
            np.add.at(flat, i.reshape(-1), s.reshape(-1))
        else:
            flat[i.reshape(-1)] = s.reshape(-1)
        return flat

    return Out(input.shape, input.dtype, compute(apply, input, index, source))


def _embedded(input: Any, src: Any, part: tuple[Any, ...], view: Any, name: str) -> Out:
    """Return a copy of the input with the part that `view` gives replaced by the source."""
    if len(part) != len(src.shape) or any(equal(a, b) is False for a, b in zip(part, src.shape)):
        raise Fault(
            f"{name}: src {text(src.shape)} must have the size {text(part)} of the part it replaces",
            FaultCode.SHAPE_MISMATCH,
        )

    def apply(np: Any, a: Any, s: Any) -> Any:
        made = np.array(a)
        view(np, made)[...] = s
        return made

    return Out(input.shape, input.dtype, compute(apply, input, src))


@op("torch.select_scatter", "torch.Tensor.select_scatter")
def select_scatter(input, src, dim, index):
    place = axis(dim, len(input.shape))
    if not input.shape:
        raise IndexFault(
            "select_scatter: cannot be applied to a tensor without dimensions", FaultCode.DIMENSION_OUT_OF_RANGE
        )
    rule.position(index, input.shape[place], place, "select_scatter")
    part = replaced(input.shape, place)
    at = lambda np, a: a[along(place, int(index)) + (...,)]  # noqa: RUF005
    return _embedded(input, src, part, at, "select_scatter")


@op("torch.slice_scatter", "torch.Tensor.slice_scatter")
def slice_scatter(input, src, dim=0, start=None, end=None, step=1):
    place = axis(dim, len(input.shape))
    start, end, step = (e if e is None or isinstance(e, Unknown) else integer(e, "slice_scatter: an end")
                        for e in (start, end, step))  # fmt: skip
    piece = slice(start, end, step)
    fixed = not any(isinstance(e, (Dim, Unknown)) for e in (start, end, step))
    part = replaced(input.shape, place, rule.slice_size(input.shape[place], piece))
    out = _embedded(input, src, part, lambda np, a: a[along(place, piece)], "slice_scatter")
    return out if fixed else Out(out.shape, out.dtype)


@op("torch.diagonal_scatter", "torch.Tensor.diagonal_scatter")
def diagonal_scatter(input, src, offset=0, dim1=0, dim2=1):
    first, second, part = diagonal(input.shape, offset, dim1, dim2)

    def view(np: Any, a: Any) -> Any:
        part = np.diagonal(a, offset, first, second)
        part.flags.writeable = True
        return part

    return _embedded(input, src, part, view, "diagonal_scatter")
