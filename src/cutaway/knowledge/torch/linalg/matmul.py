"""Products of vectors, matrices and batches of them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from itertools import pairwise
from operator import is_
from typing import Any

from cutaway.core import dtype as kinds
from cutaway.core.fault import ArgumentFault, Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Size, equal, product
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.torch.elementwise.rows import fit
from cutaway.knowledge.torch.functional.argument import empty, same_dtype
from cutaway.knowledge.torch.tensor.op import Out, compute, inplace_op, op, temporary
from cutaway.knowledge.torch.tensor.promote import float_type, promote_types, result_type
from cutaway.knowledge.torch.tensor.tensor import Tensor, strides_of
from cutaway.knowledge.torch.tensor.types import DType, bool_, int64
from cutaway.ops import layout
from cutaway.ops import matmul as products
from cutaway.ops.elementwise import broadcast
from cutaway.ops.reshape import axes, axis, expand, text


def product_dtype(name: str, *operands: Tensor) -> DType:
    """Return the dtype of a product, which all operands must have, unless autocast gives them one."""
    if any(empty(t.shape) for t in operands):  # nothing is multiplied, and nothing checked
        return operands[-1].dtype
    return same_dtype(name, product=True, **{f"operand {i}": t for i, t in enumerate(operands)})  # type: ignore[no-any-return]


def _vectors(name: str, *operands: Tensor) -> None:
    for operand in operands:
        if operand.ndim != 1:
            raise Fault(f"{name}: expects 1-dimensional tensors, but got {text(operand.shape)}", FaultCode.WRONG_RANK)


def require_tensors(name: str, *operands: Any) -> None:
    """Raise for an operand that is not a tensor."""
    for operand in operands:
        if isinstance(operand, Unknown):
            raise Undecidable(operand)
        if not isinstance(operand, Tensor):
            raise TypeFault(f"{name}: expects a Tensor, but got {type(operand).__name__}", FaultCode.WRONG_TYPE)


def _matmul(input: Any, other: Any) -> Out:
    require_tensors("matmul", input, other)
    shape, macs = products.matmul(input.shape, other.shape)
    values = compute(lambda np, a, b: a @ b, input, other)
    copies = operand_copies(input, other)
    return Out(shape, product_dtype("matmul", input, other), values, macs=macs, temporaries=copies)


def operand_copies(left: Tensor, right: Tensor) -> list[Any]:
    """Return the copies that a product makes of operands whose batches do not lie one behind the other.

    Batches of matrices are flattened to one batch. What is multiplied with a single matrix is flattened to a matrix, if
    that is a view, or the matrix is a trainable parameter.
    """
    if max(left.ndim, right.ndim) < 3 or not (left.ndim and right.ndim):
        return []
    if min(left.ndim, right.ndim) > 2:
        batch = broadcast("matmul", left.shape[:-2], right.shape[:-2])
        return [
            copy
            for operand in (left, right)
            for copy in _flattened(operand, (*batch, *operand.shape[-2:]), (product(batch), *operand.shape[-2:]))
        ]
    if right.ndim > left.ndim:
        return []
    copies = _flattened(left, left.shape, (product(left.shape[:-1]), left.shape[-1]))
    if not copies or (right.requires_grad):
        return copies
    return _flattened(left, left.shape, (product(left.shape[:-2]), *left.shape[-2:]))


def _flattened(tensor: Tensor, shape: Any, wanted: Any) -> list[Any]:
    """Return the copy that takes a tensor, repeated to a shape, to another shape, if it takes one."""
    if tensor._contiguous and len(shape) == tensor.ndim and all(map(is_, shape, tensor.shape)):
        return []
    strides = strides_of(tensor)
    if strides is None or layout.reshaped(shape, layout.expanded(tensor.shape, strides, shape), wanted) != layout.COPY:
        return []
    return [temporary(wanted, tensor.dtype.name, tensor)]


@op(
    "torch.matmul",
    "torch.Tensor.matmul",
    "torch.Tensor.__matmul__",
    "torch.linalg.matmul",
    "torch._C._linalg.linalg_matmul",
)
def matmul(input, other):
    return _matmul(input, other)


@op("torch.Tensor.__rmatmul__")
def rmatmul(input, other):
    return _matmul(other, input)


@op("torch.mm", "torch.Tensor.mm")
def mm(input, mat2, out_dtype=None):
    shape, macs = products.matrix_product(input.shape, mat2.shape, "mm")
    dtype = out_dtype or product_dtype("mm", input, mat2)
    return Out(shape, dtype, compute(lambda np, a, b: a @ b, input, mat2), macs=macs)


@op("torch.bmm", "torch.Tensor.bmm")
def bmm(input, mat2, out_dtype=None):
    shape, macs = products.batch_product(input.shape, mat2.shape, "bmm")
    dtype = out_dtype or product_dtype("bmm", input, mat2)
    return Out(shape, dtype, compute(lambda np, a, b: a @ b, input, mat2), macs=macs)


@op("torch.mv", "torch.Tensor.mv")
def mv(input, vec):
    if input.ndim != 2 or vec.ndim != 1:
        raise Fault(
            f"mv: expects a matrix and a vector, but got {text(input.shape)} and {text(vec.shape)}",
            FaultCode.WRONG_RANK,
        )
    shape, macs = products.matmul(input.shape, vec.shape, "mv")
    return Out(shape, product_dtype("mv", input, vec), compute(lambda np, a, b: a @ b, input, vec), macs=macs)


def _dot(name: str, left: Tensor, right: Tensor) -> Out:
    _vectors(name, left, right)
    if equal(left.shape[0], right.shape[0]) is False:
        raise Fault(f"{name}: the vectors have {left.shape[0]} and {right.shape[0]} elements", FaultCode.SHAPE_MISMATCH)
    return Out((), product_dtype(name, left, right), compute(lambda np, a, b: (a * b).sum(), left, right))


@op("torch.dot", "torch.Tensor.dot")
def dot(input, tensor):
    return _dot("dot", input, tensor)


@op("torch.vdot", "torch.Tensor.vdot")
def vdot(input, other):
    out = _dot("vdot", input, other)
    out.values = compute(lambda np, a, b: np.vdot(a, b), input, other)
    return out


@op("torch.inner", "torch.Tensor.inner")
def inner(input, other):
    if not input.ndim or not other.ndim:
        return Out(input.shape or other.shape, result_type(input, other), compute(lambda np, a, b: a * b, input, other))
    if equal(input.shape[-1], other.shape[-1]) is False:
        raise Fault(
            f"inner: the last dimensions must match, but {text(input.shape)} ends in {input.shape[-1]} and "
            f"{text(other.shape)} in {other.shape[-1]}",
            FaultCode.SHAPE_MISMATCH,
        )
    shape = (*input.shape[:-1], *other.shape[:-1])
    macs = products.tensordot_macs(input.shape[:-1], other.shape[:-1], input.shape[-1])
    dtype = product_dtype("inner", input, other)
    return Out(shape, dtype, compute(lambda np, a, b: np.inner(a, b), input, other), macs=macs)


@op("torch.outer", "torch.Tensor.outer", "torch.ger", "torch.Tensor.ger")
def outer(input, vec2):
    _vectors("outer", input, vec2)
    values = compute(lambda np, a, b: np.outer(a, b), input, vec2)
    return Out((input.shape[0], vec2.shape[0]), result_type(input, vec2), values)


def _added(name: str, input: Tensor, shape: Any, beta: Any, alpha: Any, product: Any, *factors: Tensor) -> Any:
    """Return the numbers of `beta * input + alpha * product`, after checking that `input` fits."""
    if input.ndim > len(shape):
        raise Fault(
            f"{name}: input {text(input.shape)} has more dimensions than the product {text(shape)}",
            FaultCode.WRONG_RANK,
        )
    expand(input.shape, shape, name)
    if input.dtype.name not in ("float32", "float64", "int64"):
        return None
    if input.dtype is int64 and not (isinstance(beta, int) and isinstance(alpha, int)):
        return None
    if beta == 0:  # then torch does not read the input, which may hold anything
        return compute(lambda np, alpha, *arrays: alpha * product(np, *arrays), alpha, *factors)
    return compute(
        lambda np, own, beta, alpha, *arrays: beta * own + alpha * product(np, *arrays), input, beta, alpha, *factors
    )


def _adding(name: str) -> Callable[[Callable[..., Out]], Callable[..., Out]]:
    """Register a rule as function and method, and as a method that writes the result to its first argument.

    The latter counts no MACs, as torch's own counter leaves it out.
    """

    def decorate(rule: Callable[..., Out]) -> Callable[..., Out]:
        @functools.wraps(rule)
        def write(input: Any, *args: Any, **kwargs: Any) -> Out:
            return fit(f"{name}_", input, rule(input, *args, **kwargs))

        inplace_op(f"torch.Tensor.{name}_", *(["torch.addmv_"] if name == "addmv" else []))(write)
        return op(f"torch.{name}", f"torch.Tensor.{name}")(rule)

    return decorate


@_adding("addmm")
def addmm(input, mat1, mat2, *, beta=1, alpha=1, out_dtype=None):
    shape, macs = products.matrix_product(mat1.shape, mat2.shape, "addmm")
    values = _added("addmm", input, shape, beta, alpha, lambda np, a, b: a @ b, mat1, mat2)
    return Out(shape, out_dtype or product_dtype("addmm", input, mat1, mat2), values, macs=macs)


@_adding("addmv")
def addmv(input, mat, vec, *, beta=1, alpha=1):
    if input.ndim > 1 or mat.ndim != 2 or vec.ndim != 1:
        given = ", ".join(text(t.shape) for t in (input, mat, vec))
        raise Fault(f"addmv: expects a vector, a matrix and a vector, but got {given}", FaultCode.WRONG_RANK)
    shape, macs = products.matmul(mat.shape, vec.shape, "addmv")
    values = _added("addmv", input, shape, beta, alpha, lambda np, a, b: a @ b, mat, vec)
    if empty(mat.shape):  # torch then returns the scaled input without expanding it
        return Out(input.shape, input.dtype)
    return Out(shape, product_dtype("addmv", input, mat, vec), values, macs=macs)


@_adding("addbmm")
def addbmm(input, batch1, batch2, *, beta=1, alpha=1):
    shape, _ = products.batch_product(batch1.shape, batch2.shape, "addbmm")
    values = _added("addbmm", input, shape[1:], beta, alpha, lambda np, a, b: (a @ b).sum(0), batch1, batch2)
    return Out(shape[1:], product_dtype("addbmm", input, batch1, batch2), values)


@_adding("baddbmm")
def baddbmm(input, batch1, batch2, *, beta=1, alpha=1, out_dtype=None):
    shape, macs = products.batch_product(batch1.shape, batch2.shape, "baddbmm")
    values = _added("baddbmm", input, shape, beta, alpha, lambda np, a, b: a @ b, batch1, batch2)
    return Out(shape, out_dtype or product_dtype("baddbmm", input, batch1, batch2), values, macs=macs)


@_adding("addr")
def addr(input, vec1, vec2, *, beta=1, alpha=1):
    _vectors("addr", vec1, vec2)
    shape = (vec1.shape[0], vec2.shape[0])
    values = _added("addr", input, shape, beta, alpha, lambda np, a, b: np.outer(a, b), vec1, vec2)
    dtype = promote_types(promote_types(input.dtype, vec1.dtype), vec2.dtype)
    return Out(shape, dtype, None if dtype is bool_ else values)


@op("torch.chain_matmul")
def chain_matmul(*matrices):
    if len(matrices) == 1 and matrices[0].ndim == 2:
        return matrices[0]
    return _multi_dot("chain_matmul", matrices)


@op("torch.linalg.multi_dot", "torch._C._linalg.linalg_multi_dot")
def multi_dot(tensors):
    return _multi_dot("linalg.multi_dot", tensors)


def _multi_dot(name: str, operands: Any) -> Out:
    if len(operands) < 2:
        raise Fault(f"{name}: expects at least 2 tensors, but got {len(operands)}", FaultCode.INVALID_ARGUMENT)
    for number, operand in enumerate(operands):
        ends = number in (0, len(operands) - 1) and name != "chain_matmul"
        if operand.ndim != 2 and not (ends and operand.ndim == 1):
            raise Fault(
                f"{name}: tensor {number} must have 2 dimensions, but it is {text(operand.shape)}",
                FaultCode.WRONG_RANK,
            )
    dtype = product_dtype(name, *operands)
    shapes = [tuple(t.shape) for t in operands]
    first, last = len(shapes[0]) == 1, len(shapes[-1]) == 1
    if first:
        shapes[0] = (1, *shapes[0])
    if last:
        shapes[-1] = (*shapes[-1], 1)
    for left, right in pairwise(shapes):
        products.matmul(left, right, name)
    macs = products.chain(shapes)
    shape = (*(() if first else shapes[0][:1]), *(() if last else shapes[-1][1:]))
    return Out(shape, dtype, macs=macs)


@op("torch.kron", "torch.Tensor.kron")
def kron(input, other):
    rank = max(input.ndim, other.ndim)
    left, right = ((1,) * (rank - t.ndim) + tuple(t.shape) for t in (input, other))
    shape = tuple(a * b for a, b in zip(left, right))
    values = compute(lambda np, a, b: np.kron(a, b), input, other)
    return Out(shape, promote_types(input.dtype, other.dtype), values)


@op("torch.tensordot", "torch.functional.tensordot")
def tensordot(a, b, dims=2):
    left, right = _contracted(dims, a.ndim, b.ndim)
    shape, macs = products.tensordot(a.shape, b.shape, left, right)
    values = compute(lambda np, x, y: np.tensordot(x, y, (left, right)), a, b)
    same = all(equal(a.shape[i], b.shape[j]) is True for i, j in zip(left, right))
    return Out(shape, product_dtype("tensordot", a, b), values if same else None, macs=macs)


def _contracted(dims: Any, left: int, right: int) -> tuple[list[int], list[int]]:
    if isinstance(dims, Tensor):
        dims = dims.array().tolist()
    if isinstance(dims, int):
        if dims < 0:
            raise Fault(f"tensordot: expects dims >= 0, but got dims={dims}", FaultCode.INVALID_ARGUMENT)
        if dims > min(left, right):
            raise Fault(
                f"tensordot: dims={dims} is more than the {min(left, right)} dimensions of an operand",
                FaultCode.SHAPE_MISMATCH,
            )
        return list(range(left - dims, left)), list(range(dims))
    first, second = dims
    if isinstance(first, int) or isinstance(second, int):
        raise TypeFault(f"tensordot: dims must be an int or two lists of ints, but got {dims}", FaultCode.WRONG_TYPE)
    return axes(first, left, "tensordot"), axes(second, right, "tensordot")


_COMPUTE_MODES = (
    "use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist",
)  # fmt: skip


@op("torch.cdist", "torch.functional.cdist")
def cdist(x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    if compute_mode not in _COMPUTE_MODES:
        raise ArgumentFault(f"{compute_mode} is not a valid value for compute_mode", FaultCode.INVALID_ARGUMENT)
    for which, operand in (("x1", x1), ("x2", x2)):
        if not operand.dtype.is_floating_point:
            raise Fault(f"cdist: {which} must be floating, but it is {operand.dtype}", FaultCode.UNSUPPORTED_DTYPE)
        if operand.ndim < 2:
            raise Fault(
                f"cdist: {which} must have at least 2 dimensions, but it is {text(operand.shape)}",
                FaultCode.WRONG_RANK,
            )
    if equal(x1.shape[-1], x2.shape[-1]) is False:
        raise Fault(f"cdist: x1 has {x1.shape[-1]} columns, but x2 has {x2.shape[-1]}", FaultCode.SHAPE_MISMATCH)
    if isinstance(p, (int, float)) and p < 0:
        raise Fault(f"cdist: p must not be negative, but it is {p}", FaultCode.INVALID_ARGUMENT)
    batch = broadcast("cdist", x1.shape[:-2], x2.shape[:-2])
    return Out((*batch, x1.shape[-2], x2.shape[-2]), product_dtype("cdist", x2, x1))


def _cross(name: str, input: Tensor, other: Tensor, dim: int) -> Out:
    if input.ndim != other.ndim:
        raise Fault(
            f"{name}: inputs must have the same number of dimensions, not {input.ndim} and {other.ndim}",
            FaultCode.WRONG_RANK,
        )
    dim = axis(dim, input.ndim)
    left, right = input.shape[dim], other.shape[dim]
    if equal(left, 3) is False or equal(right, 3) is False:
        raise Fault(f"{name}: dimension {dim} must have size 3, but has {left} and {right}", FaultCode.SHAPE_MISMATCH)
    shape = broadcast(name, input.shape, other.shape)
    values = compute(lambda np, a, b: np.cross(*np.broadcast_arrays(a, b), axis=dim), input, other)
    return Out(shape, result_type(input, other), values)


@op("torch.cross", "torch.Tensor.cross")
def cross(input, other, dim=None):
    if dim is None:
        dim = next((i for i, size in enumerate(input.shape) if equal(size, 3) is not False), None)
        if dim is None:
            raise Fault(f"cross: no dimension of {text(input.shape)} has size 3", FaultCode.SHAPE_MISMATCH)
        if equal(input.shape[dim], 3) is None:
            raise Undecidable(Unknown(f"whether size {input.shape[dim]} is 3 decides the dimension of cross"))
    return _cross("cross", input, other, dim)


@op("torch.linalg.cross", "torch._C._linalg.linalg_cross")
def linalg_cross(input, other, *, dim=-1):
    return _cross("linalg.cross", input, other, dim)


@op("torch.cov", "torch.Tensor.cov")
def cov(input, *, correction=1, fweights=None, aweights=None):
    if input.ndim > 2:
        raise Fault(f"cov: input must have at most 2 dimensions, but it is {text(input.shape)}", FaultCode.WRONG_RANK)
    if input.dtype is bool_:
        raise Fault("cov: bool is not supported for input", FaultCode.UNSUPPORTED_DTYPE)
    observations = input.shape[-1] if input.ndim else 1
    for which, weights in (("fweights", fweights), ("aweights", aweights)):
        if weights is None:
            continue
        if weights.ndim > 1:
            raise Fault(
                f"cov: {which} must have at most 1 dimension, but it is {text(weights.shape)}", FaultCode.WRONG_RANK
            )
        if equal(product(weights.shape), observations) is False:
            raise Fault(
                f"cov: {which} has {product(weights.shape)} elements, but input has {observations} observations",
                FaultCode.SHAPE_MISMATCH,
            )
    dtype = float_type(input.dtype)
    if aweights is not None:
        dtype = promote_types(dtype, float_type(aweights.dtype))
    return Out(_square(input), dtype, macs=_square_macs(input))


@op("torch.corrcoef", "torch.Tensor.corrcoef")
def corrcoef(input):
    if input.ndim > 2:
        raise Fault(
            f"corrcoef: input must have at most 2 dimensions, but it is {text(input.shape)}", FaultCode.WRONG_RANK
        )
    return Out(_square(input), float_type(input.dtype), macs=_square_macs(input))


def _square(input: Tensor) -> tuple[Size, ...]:
    """Return the shape of a value for each pair of rows; that of a single row has no dimension."""
    if input.ndim < 2 or not (input.shape[0] > 1 or input.shape[0] < 1):
        return ()
    return (input.shape[0], input.shape[0])


def _square_macs(input: Tensor) -> Size:
    """Return the MACs of `x @ x.T` where a vector or a number counts as one row."""
    rows, columns = input.shape if input.ndim == 2 else (1, product(input.shape))
    return rows * rows * columns


@op("torch.vander")
def vander(x, N=None, increasing=False):
    if x.ndim != 1:
        raise Fault(f"vander: x must have 1 dimension, but it is {text(x.shape)}", FaultCode.WRONG_RANK)
    columns = x.shape[0] if N is None else N
    if isinstance(columns, int) and columns < 0:
        raise Fault(f"vander: N must not be negative, but it is {columns}", FaultCode.INVALID_ARGUMENT)
    dtype = int64 if kinds.category(x.dtype.name) < kinds.FLOATING else x.dtype
    values = compute(lambda np, a, n, up: np.vander(a, n, increasing=up), x, columns, increasing)
    return Out((x.shape[0], columns), dtype, values)
