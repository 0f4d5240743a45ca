"""Looking up rows of a table by integers, and integers as one-hot vectors."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault, Fault, NotImplementedFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, less, unknown_size
from cutaway.core.unknown import Unknown
from cutaway.knowledge.torch.functional.argument import forget
from cutaway.knowledge.torch.indexing.index import check_numbers
from cutaway.knowledge.torch.tensor.op import Out, compute, inplace_op, op
from cutaway.knowledge.torch.tensor.types import int32, int64
from cutaway.ops.norm import fits
from cutaway.ops.window import shown, size_of

_INDEX = (int64, int32)


def _lookup(indices: Any, weight: Any) -> Out:
    if len(weight.shape) != 2:
        raise Fault(
            f"embedding: weight must have 2 dimensions, but its shape is {shown(weight.shape)}", FaultCode.WRONG_RANK
        )
    if indices.dtype not in _INDEX:
        raise Fault(
            f"embedding: indices must be torch.int64 or torch.int32, but are {indices.dtype}",
            FaultCode.UNSUPPORTED_DTYPE,
        )
    if isinstance(indices.shape, Unknown):
        return Out(indices.shape, weight.dtype)
    check_numbers(indices, weight.shape[0], 0, "embedding", negative=False)
    if weight.shape[0] == 0 and all(type(size) is int and size for size in indices.shape):
        raise Fault("embedding: the table has no rows", FaultCode.INDEX_OUT_OF_RANGE)
    values = compute(lambda np, rows, table: table[rows], indices, weight)
    return Out((*indices.shape, weight.shape[1]), weight.dtype, values)


@op("torch.nn.functional.embedding")
def embedding(input, weight, padding_idx=None, max_norm=None, norm_type=2.0, scale_grad_by_freq=False, sparse=False):
    if padding_idx is not None and not isinstance(padding_idx, Unknown):
        rows, padding_idx = weight.shape[0], size_of(padding_idx, "embedding: padding_idx")
        if less(padding_idx, rows) is False or less(padding_idx, -rows) is True:
            raise Fault(
                f"embedding: padding_idx {padding_idx} is not a row of a table of {rows}", FaultCode.INDEX_OUT_OF_RANGE
            )
    if max_norm is not None:
        forget(weight)
    return _lookup(input, weight)


@op("torch.embedding")
def torch_embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    return _lookup(indices, weight)


@inplace_op("torch.embedding_renorm_")
def embedding_renorm_(input, indices, max_norm, norm_type):
    return Out(input.shape, input.dtype)


def _bags(offsets: Any, include_last_offset: Any) -> Any:
    return offsets.shape[0] - 1 if include_last_offset else offsets.shape[0]


@op("torch.nn.functional.embedding_bag")
def embedding_bag(
    input, weight, offsets=None, max_norm=None, norm_type=2, scale_grad_by_freq=False, mode="mean", sparse=False,
    per_sample_weights=None, include_last_offset=False, padding_idx=None,
):  # fmt: skip
    if weight.dtype is int64 and input.dtype.is_floating_point:
        weight, input = input, weight
    if per_sample_weights is not None and not fits(input.shape, per_sample_weights.shape):
        raise ArgumentFault(
            f"embedding_bag: per_sample_weights has shape {shown(per_sample_weights.shape)}, "
            f"but the input has {shown(input.shape)}",
            FaultCode.SHAPE_MISMATCH,
        )
    if len(weight.shape) != 2:
        raise ArgumentFault(
            f"embedding_bag: weight must have 2 dimensions, but its shape is {shown(weight.shape)}",
            FaultCode.WRONG_RANK,
        )
    if len(input.shape) not in (1, 2):
        raise ArgumentFault(
            f"embedding_bag: input must have 1 or 2 dimensions, but its shape is {shown(input.shape)}",
            FaultCode.WRONG_RANK,
        )
    if (len(input.shape) == 2) is not (offsets is None):
        given = "given for" if offsets is not None else "missing for"
        raise ArgumentFault(
            f"embedding_bag: offsets are {given} an input of {len(input.shape)} dimensions", FaultCode.ARGUMENT_CONFLICT
        )
    if offsets is not None and len(offsets.shape) != 1:
        raise ArgumentFault(
            f"embedding_bag: offsets must have one dimension, but their shape is {shown(offsets.shape)}",
            FaultCode.WRONG_RANK,
        )
    if mode not in ("sum", "mean", "max"):
        raise ArgumentFault(
            f"embedding_bag: mode must be sum, mean or max, but is {mode!r}", FaultCode.INVALID_ARGUMENT
        )
    if mode == "max" and (scale_grad_by_freq or sparse):
        raise ArgumentFault(
            "embedding_bag: max mode has no scale_grad_by_freq and no sparse", FaultCode.ARGUMENT_CONFLICT
        )
    if per_sample_weights is not None and mode != "sum":
        raise NotImplementedFault(
            f"embedding_bag: per_sample_weights needs mode='sum', but it is {mode!r}", FaultCode.ARGUMENT_CONFLICT
        )
    _check_bag_dtypes(input, weight)
    if max_norm is not None:
        forget(weight)
    bags = input.shape[0] if offsets is None else _bags(offsets, include_last_offset)
    return Out((bags, weight.shape[1]), weight.dtype)


def _check_bag_dtypes(indices: Any, weight: Any) -> None:
    if indices.dtype not in _INDEX:
        raise Fault(
            f"embedding_bag: indices must be torch.int64 or torch.int32, but are {indices.dtype}",
            FaultCode.UNSUPPORTED_DTYPE,
        )
    if not weight.dtype.is_floating_point:
        raise Fault(f"embedding_bag: weight must be floating, but is {weight.dtype}", FaultCode.UNSUPPORTED_DTYPE)


@op("torch.embedding_bag", "torch._embedding_bag")
def torch_embedding_bag(
    weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,
    include_last_offset=False, padding_idx=None,
):  # fmt: skip
    _check_bag_dtypes(indices, weight)
    bags = _bags(offsets, include_last_offset)
    # What the three others hold, and so their sizes, differs between devices.
    largest = Out(Unknown("the indices that embedding_bag keeps for its gradient"), int64)
    return Out((bags, weight.shape[1]), weight.dtype), *(Out((unknown_size(),), int64) for _ in range(2)), largest


@op("torch.nn.functional.one_hot", "torch._C._nn.one_hot")
def one_hot(input, num_classes=-1):
    if input.dtype is not int64:
        raise Fault(f"one_hot: the input must be torch.int64, but is {input.dtype}", FaultCode.UNSUPPORTED_DTYPE)
    classes = num_classes
    if not isinstance(num_classes, Unknown):
        num_classes = classes = size_of(num_classes, "one_hot: num_classes")
        if equal(num_classes, -1) is True:
            classes = int(input.array().max()) + 1 if input.values_ is not None else unknown_size()
        elif less(num_classes, 1) is True:
            raise Fault(f"one_hot: num_classes must be positive, but is {num_classes}", FaultCode.INVALID_ARGUMENT)
    classes = size_of(classes)
    if isinstance(input.shape, Unknown):
        return Out(input.shape, int64)
    check_numbers(input, classes, -1, "one_hot", negative=False)
    values = compute(lambda np, a, count: np.arange(count) == a[..., None], input, classes)
    return Out((*input.shape, classes), int64, values)
