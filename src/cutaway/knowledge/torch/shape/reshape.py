"""Rows that change a tensor's shape or the order of its dimensions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.core.fault import Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, product, unknown_size
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import row
from cutaway.knowledge.torch.tensor.op import Out, compute, inplace_op, op
from cutaway.knowledge.torch.tensor.tensor import Tensor, change_shape, strides_of
from cutaway.knowledge.torch.tensor.types import DType, Size
from cutaway.ops import layout
from cutaway.ops import reshape as rule
from cutaway.ops.elementwise import broadcast
from cutaway.ops.window import shown


def spread(values: Sequence[Any], named: dict[str, Any], *keys: str) -> list[Any]:
    """Return variadic integers that were given one by one, as one sequence, or by keyword."""
    for key in keys:
        if key in named:
            values = (named.pop(key),)
    if named:
        raise TypeFault(f"unexpected keyword argument '{next(iter(named))}'", FaultCode.UNKNOWN_ARGUMENT)
    if len(values) == 1 and (isinstance(values[0], (list, tuple, Unknown))):
        return list(values[0])
    return list(values)


def sizes_of(values: Any, name: str) -> list[Any]:
    """Return size arguments, of which undetermined ones become unknown sizes."""
    return [rule.size(v, f"{name}: a size") for v in values]


def same(input: Any, shape: Any, function: Any = None, listed: Any = None, strides: Any = None) -> Out:
    """Return a view of the first argument's numbers in another shape or order."""
    values = compute(function or (lambda np, a: a.reshape(shape)), input, listed=listed)
    if function is None:
        return _viewed(input, shape, values)
    return Out(shape, input.dtype, values, view=True, strides=strides)


def _viewed(input: Any, shape: Any, values: Any) -> Out:
    """Return the first argument in another shape: a view where its layout allows one, else a copy."""
    if input._contiguous:
        return Out(shape, input.dtype, values, view=True, strides=True)
    strides = input._strides
    if strides is not None:
        strides = layout.reshaped(input.shape, strides, shape)
    if strides == layout.COPY:
        return Out(shape, input.dtype, values, strides=True)
    return Out(shape, input.dtype, values, view=True, strides=strides)


def _reshaped(input: Any, sizes: Sequence[Any], name: str) -> Out:
    if isinstance(input.shape, Unknown):
        return Out([unknown_size() if equal(s, -1) is True else s for s in sizes_of(sizes, name)], input.dtype)
    return same(input, rule.reshape(input.shape, sizes_of(sizes, name), name))


def _same_memory(input: Any, out: Out, name: str) -> Out:
    """Return a result that has to be a view; torch refuses to copy here."""
    if input._contiguous or input._strides is None or isinstance(out.shape, Unknown) or out.view:
        return out
    if all(type(size) is int and size for size in (*input.shape, *out.shape)):
        raise Fault(
            f"{name}: a tensor of shape {shown(input.shape)} and strides {shown(input._strides)} can't be seen as "
            f"{shown(out.shape)} without a copy; reshape() makes one",
            FaultCode.SHAPE_MISMATCH,
        )
    return out


@op("torch.Tensor.view")
def view(self, *shape, **named):
    dtype = named.pop("dtype", shape[0] if len(shape) == 1 else None)
    if isinstance(dtype, DType):
        sizes = rule.same_items(self.dtype.itemsize, dtype.itemsize, self.shape)
        return Out(sizes, dtype, compute(lambda np, a: np.ascontiguousarray(a).view(dtype.name), self), view=True)
    return _same_memory(self, _reshaped(self, spread(shape, named, "size"), "view"), "view")


@op("torch.Tensor.reshape")
def tensor_reshape(self, *shape, **named):
    return _reshaped(self, spread(shape, named, "shape"), "reshape")


@op("torch.reshape")
def reshape(input, shape):
    return _reshaped(input, spread([shape], {}), "reshape")


@op("torch.Tensor.view_as")
def view_as(self, other):
    return _same_memory(self, _reshaped(self, other.shape, "view_as"), "view_as")


@op("torch.Tensor.reshape_as")
def reshape_as(self, other):
    return _reshaped(self, other.shape, "reshape_as")


@op("torch.flatten", "torch.Tensor.flatten")
def flatten(input, start_dim=0, end_dim=-1):
    rank = len(input.shape)
    if rank and rule.axis(start_dim, rank) == rule.axis(end_dim, rank):
        return input  # torch gives the tensor itself back where there is nothing to flatten
    return same(input, rule.flatten(input.shape, start_dim, end_dim) if input.shape else (1,))


@op("torch.ravel", "torch.Tensor.ravel")
def ravel(input):
    return same(input, (product(input.shape),))


@op("torch.unflatten", "torch.Tensor.unflatten")
def unflatten(input, dim, sizes):
    sizes = sizes if isinstance(sizes, (list, tuple, Unknown)) else [sizes]
    return same(input, rule.unflatten(input.shape, dim, sizes_of(sizes, "unflatten")))


def _squeezed(input: Any, dim: Any) -> tuple[Any, ...]:
    rank = len(input.shape)
    if dim is None:
        return rule.squeeze(input.shape, None)
    if isinstance(dim, (list, tuple)):
        return rule.squeeze(input.shape, rule.axes(dim, rank, "squeeze"))
    return rule.squeeze(input.shape, [rule.axis(dim, rank)])


def _unsqueezed(input: Any, dim: Any) -> tuple[Any, ...]:
    return rule.unsqueeze(input.shape, [dim])[1]


@op("torch.squeeze", "torch.Tensor.squeeze")
def squeeze(input, dim=None):
    return same(input, _squeezed(input, dim))


@op("torch.unsqueeze", "torch.Tensor.unsqueeze")
def unsqueeze(input, dim):
    return same(input, _unsqueezed(input, dim))


def _ordered(input: Any, order: Sequence[int], conjugate: bool = False) -> Out:
    def apply(np: Any, a: Any) -> Any:
        return (np.conj(a) if conjugate else a).transpose(order)

    strides = strides_of(input)
    moved = None if strides is None else tuple(strides[i] for i in order)
    return same(input, [input.shape[i] for i in order], apply, strides=moved)


@op("torch.transpose", "torch.Tensor.transpose")
def transpose(input, dim0, dim1):
    return _ordered(input, rule.swap(len(input.shape), dim0, dim1))


@op("torch.swapaxes", "torch.Tensor.swapaxes")
def swapaxes(input, axis0, axis1):
    return _ordered(input, rule.swap(len(input.shape), axis0, axis1))


@op("torch.swapdims", "torch.Tensor.swapdims")
def swapdims(input, dim0, dim1):
    return _ordered(input, rule.swap(len(input.shape), dim0, dim1))


def _matrix_order(input: Any, name: str) -> list[int]:
    rank = len(input.shape)
    if rank > 2:
        raise Fault(
            f"{name}: expects a tensor with at most 2 dimensions, but input is {rule.text(input.shape)}",
            FaultCode.WRONG_RANK,
        )
    return list(range(rank))[::-1]


@op("torch.t", "torch.Tensor.t")
def t(input):
    return _ordered(input, _matrix_order(input, "t"))


@op("torch.adjoint", "torch.Tensor.adjoint")
def adjoint(input):
    rule.matrix(input.shape, "adjoint")
    return _ordered(input, rule.swap(len(input.shape), -2, -1), conjugate=True)


@op("torch.permute")
def permute(input, dims):
    return _ordered(input, rule.permute(input.shape, spread([dims], {}))[0])


@op("torch.Tensor.permute")
def tensor_permute(self, *dims, **named):
    return _ordered(self, rule.permute(self.shape, spread(dims, named, "dims"))[0])


@op("torch.movedim", "torch.Tensor.movedim")
def movedim(input, source, destination):
    return _ordered(input, _moved(input, source, destination, "movedim"))


@op("torch.moveaxis", "torch.Tensor.moveaxis")
def moveaxis(input, source, destination):
    return _ordered(input, _moved(input, source, destination, "moveaxis"))


def _moved(input: Any, source: Any, destination: Any, name: str) -> list[int]:
    return rule.move(len(input.shape), spread([source], {}), spread([destination], {}), name)


def _expanded(input: Any, sizes: Sequence[Any], name: str) -> Out:
    # An undetermined size may be -1, which keeps what is there.
    wanted = [-1 if isinstance(s, Unknown) and _fixed(input, sizes, i) else s for i, s in enumerate(sizes)]
    shape = rule.expand(input.shape, sizes_of(wanted, name), name)
    strides = strides_of(input)
    spread_out = None if strides is None else layout.expanded(input.shape, strides, shape)
    return same(input, shape, lambda np, a: np.broadcast_to(a, shape), strides=spread_out)


def _fixed(input: Any, sizes: Sequence[Any], place: int) -> bool:
    place -= len(sizes) - len(input.shape)
    return place >= 0 and equal(input.shape[place], 1) is False


@op("torch.Tensor.expand")
def expand(self, *sizes, **named):
    named.pop("implicit", None)
    return _expanded(self, spread(sizes, named, "size"), "expand")


@op("torch.Tensor.expand_as")
def expand_as(self, other):
    return _expanded(self, other.shape, "expand_as")


@op("torch.broadcast_to")
def broadcast_to(input, size):
    return _expanded(input, spread([size], {}), "broadcast_to")


@op("torch.Tensor.broadcast_to")
def tensor_broadcast_to(self, *size, **named):
    return _expanded(self, spread(size, named), "broadcast_to")


@op("torch.broadcast_tensors", "torch.functional.broadcast_tensors", strided=True)
def broadcast_tensors(*tensors):
    operands = spread(tensors, {})
    shape = broadcast("broadcast_tensors", *(t.shape for t in operands))
    return tuple(Out(shape, t.dtype, compute(lambda np, a: np.broadcast_to(a, shape), t)) for t in operands)


@row("torch.broadcast_shapes", "torch.functional.broadcast_shapes")
def broadcast_shapes(*shapes: Any) -> Size:
    """Return the shape that all shapes broadcast to."""
    return Size(broadcast("broadcast_shapes", *(s if isinstance(s, (list, tuple)) else (s,) for s in shapes)))


@op("torch.Tensor.repeat")
def repeat(self, *repeats, **named):
    counts = sizes_of(spread(repeats, named, "repeats"), "repeat")
    return Out(rule.repeat(self.shape, counts), self.dtype, compute(lambda np, a: np.tile(a, counts), self))


def _tiled(input: Any, dims: Sequence[Any]) -> Out:
    counts, shape = rule.tile(input.shape, sizes_of(dims, "tile"))
    return Out(shape, input.dtype, compute(lambda np, a: np.tile(a, counts), input))


@op("torch.tile")
def tile(input, dims):
    return _tiled(input, spread([dims], {}))


@op("torch.Tensor.tile")
def tensor_tile(self, *dims, **named):
    return _tiled(self, spread(dims, named, "dims"))


@op("torch.atleast_1d", "torch.functional.atleast_1d")
def atleast_1d(*tensors):
    return _at_least(tensors, lambda s: s or (1,))


@op("torch.atleast_2d", "torch.functional.atleast_2d")
def atleast_2d(*tensors):
    return _at_least(tensors, lambda s: (1,) * (2 - len(s)) + tuple(s))


@op("torch.atleast_3d", "torch.functional.atleast_3d")
def atleast_3d(*tensors):
    return _at_least(tensors, lambda s: {0: (1, 1, 1), 1: (1, *s, 1), 2: (*s, 1)}.get(len(s), s))


def _at_least(tensors: Sequence[Any], grow: Any) -> Any:
    if len(tensors) == 1 and isinstance(tensors[0], Tensor):
        return same(tensors[0], grow(tuple(tensors[0].shape)))
    made = (same(t, grow(tuple(t.shape))) for t in spread(tensors, {}))
    return tuple(Out(out.shape, out.dtype, out.values) for out in made)


@op("torch.view_as_real")
def view_as_real(input):
    if not input.dtype.is_complex:
        raise Fault(f"view_as_real: expects a complex tensor, but got {input.dtype}", FaultCode.UNSUPPORTED_DTYPE)
    values = compute(lambda np, a: np.stack([a.real, a.imag], -1), input)
    strides = strides_of(input)
    pairs = None if strides is None else (*(2 * stride for stride in strides), 1)
    return Out((*input.shape, 2), input.dtype.to_real(), values, view=True, strides=pairs)


@op("torch.view_as_complex")
def view_as_complex(input):
    if input.dtype.name not in ("float16", "float32", "float64"):
        raise Fault(
            f"view_as_complex: expects a float16, float32 or float64 tensor, but got {input.dtype}",
            FaultCode.UNSUPPORTED_DTYPE,
        )
    if not input.shape:
        raise Fault("view_as_complex: input has no dimension, but its last one must have size 2", FaultCode.WRONG_RANK)
    if equal(input.shape[-1], 2) is False:
        raise Fault(
            f"view_as_complex: the last dimension must have size 2, but has {input.shape[-1]}", FaultCode.SHAPE_MISMATCH
        )
    values = compute(lambda np, a: a[..., 0] + 1j * a[..., 1], input)
    strides = strides_of(input)
    halves = None if strides is None else tuple(stride // 2 for stride in strides[:-1])
    return Out(input.shape[:-1], input.dtype.to_complex(), values, view=True, strides=halves)


@op("torch.Tensor.T")
def _T(self):
    return _ordered(self, list(range(len(self.shape)))[::-1])


@op("torch.Tensor.mT")
def _mT(self):
    return _matrix_transpose(self, "mT", conjugate=False)


@op("torch.Tensor.mH")
def _mH(self):
    return _matrix_transpose(self, "mH", conjugate=True)


@op("torch.Tensor.H")
def _H(self):
    return _ordered(self, _matrix_order(self, "H"), conjugate=True)


def _matrix_transpose(input: Any, name: str, conjugate: bool) -> Out:
    if not input.shape:
        return _ordered(input, [], conjugate)
    rule.matrix(input.shape, name)
    return _ordered(input, rule.swap(len(input.shape), -2, -1), conjugate)


for _name, _caller in {"T": _T, "mT": _mT, "mH": _mH, "H": _H}.items():
    setattr(Tensor, _name, property(_caller))


def _reshaped_in_place(name: str, shape_of: Any) -> None:
    """Register an in-place variant that gives the tensor itself another shape."""

    def reshape_(self, *args, **kwargs):
        out = shape_of(self, *args, **kwargs)
        change_shape(self, Size(out.shape))
        return out

    inplace_op(f"torch.Tensor.{name}", strided=True)(reshape_)


_reshaped_in_place("squeeze_", lambda self, dim=None: same(self, _squeezed(self, dim)))
_reshaped_in_place("unsqueeze_", lambda self, dim: same(self, _unsqueezed(self, dim)))
_reshaped_in_place("t_", lambda self: _ordered(self, _matrix_order(self, "t_")))
for _name, _first, _second in (
    ("transpose_", "dim0", "dim1"), ("swapdims_", "dim0", "dim1"), ("swapaxes_", "axis0", "axis1")
):  # fmt: skip
    _reshaped_in_place(
        _name,
        lambda self, *dims, _keys=(_first, _second), **named: _ordered(
            self, rule.swap(len(self.shape), *dims, *(named[k] for k in _keys if k in named))
        ),
    )
