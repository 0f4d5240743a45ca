"""Rows that join several tensors into one, and that combine vectors into grids."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import comb
from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.loop.series import Series
from cutaway.core.size.dim import equal, floordiv, product
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.torch.shape.reshape import atleast_1d, atleast_2d, atleast_3d, spread
from cutaway.knowledge.torch.tensor.op import Out, compute, op
from cutaway.knowledge.torch.tensor.promote import promote_types, result_type
from cutaway.knowledge.torch.tensor.tensor import Tensor
from cutaway.knowledge.torch.tensor.types import DType, default_dtype
from cutaway.ops import join as rule
from cutaway.ops.reshape import axis, text


def _listed(tensors: Any, name: str) -> list[Any]:
    if isinstance(tensors, Tensor) and name != "cat":
        tensors = list(tensors)
    if not isinstance(tensors, (list, tuple)):
        if isinstance(tensors, Unknown):
            raise Undecidable(tensors)
        if isinstance(tensors, Series):
            tensors.refuse()
        raise TypeFault(f"{name}: expects a tuple of tensors, but got {type(tensors).__name__}", FaultCode.WRONG_TYPE)
    session.current().limit_parts(len(tensors), "tensors")
    if not tensors:
        raise ArgumentFault(f"{name}: expects a non-empty list of tensors", FaultCode.INVALID_ARGUMENT)
    for number, tensor in enumerate(tensors):
        if isinstance(tensor, Unknown):
            raise Undecidable(tensor)
        if not isinstance(tensor, Tensor):
            raise TypeFault(
                f"{name}: element {number} must be a tensor, but is {type(tensor).__name__}", FaultCode.WRONG_TYPE
            )
        if isinstance(tensor.shape, Unknown):
            raise Undecidable(tensor.shape)
    return list(tensors)


def _promoted(tensors: Sequence[Any]) -> DType:
    """Return the common dtype; tensors without dimensions count as any others do."""
    dtype: DType = tensors[0].dtype
    for tensor in tensors[1:]:
        dtype = promote_types(dtype, tensor.dtype)
    return dtype


def _concatenated(tensors: Any, dim: Any, name: str) -> Out:
    tensors = _listed(tensors, name)
    for number, tensor in enumerate(tensors):
        if not tensor.shape:
            raise Fault(f"{name}: tensor {number} has no dimensions and cannot be concatenated", FaultCode.WRONG_RANK)
    # An empty vector is left out, whatever the others' rank.
    solid = [t for t in tensors if not (len(t.shape) == 1 and equal(t.shape[0], 0) is True)]
    if not solid:
        return Out((0,), _promoted(tensors), compute(lambda np, a: a, tensors[0]))
    place = axis(dim, len(solid[0].shape))
    shape = rule.concatenate([tuple(t.shape) for t in solid], place, name)
    return Out(shape, _promoted(tensors), compute(lambda np, *a: np.concatenate(a, place), *solid))


@op("torch.cat", "torch.concat", "torch.concatenate")
def cat(tensors, dim=0):
    return _concatenated(tensors, dim, "cat")


@op("torch.stack")
def stack(tensors, dim=0):
    tensors = _listed(tensors, "stack")
    place, shape = rule.stack([tuple(t.shape) for t in tensors], dim)
    return Out(shape, _promoted(tensors), compute(lambda np, *a: np.stack(a, place), *tensors))


@op("torch.hstack")
def hstack(tensors):
    tensors = [_raised(t, 1) for t in _listed(tensors, "hstack")]
    return _concatenated(tensors, 0 if len(tensors[0].shape) == 1 else 1, "hstack")


@op("torch.vstack", "torch.row_stack")
def vstack(tensors):
    return _concatenated([_raised(t, 2) for t in _listed(tensors, "vstack")], 0, "vstack")


@op("torch.dstack")
def dstack(tensors):
    return _concatenated([_raised(t, 3) for t in _listed(tensors, "dstack")], 2, "dstack")


@op("torch.column_stack")
def column_stack(tensors):
    columns = [t if len(t.shape) > 1 else t.reshape(t.shape.numel(), 1) for t in _listed(tensors, "column_stack")]
    return _concatenated(columns, 1, "column_stack")


def _raised(tensor: Any, rank: int) -> Any:
    """Return the tensor with at least `rank` dimensions."""
    if len(tensor.shape) >= rank:
        return tensor
    return {1: atleast_1d, 2: atleast_2d, 3: atleast_3d}[rank](tensor)


@op("torch.block_diag", "torch.functional.block_diag")
def block_diag(*tensors):
    shape = rule.block_diagonal([tuple(t.shape) for t in tensors]) if tensors else (1, 0)
    if not tensors:
        return Out(shape, default_dtype())

    def apply(np: Any, *arrays: Any) -> Any:
        made = np.zeros(shape, np.result_type(*arrays))
        row = column = 0
        for array in map(np.atleast_2d, arrays):
            made[row : row + array.shape[0], column : column + array.shape[1]] = array
            row, column = row + array.shape[0], column + array.shape[1]
        return made

    return Out(shape, result_type(*tensors), compute(apply, *tensors))


@op("torch.meshgrid", "torch.functional.meshgrid", strided=True)
def meshgrid(*tensors, indexing=None):
    return _grids(_listed(spread(tensors, {}), "meshgrid"), indexing)


def _grids(tensors: list[Any], indexing: str | None) -> tuple[Out, ...]:
    if indexing not in (None, "ij", "xy"):
        raise Fault(f"meshgrid: indexing must be 'xy' or 'ij', but is {indexing!r}", FaultCode.INVALID_ARGUMENT)
    for number, tensor in enumerate(tensors):
        if len(tensor.shape) > 1:
            raise Fault(
                f"meshgrid: expects scalars or vectors, but tensor {number} is {text(tensor.shape)}",
                FaultCode.WRONG_RANK,
            )
        if tensor.dtype is not tensors[0].dtype:
            raise Fault(f"meshgrid: tensors must have the same dtype, but tensor 0 is {tensors[0].dtype} and "
                        f"tensor {number} is {tensor.dtype}", FaultCode.DTYPE_MISMATCH)  # fmt: skip
    session.current().limit_parts(len(tensors) ** 2, "sizes of grids")
    shape = [t.shape[0] if t.shape else 1 for t in tensors]
    order = list(range(len(shape)))
    if indexing == "xy" and len(shape) > 1:
        order[:2] = 1, 0
    shape = [shape[i] for i in order]

    def grid(number: int) -> Any:
        place = order.index(number)

        def apply(np: Any, a: Any) -> Any:
            return np.broadcast_to(a.reshape([-1 if d == place else 1 for d in order_range]), shape)

        return apply

    order_range = range(len(shape))
    return tuple(Out(shape, t.dtype, compute(grid(i), t)) for i, t in enumerate(tensors))


@op("torch.cartesian_prod", "torch.functional.cartesian_prod")
def cartesian_prod(*tensors):
    for number, tensor in enumerate(tensors):
        if len(tensor.shape) != 1:
            raise Fault(
                f"cartesian_prod: expects vectors, but tensor {number} is {text(tensor.shape)}",
                FaultCode.WRONG_RANK,
            )
        if tensor.dtype is not tensors[0].dtype:
            raise Fault(f"cartesian_prod: tensors must have the same dtype, but tensor 0 is {tensors[0].dtype} and "
                        f"tensor {number} is {tensor.dtype}", FaultCode.DTYPE_MISMATCH)  # fmt: skip
    if len(tensors) == 1:
        return tensors[0]
    rows = product(t.shape[0] for t in tensors)

    def apply(np: Any, *arrays: Any) -> Any:
        return np.stack([g.reshape(-1) for g in np.meshgrid(*arrays, indexing="ij")], 1)

    return Out((rows, len(tensors)), tensors[0].dtype, compute(apply, *tensors))


@op("torch.combinations")
def combinations(input, r=2, with_replacement=False):
    if len(input.shape) != 1:
        raise Fault(f"combinations: expects a vector, but input is {text(input.shape)}", FaultCode.WRONG_RANK)
    if r < 0:
        raise Fault(f"combinations: r must be non-negative, but is {r}", FaultCode.INVALID_ARGUMENT)
    if r == 0:
        return Out((0,), input.dtype)
    count = input.shape[0]
    rows: Any
    if isinstance(count, int):
        rows = comb(count + r - 1, r) if with_replacement and count else comb(count, r)
    else:
        rows = product(count + i if with_replacement else count - i for i in range(r))
        rows = floordiv(rows, product(range(1, r + 1)))

    def apply(np: Any, a: Any) -> Any:
        choose = itertools.combinations_with_replacement if with_replacement else itertools.combinations
        places = np.array(list(choose(range(len(a)), r)), "int64").reshape(-1, r)
        return a[places]

    return Out((rows, r), input.dtype, compute(apply, input))
