"""Losses that compare element by element, and those on pairs and triples of vectors."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault, Fault, NotImplementedFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import TABLE, row
from cutaway.knowledge.torch.functional.argument import axis, floating, same_dtype
from cutaway.knowledge.torch.functional.reduction import chosen, get_enum, reduced
from cutaway.knowledge.torch.tensor.op import Out, op
from cutaway.knowledge.torch.tensor.promote import float_type, promote_types, result_type
from cutaway.knowledge.torch.tensor.tensor import Tensor, new
from cutaway.knowledge.torch.tensor.types import bool_
from cutaway.ops.elementwise import broadcast
from cutaway.ops.norm import fits
from cutaway.ops.window import shown

_F = "torch.nn.functional."


def _same_shape(name: str, input: Any, target: Any, what: str = "target") -> None:
    if isinstance(input.shape, Unknown) or isinstance(target.shape, Unknown):
        return
    if not fits(input.shape, target.shape):
        raise ArgumentFault(
            f"{name}: input has shape {shown(input.shape)}, but {what} has {shown(target.shape)}",
            FaultCode.SHAPE_MISMATCH,
        )


def _floating_result(name: str, *operands: Any) -> Any:
    dtype = result_type(*operands)
    if not dtype.is_floating_point:
        raise NotImplementedFault(f"{name} is not implemented for {dtype}", FaultCode.UNSUPPORTED_DTYPE)
    return dtype


def _not_bool(name: str, *operands: Any) -> None:
    if any(isinstance(operand, Tensor) and operand.dtype is bool_ for operand in operands):
        raise Fault(f"{name}: torch.bool inputs are not supported", FaultCode.UNSUPPORTED_DTYPE)


def _weighted(name: str, input: Any, target: Any, weight: Any, reduction: Any, dtype: Any) -> Out:
    """An elementwise loss, multiplied by weights of the input's shape where there are any."""
    shape = broadcast(name, input.shape, target.shape)
    _look_for_square(name, input.shape, target.shape, shape)
    if weight is not None:
        _same_shape(name, input, weight, "weight")
        shape, dtype = broadcast(name, shape, weight.shape), result_type(new(shape, dtype), weight)
        if get_enum(reduction) == 1:
            dtype = float_type(dtype)
    return reduced(name, shape, dtype, reduction)


def _look_for_square(name: str, input: Any, target: Any, shape: Any) -> None:
    """Report that both sides of a loss are broadcast, so that each target meets several predictions."""
    if any(isinstance(each, Unknown) for each in (input, target, shape)) or len(input) == len(target):
        return
    if all(_is_smaller(each, shape) for each in (input, target)):
        session.current().report(
            Fault(
                f"{name}: an input of shape {shown(input)} and a target of {shown(target)} are broadcast to {shown(shape)}: "
                "each target meets each prediction",
                FaultCode.SILENT_BROADCAST,
            )
        )


def _is_smaller(one: Any, whole: Any) -> bool:
    aligned = (*(1,) * (len(whole) - len(one)), *one)
    return any(type(size) is int and equal(size, result) is False for size, result in zip(aligned, whole))


@op(f"{_F}mse_loss")
def mse_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    dtype = _floating_result("mse_loss", input, target) if weight is None else result_type(input, target)
    return _weighted("mse_loss", input, target, weight, chosen(reduction, size_average, reduce), dtype)


@op(f"{_F}l1_loss")
def l1_loss(input, target, size_average=None, reduce=None, reduction="mean", weight=None):
    _not_bool("l1_loss", input, target)
    dtype = result_type(input, target).to_real()
    return _weighted("l1_loss", input, target, weight, chosen(reduction, size_average, reduce), dtype)


@op(f"{_F}smooth_l1_loss")
def smooth_l1_loss(input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    if isinstance(beta, (int, float)) and beta < 0:
        raise Fault(f"smooth_l1_loss: beta must not be negative, but is {beta}", FaultCode.INVALID_ARGUMENT)
    dtype = _floating_result("smooth_l1_loss", input, target)
    return _weighted("smooth_l1_loss", input, target, None, chosen(reduction, size_average, reduce), dtype)


@op(f"{_F}huber_loss")
def huber_loss(input, target, reduction="mean", delta=1.0, weight=None):
    if isinstance(delta, (int, float)) and delta <= 0:
        raise Fault(f"huber_loss: delta must be positive, but is {delta}", FaultCode.INVALID_ARGUMENT)
    return _weighted("huber_loss", input, target, weight, reduction, floating("huber_loss", input))


@op(f"{_F}kl_div")
def kl_div(input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    reduction = chosen(reduction, size_average, reduce)
    return _kl_div(input, target, "sum" if reduction == "batchmean" else reduction)


@op("torch.kl_div")
def torch_kl_div(input, target, reduction=0, *, log_target=False):
    return _kl_div(input, target, reduction)


def _kl_div(input: Any, target: Any, reduction: Any) -> Out:
    for what, tensor in (("input", input), ("target", target)):
        if not (tensor.dtype.is_floating_point or tensor.dtype.is_complex):
            raise Fault(f"kl_div: {what} must be floating, but is {tensor.dtype}", FaultCode.UNSUPPORTED_DTYPE)
    return reduced("kl_div", broadcast("kl_div", input.shape, target.shape), result_type(input, target), reduction)


@op(f"{_F}binary_cross_entropy")
def binary_cross_entropy(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    name = "binary_cross_entropy"
    _same_shape(name, input, target)
    if weight is not None:
        broadcast(name, target.shape, weight.shape)
    floating(name, input)
    dtype = same_dtype(name, input=input, target=target)
    return reduced(name, input.shape, dtype, chosen(reduction, size_average, reduce))


def _with_logits(input: Any, target: Any, weight: Any, pos_weight: Any, reduction: Any) -> Out:
    name = "binary_cross_entropy_with_logits"
    floating(name, input)
    if not (target.dtype.is_floating_point or target.dtype.is_complex):
        raise Fault(f"{name}: target must be floating, but is {target.dtype}", FaultCode.UNSUPPORTED_DTYPE)
    shape = target.shape
    for what, tensor in (("input", input), ("pos_weight", pos_weight), ("weight", weight)):
        if tensor is not None and not _broadcasts_into(name, tensor.shape, shape):
            raise Fault(
                f"{name}: {what} of shape {shown(tensor.shape)} does not fit a target of {shown(shape)}",
                FaultCode.SHAPE_MISMATCH,
            )
    return reduced(name, shape, target.dtype, reduction)


def _broadcasts_into(name: str, shape: Any, whole: Any) -> bool:
    if isinstance(shape, Unknown) or isinstance(whole, Unknown):
        return True
    common = broadcast(name, whole, shape)
    return len(common) == len(whole) and all(equal(a, b) is not False for a, b in zip(common, whole))


@op(f"{_F}binary_cross_entropy_with_logits")
def binary_cross_entropy_with_logits(
    input, target, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None
):
    _same_shape("binary_cross_entropy_with_logits", input, target)
    return _with_logits(input, target, weight, pos_weight, chosen(reduction, size_average, reduce))


@op("torch.binary_cross_entropy_with_logits")
def torch_binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=0):
    return _with_logits(input, target, weight, pos_weight, reduction)


def _poisson(input: Any, target: Any, reduction: Any) -> Out:
    name = "poisson_nll_loss"
    shape = broadcast(name, input.shape, target.shape)
    return reduced(name, shape, result_type(new(input.shape, float_type(input.dtype)), target), reduction)


@op(f"{_F}poisson_nll_loss")
def poisson_nll_loss(
    input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction="mean"
):
    return _poisson(input, target, chosen(reduction, size_average, reduce))


@op("torch.poisson_nll_loss")
def torch_poisson_nll_loss(input, target, log_input, full, eps, reduction):
    return _poisson(input, target, reduction)


@op(f"{_F}gaussian_nll_loss")
def gaussian_nll_loss(input, target, var, full=False, eps=1e-06, reduction="mean"):
    name = "gaussian_nll_loss"
    if isinstance(var, float):
        if var < 0:
            raise ArgumentFault(f"{name}: var must not be negative, but is {var}", FaultCode.INVALID_ARGUMENT)
        spread = input.shape
        dtype = result_type(input, target)
    else:
        spread = _variance_shape(input.shape, var.shape)
        dtype = result_type(input, target, var)
    shape = broadcast(name, broadcast(name, input.shape, target.shape), spread)
    return reduced(name, shape, float_type(dtype), reduction)


def _variance_shape(input: Any, var: Any) -> Any:
    """A variance has the input's shape, or lacks its last dimension, or has one dimension of size 1 instead."""
    if fits(input, var):
        return var
    if fits(input[:-1], var):
        return (*var, 1)
    if len(input) == len(var):
        others = [b for a, b in zip(input, var) if equal(a, b) is False]
        if len(others) <= 1 and all(equal(size, 1) is not False for size in others):
            return var
    raise ArgumentFault(
        f"gaussian_nll_loss: var of shape {shown(var)} does not fit an input of {shown(input)}",
        FaultCode.SHAPE_MISMATCH,
    )


def _hinge(input: Any, target: Any, reduction: Any) -> Out:
    name = "hinge_embedding_loss"
    _not_bool(name, input)
    return reduced(name, broadcast(name, input.shape, target.shape), input.dtype, reduction)


@op(f"{_F}hinge_embedding_loss")
def hinge_embedding_loss(input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    return _hinge(input, target, chosen(reduction, size_average, reduce))


@op("torch.hinge_embedding_loss")
def torch_hinge_embedding_loss(input, target, margin=1.0, reduction=0):
    return _hinge(input, target, reduction)


@op(f"{_F}soft_margin_loss")
def soft_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    name = "soft_margin_loss"
    shape = broadcast(name, target.shape, input.shape)
    if len(target.shape) > len(input.shape) or any(
        type(size) is int and type(own) is int and own != size
        for own, size in zip(input.shape, shape[-len(input.shape) :])
    ):
        raise Fault(
            f"{name}: the targets have shape {shown(target.shape)}, which does not suit an input of {shown(input.shape)}",
            FaultCode.SHAPE_MISMATCH,
        )
    return reduced(name, shape, floating(name, input), chosen(reduction, size_average, reduce))


def _margin_ranking(input1: Any, input2: Any, target: Any, reduction: Any) -> Out:
    name = "margin_ranking_loss"
    _not_bool(name, input1, input2)
    shape = broadcast(name, target.shape, broadcast(name, input1.shape, input2.shape))
    return reduced(name, shape, float_type(result_type(input1, input2, target)), reduction)


@op(f"{_F}margin_ranking_loss")
def margin_ranking_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    shapes = input1.shape, input2.shape, target.shape
    if len({len(shape) for shape in shapes}) != 1:
        raise Fault(
            "margin_ranking_loss: input1, input2 and target must have the same number of dimensions, "
            f"but their shapes are {', '.join(map(shown, shapes))}",
            FaultCode.WRONG_RANK,
        )
    return _margin_ranking(input1, input2, target, chosen(reduction, size_average, reduce))


@op("torch.margin_ranking_loss")
def torch_margin_ranking_loss(input1, input2, target, margin=0.0, reduction=0):
    return _margin_ranking(input1, input2, target, reduction)


def _cosine_embedding(input1: Any, input2: Any, target: Any, reduction: Any) -> Out:
    name, rank = "cosine_embedding_loss", len(target.shape)
    if rank > 1:
        raise Fault(
            f"{name}: target must have 0 or 1 dimensions, but its shape is {shown(target.shape)}", FaultCode.WRONG_RANK
        )
    for tensor in (input1, input2):
        if len(tensor.shape) != rank + 1:
            raise Fault(
                f"{name}: a target of {rank} dimensions needs inputs of {rank + 1}, "
                f"but the shape of one is {shown(tensor.shape)}",
                FaultCode.WRONG_RANK,
            )
    pairs = broadcast(name, input1.shape, input2.shape)
    dim = axis(name, rank, pairs)
    shape = broadcast(name, pairs[:dim], target.shape)
    return reduced(name, shape, promote_types(float_type(input1.dtype), float_type(input2.dtype)), reduction)


@op(f"{_F}cosine_embedding_loss")
def cosine_embedding_loss(input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    return _cosine_embedding(input1, input2, target, chosen(reduction, size_average, reduce))


@op("torch.cosine_embedding_loss")
def torch_cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=0):
    return _cosine_embedding(input1, input2, target, reduction)


def _triplet(anchor: Any, positive: Any, negative: Any, reduction: Any, swap: Any) -> Out:
    name = "triplet_margin_loss"
    tensors = {"anchor": anchor, "positive": positive, "negative": negative}
    if len({len(tensor.shape) for tensor in tensors.values()}) != 1:
        raise Fault(
            f"{name}: anchor, positive and negative must have the same number of dimensions, but their shapes are "
            + ", ".join(shown(tensor.shape) for tensor in tensors.values()),
            FaultCode.WRONG_RANK,
        )
    _not_bool(name, *tensors.values())
    pairs = [(anchor, positive), (anchor, negative)] + ([(positive, negative)] if swap is True else [])
    shape, dtype = None, None
    for one, other in pairs:
        distances = broadcast(name, one.shape, other.shape)[:-1]
        kind = float_type(result_type(one, other)).to_real()
        shape = distances if shape is None else broadcast(name, shape, distances)
        dtype = kind if dtype is None else promote_types(dtype, kind)
    return reduced(name, shape, dtype, reduction)


@op(f"{_F}triplet_margin_loss")
def triplet_margin_loss(
    anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, size_average=None, reduce=None,
    reduction="mean",
):  # fmt: skip
    _check_margin("triplet_margin_loss", margin)
    return _triplet(anchor, positive, negative, chosen(reduction, size_average, reduce), swap)


def _check_margin(name: str, margin: Any) -> None:
    if isinstance(margin, (int, float)) and margin <= 0:
        raise ArgumentFault(f"{name}: margin must be greater than 0, but is {margin}", FaultCode.INVALID_ARGUMENT)


@op("torch.triplet_margin_loss")
def torch_triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-06, swap=False, reduction=0):
    return _triplet(anchor, positive, negative, reduction, swap)


@row(f"{_F}triplet_margin_with_distance_loss")
def triplet_margin_with_distance_loss(
    anchor: Any,
    positive: Any,
    negative: Any,
    *,
    distance_function: Any = None,
    margin: float = 1.0,
    swap: bool = False,
    reduction: str = "mean",
) -> Any:
    """The distance is the target's own function, so the loss is made of the operations that torch makes it of."""
    name = "triplet_margin_with_distance_loss"
    if reduction not in ("mean", "sum", "none"):
        raise ArgumentFault(
            f"{name}: reduction must be none, mean or sum, but is {reduction!r}", FaultCode.INVALID_ARGUMENT
        )
    _check_margin(name, margin)
    ranks = [tensor.ndim for tensor in (anchor, positive, negative)]
    if len(set(ranks)) != 1:
        raise Fault(
            f"{name}: anchor, positive and negative must have the same number of dimensions, but have {ranks}",
            FaultCode.WRONG_RANK,
        )
    distance = TABLE["torch.pairwise_distance"] if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = TABLE["torch.minimum"](far, distance(positive, negative))
    loss = TABLE["torch.clamp_min"](margin + near - far, 0)
    return loss if reduction == "none" else TABLE[f"torch.{reduction}"](loss)
