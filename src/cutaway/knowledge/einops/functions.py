"""The functions of `einops`."""

from __future__ import annotations

import string
from typing import Any

from cutaway.core import dtype as kinds
from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault, NotImplementedFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Dim, equal, mod, product
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import register, row
from cutaway.knowledge.base.values import Lazy
from cutaway.knowledge.torch.elementwise.rows import is_numpy
from cutaway.knowledge.torch.linalg.einsum import contract
from cutaway.knowledge.torch.linalg.matmul import require_tensors
from cutaway.knowledge.torch.tensor.op import Out, compute, op
from cutaway.knowledge.torch.tensor.promote import result_type
from cutaway.knowledge.torch.tensor.tensor import Tensor, new
from cutaway.knowledge.torch.tensor.types import DTYPES, DType, bool_, int64
from cutaway.ops import pattern as patterns
from cutaway.ops.pattern import ELLIPSIS, PatternFault, Plan
from cutaway.ops.reshape import text

register("einops.EinopsError", PatternFault)


def names(function: str) -> tuple[str, str]:
    """Return the names of a function of einops."""
    return f"einops.{function}", f"einops.einops.{function}"


def _input(tensor: Any) -> tuple[Any, list[Any]]:
    """Return the shape of a tensor, or of a list of tensors that are stacked, and the tensors."""
    if isinstance(tensor, Unknown):
        raise Undecidable(tensor)
    if isinstance(tensor, Tensor):
        return tensor.shape, [tensor]
    if not isinstance(tensor, (list, tuple, int, float, str, dict, type(None))):
        raise Undecidable(Unknown(f"einops on {type(tensor).__name__} objects is not modelled"))
    if not isinstance(tensor, list) or not all(isinstance(t, (Tensor, Unknown)) for t in tensor) or not tensor:
        raise TypeFault(
            f"einops: expects a tensor or a list of tensors, but got {type(tensor).__name__}", FaultCode.WRONG_TYPE
        )
    for each in tensor:
        if isinstance(each, Unknown):
            raise Undecidable(each)
        if len(each.shape) != len(tensor[0].shape) or any(
            equal(a, b) is False for a, b in zip(each.shape, tensor[0].shape)
        ):
            raise Fault(
                f"einops: tensors {text(tensor[0].shape)} and {text(each.shape)} of a list can't be stacked",
                FaultCode.SHAPE_MISMATCH,
            )
    return (len(tensor), *tensor[0].shape), list(tensor)


def _rearranged(tensor: Any, pattern: Any, operation: str, lengths: dict[str, Any]) -> Any:
    if isinstance(pattern, Unknown):
        raise Undecidable(pattern)
    sizes = {
        axis: session.current().size(size) if isinstance(size, Unknown) else size for axis, size in lengths.items()
    }
    for axis, size in sizes.items():
        if not isinstance(size, Dim) and (type(size) is not int or size < 0):
            raise Undecidable(Unknown(f"einops: the size {size!r} for the axis {axis}"))
    if is_numpy(tensor):
        array_plan = patterns.plan(pattern, operation, tensor.shape, sizes)
        return Lazy(lambda np: _numbers(np, array_plan, operation, [tensor], False)).array()
    shape, tensors = _input(tensor)
    plan = patterns.plan(pattern, operation, shape, sizes)
    stacked = isinstance(tensor, list)
    values = compute(lambda np, *arrays: _numbers(np, plan, operation, arrays, stacked), *tensors)
    dtype = result_type(*tensors)
    if plan.reduced:
        dtype = _reduced_dtype(operation, dtype)
    view = not stacked and not plan.reduced and not (plan.copies and tensor._contiguous)
    return Out(plan.shape, dtype, values, view=view)


def _reduced_dtype(operation: str, dtype: DType) -> DType:
    if operation == "mean" and not dtype.is_floating_point:
        raise NotImplementedFault(f"einops: the mean of {dtype} tensors is not available", FaultCode.UNSUPPORTED_DTYPE)
    if operation in ("sum", "prod") and kinds.category(dtype.name) < kinds.FLOATING:
        return int64
    if operation in ("any", "all"):
        return dtype if dtype is DTYPES["uint8"] else bool_
    return dtype


def _numbers(np: Any, plan: Plan, operation: str, arrays: Any, stacked: bool) -> Any:
    array = np.stack(arrays) if stacked else arrays[0]
    array = array.reshape(plan.split).transpose(plan.order)
    if plan.reduced:
        array = getattr(array, operation)(axis=plan.reduced)
    for position, _ in plan.added:
        array = np.expand_dims(array, position)
    sizes = list(array.shape)
    for position, size in plan.added:
        sizes[position] = size
    return np.broadcast_to(array, sizes).reshape(plan.shape)


@op(*names("rearrange"))
def rearrange(tensor, pattern, **axes_lengths):
    return _rearranged(tensor, pattern, "rearrange", axes_lengths)


@op(*names("repeat"))
def repeat(tensor, pattern, **axes_lengths):
    return _rearranged(tensor, pattern, "repeat", axes_lengths)


@op(*names("reduce"))
def reduce(tensor, pattern, reduction, **axes_lengths):
    if isinstance(reduction, Unknown):
        raise Undecidable(reduction)
    if isinstance(reduction, str):
        return _rearranged(tensor, pattern, reduction, axes_lengths)
    shape, tensors = _input(tensor)
    plan = patterns.plan(pattern, reduction, shape, axes_lengths)
    dtype = result_type(*tensors)
    if not plan.reduced:
        return Out(plan.shape, dtype)
    permuted = new([plan.split[i] for i in plan.order], dtype)
    return Out(plan.shape, _unrecorded(reduction, permuted, plan.reduced).dtype)


def _unrecorded(function: Any, *args: Any) -> Any:
    """Call a function of tensors whose operations are part of the one being recorded."""
    here = session.current()
    recording, here.recording = here.recording, False
    try:
        return function(*args)
    finally:
        here.recording = recording


@op(*names("einsum"))
def einsum(*tensors_and_pattern):
    if len(tensors_and_pattern) < 2:
        raise ArgumentFault("einops.einsum: expects tensors and then a pattern", FaultCode.INVALID_ARGUMENT)
    *tensors, pattern = tensors_and_pattern
    if isinstance(pattern, Unknown):
        raise Undecidable(pattern)
    if not isinstance(pattern, str):
        raise ArgumentFault("einops.einsum: the last argument must be the pattern", FaultCode.INVALID_ARGUMENT)
    require_tensors("einops.einsum", *tensors)
    return contract(_letters(pattern), tensors)


def _letters(pattern: str) -> str:
    """Return a pattern of named axes as an equation with one letter for each."""
    if "->" not in pattern:
        raise ArgumentFault(f"einops.einsum: the pattern {pattern!r} must have a ->", FaultCode.INVALID_ARGUMENT)
    left, right = pattern.split("->")
    letters: dict[str, str] = {}

    def written(expression: patterns.Expression, new: bool) -> str:
        found = ""
        for group in expression.groups:
            if len(group) != 1 or group[0] in expression.anonymous:
                raise NotImplementedFault(
                    f"einops.einsum: {pattern!r} may not have parentheses or numbers", FaultCode.INVALID_ARGUMENT
                )
            if group[0] == ELLIPSIS:
                found += "..."
                continue
            if group[0] not in letters:
                if not new:
                    raise PatternFault(
                        f"einops.einsum: {pattern!r} has no {group[0]!r} on its left", FaultCode.INVALID_ARGUMENT
                    )
                letters[group[0]] = string.ascii_letters[len(letters)]
            found += letters[group[0]]
        return found

    operands = [written(patterns.parse(part, True, True), True) for part in left.split(",")]
    return ",".join(operands) + "->" + written(patterns.parse(right, True), False)


def _star(pattern: str, name: str) -> tuple[int, int]:
    """Return how many axes a packing pattern names before and after its star."""
    axes = pattern.split()
    if len(set(axes)) != len(axes):
        raise PatternFault(f"{name}: {pattern!r} names an axis twice", FaultCode.INVALID_ARGUMENT)
    if "*" not in axes:
        raise PatternFault(f"{name}: {pattern!r} has no *", FaultCode.INVALID_ARGUMENT)
    for axis in axes:
        if axis != "*" and not patterns.is_axis(axis):
            raise PatternFault(f"{name}: {axis!r} in {pattern!r} is no name of an axis", FaultCode.INVALID_ARGUMENT)
    return axes.index("*"), len(axes) - axes.index("*") - 1


@op("einops.pack", "einops.packing.pack")
def pack(tensors, pattern):
    before, after = _star(pattern, "pack")
    packed, sizes = [], []
    for number, tensor in enumerate(tensors):
        shape = tensor.shape
        if len(shape) < before + after:
            raise PatternFault(
                f"pack: tensor {number} is {text(shape)}, but {pattern!r} expects at least {before + after} dimensions",
                FaultCode.WRONG_RANK,
            )
        packed.append(shape[before : len(shape) - after])
        sizes.append((*shape[:before], *shape[len(shape) - after :]))
        for place, (size, first) in enumerate(zip(sizes[-1], sizes[0])):
            if equal(size, first) is False:
                raise Fault(
                    f"pack: axis {place} of {pattern!r} has size {first} in tensor 0, but {size} in {number}",
                    FaultCode.SHAPE_MISMATCH,
                )
    total = sum(product(shape) for shape in packed)
    values = compute(
        lambda np, *arrays: np.concatenate(
            [a.reshape(*a.shape[:before], -1, *a.shape[a.ndim - after :]) for a in arrays], axis=before
        ),
        *tensors,
    )
    shape = (*sizes[0][:before], total, *sizes[0][before:])
    return Out(shape, result_type(*tensors), values), packed


@op("einops.unpack", "einops.packing.unpack")
def unpack(tensor, packed_shapes, pattern):
    before, after = _star(pattern, "unpack")
    shape = tensor.shape
    if len(shape) != before + 1 + after:
        raise PatternFault(
            f"unpack: {pattern!r} expects {before + 1 + after} dimensions, but the input is {text(shape)}",
            FaultCode.WRONG_RANK,
        )
    known = [None if any(s == -1 for s in part) else product(part) for part in packed_shapes]
    if known.count(None) > 1:
        raise PatternFault(f"unpack: more than one -1 in {packed_shapes}", FaultCode.INVALID_ARGUMENT)
    whole = shape[before]
    rest = whole - sum(size for size in known if size is not None)
    if None not in known and equal(rest, 0) is False:
        raise PatternFault(
            f"unpack: the packed axis has size {whole}, but {packed_shapes} take {whole - rest}",
            FaultCode.SHAPE_MISMATCH,
        )
    outs, start = [], 0
    for part, size in zip(packed_shapes, known):
        parts = [int(s) if isinstance(s, bool) else s for s in part]
        if size is None:
            others = product(s for s in parts if s != -1)
            if equal(mod(rest, others), 0) is False:
                raise PatternFault(
                    f"unpack: the {rest} left of the packed axis are not divisible by {others}",
                    FaultCode.SHAPE_MISMATCH,
                )
            parts = [rest // others if s == -1 else s for s in parts]
        stop = start + (rest if size is None else size)
        made = (*shape[:before], *parts, *shape[before + 1 :])
        values = compute(lambda np, a, i, j: np.take(a, range(i, j), axis=before), tensor, start, stop)
        outs.append(Out(made, tensor.dtype, values, view=True))
        start = stop
    return outs


@row(*names("parse_shape"))
def parse_shape(x, pattern):
    expression = patterns.parse(pattern, underscore=True)
    shape = x.shape
    if any(len(group) > 1 for group in expression.groups):
        raise Fault(f"parse_shape: {pattern!r} may not have composed axes", FaultCode.INVALID_ARGUMENT)
    groups = list(expression.groups)
    if (ELLIPSIS,) in groups:
        place = groups.index((ELLIPSIS,))
        if len(shape) < len(groups) - 1:
            raise Fault(
                f"parse_shape: {pattern!r} expects at least {len(groups) - 1} dimensions, not {text(shape)}",
                FaultCode.WRONG_RANK,
            )
        groups[place : place + 1] = [("_",)] * (len(shape) - len(groups) + 1)
    if len(groups) != len(shape):
        raise Fault(
            f"parse_shape: {pattern!r} expects {len(groups)} dimensions, but the input is {text(shape)}",
            FaultCode.WRONG_RANK,
        )
    found = {}
    for group, size in zip(groups, shape):
        wanted = expression.anonymous.get(group[0]) if group else 1
        if wanted is not None:
            if equal(size, wanted) is False:
                raise Fault(
                    f"parse_shape: an axis of {pattern!r} must have size {wanted}, but has {size}",
                    FaultCode.SHAPE_MISMATCH,
                )
        elif group[0] != "_":
            found[group[0]] = size
    return found


register("einops._torch_specific.allow_ops_in_compiled_graph", lambda: None)
