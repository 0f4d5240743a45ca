"""Losses of class scores: cross entropy and its relatives, margins over classes, CTC."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault, Fault, IndexFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, product
from cutaway.core.unknown import Unknown
from cutaway.knowledge.torch.functional.argument import floating, same_dtype
from cutaway.knowledge.torch.functional.reduction import chosen, reduced
from cutaway.knowledge.torch.tensor.op import Out, op
from cutaway.knowledge.torch.tensor.promote import result_type
from cutaway.knowledge.torch.tensor.tensor import new
from cutaway.knowledge.torch.tensor.types import bool_, int64, uint8
from cutaway.ops.elementwise import broadcast
from cutaway.ops.norm import fits
from cutaway.ops.window import shown

_F = "torch.nn.functional."


def _check_weight(name: str, weight: Any, classes: Any) -> None:
    if weight is not None and (len(weight.shape) != 1 or equal(weight.shape[0], classes) is False):
        raise Fault(
            f"{name}: there are {classes} classes, but weight has shape {shown(weight.shape)}", FaultCode.SHAPE_MISMATCH
        )


def _check_classes(name: str, target: Any, classes: Any, ignored: Any) -> None:
    """Raise where a known number of a target is not that of a class."""
    if target.values_ is None or not isinstance(classes, int) or not isinstance(ignored, int):
        return
    array = target.array()
    wrong = array[((array < 0) | (array >= classes)) & (array != ignored)]
    if wrong.size:
        raise IndexFault(
            f"{name}: the target has class {int(wrong[0])}, but the input has {classes} classes, 0 to {classes - 1}",
            FaultCode.INDEX_OUT_OF_RANGE,
        )


def _by_index(name: str, input: Any, target: Any, weight: Any, reduction: Any, ignored: Any = -100) -> Out:
    """The loss of `(batch, classes, *others)` scores for a target of `(batch, *others)` class numbers."""
    scores, numbers = input.shape, target.shape
    if not scores:
        raise Fault(f"{name}: input must have at least one dimension, but is a single number", FaultCode.WRONG_RANK)
    classes = scores[0] if len(scores) == 1 else scores[1]
    expected = () if len(scores) == 1 else (scores[0], *scores[2:])
    alike = fits(numbers, expected) or (len(scores) == 1 and fits(numbers, scores))
    if not alike:
        if len(scores) > 1 and numbers and equal(scores[0], numbers[0]) is False:
            raise ArgumentFault(
                f"{name}: input has a batch of {scores[0]}, but target has one of {numbers[0]}",
                FaultCode.SHAPE_MISMATCH,
            )
        raise Fault(
            f"{name}: an input of {shown(scores)} needs a target of {shown(expected)}, but it has {shown(numbers)}",
            FaultCode.SHAPE_MISMATCH,
        )
    if target.dtype not in (int64, uint8):
        raise Fault(
            f"{name}: a target of classes must be torch.int64, but is {target.dtype}", FaultCode.UNSUPPORTED_DTYPE
        )
    _check_weight(name, weight, classes)
    floating(name, input)
    _check_classes(name, target, classes, ignored)
    return reduced(name, expected, same_dtype(name, input=input, weight=weight), reduction)


@op(f"{_F}nll_loss")
def nll_loss(input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
    return _by_index("nll_loss", input, target, weight, chosen(reduction, size_average, reduce), ignore_index)


def _cross_entropy(
    name: str, input: Any, target: Any, weight: Any, reduction: Any, smoothing: Any, ignored: Any = -100
) -> Out:
    if isinstance(smoothing, (int, float)) and not 0 <= smoothing <= 1:
        raise Fault(f"{name}: label_smoothing must be between 0 and 1, but is {smoothing}", FaultCode.INVALID_ARGUMENT)
    scores, wanted = input.shape, target.shape
    same = len(scores) == len(wanted) and all(equal(a, b) is True for a, b in zip(scores, wanted))
    if target.dtype.is_floating_point and not fits(scores, wanted):
        raise Fault(
            f"{name}: a target of class probabilities ({target.dtype}) needs the shape of the input, {shown(scores)}, "
            f"but has {shown(wanted)}",
            FaultCode.SHAPE_MISMATCH,
        )
    if not target.dtype.is_floating_point and not same:
        return _by_index(name, input, target, weight, reduction, ignored)
    if not target.dtype.is_floating_point:
        raise Fault(
            f"{name}: target has the shape of the input, {shown(scores)}, so it must be floating class probabilities, "
            f"but is {target.dtype}",
            FaultCode.UNSUPPORTED_DTYPE,
        )
    if not scores:
        raise Fault(f"{name}: input must have at least one dimension, but is a single number", FaultCode.WRONG_RANK)
    classes = scores[0] if len(scores) == 1 else scores[1]
    _check_weight(name, weight, classes)
    floating(name, input)
    operands = (input, target) if weight is None else (input, target, weight)
    shape = () if len(scores) == 1 else (scores[0], *scores[2:])
    return reduced(name, shape, result_type(*operands), reduction)


@op(f"{_F}cross_entropy")
def cross_entropy(
    input, target, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean",
    label_smoothing=0.0,
):  # fmt: skip
    reduction = chosen(reduction, size_average, reduce)
    return _cross_entropy("cross_entropy", input, target, weight, reduction, label_smoothing, ignore_index)


@op(f"{_F}linear_cross_entropy")
def linear_cross_entropy(
    input, linear_weight, target, *, linear_bias=None, weight=None, reduction="mean", ignore_index=None,
    label_smoothing=0.0, options=None,
):  # fmt: skip
    name, shape, weights = "linear_cross_entropy", input.shape, linear_weight.shape
    if len(shape) not in (1, 2):
        raise Fault(f"{name}: input must have 1 or 2 dimensions, but its shape is {shown(shape)}", FaultCode.WRONG_RANK)
    if len(weights) < 2:
        raise Fault(
            f"{name}: linear_weight must have at least 2 dimensions, but its shape is {shown(weights)}",
            FaultCode.WRONG_RANK,
        )
    if equal(shape[-1], weights[-1]) is False:
        raise Fault(
            f"{name}: input has {shape[-1]} features, but linear_weight expects {weights[-1]}", FaultCode.SHAPE_MISMATCH
        )
    if linear_bias is not None and not fits(linear_bias.shape, weights[:-1]):
        raise Fault(
            f"{name}: linear_bias has shape {shown(linear_bias.shape)}, but linear_weight is for {shown(weights[:-1])}",
            FaultCode.SHAPE_MISMATCH,
        )
    if len(weights) > 2 and len(shape) == 1:
        raise Fault(
            f"{name}: a linear_weight of {shown(weights)} needs a batched input, not {shown(shape)}",
            FaultCode.SHAPE_MISMATCH,
        )
    dtype = same_dtype(name, input=input, linear_weight=linear_weight, linear_bias=linear_bias)
    logits = new((*shape[:-1], *weights[:-1]), dtype)
    loss = _cross_entropy(name, logits, target, weight, reduction, label_smoothing, ignore_index)
    return Out(loss.shape, loss.dtype, macs=product((*shape, *weights[:-1])))


@op(f"{_F}multi_margin_loss")
def multi_margin_loss(input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
    name, scores = "multi_margin_loss", input.shape
    if not isinstance(p, Unknown) and p not in (1, 2):
        raise ArgumentFault(f"{name}: p must be 1 or 2, but is {p}", FaultCode.INVALID_ARGUMENT)
    if len(scores) > 2:
        raise Fault(
            f"{name}: input must have 1 or 2 dimensions, but its shape is {shown(scores)}", FaultCode.WRONG_RANK
        )
    expected = scores[:-1]
    single = len(scores) < 2 and len(target.shape) <= 1 and equal(product(target.shape), 1) is not False
    if not single and not fits(expected, target.shape):
        raise Fault(
            f"{name}: an input of {shown(scores)} needs a target of {shown(expected)}, but it has {shown(target.shape)}",
            FaultCode.SHAPE_MISMATCH,
        )
    if target.dtype is not int64:
        raise Fault(f"{name}: target must be torch.int64, but is {target.dtype}", FaultCode.UNSUPPORTED_DTYPE)
    if weight is not None and len(weight.shape) != 1:
        raise ArgumentFault(
            f"{name}: weight must have one dimension, but its shape is {shown(weight.shape)}", FaultCode.WRONG_RANK
        )
    if scores:
        _check_weight(name, weight, scores[-1])
    floating(name, input)
    dtype = same_dtype(name, input=input, weight=weight)
    return reduced(name, target.shape if len(scores) < 2 else expected, dtype, chosen(reduction, size_average, reduce))


@op(f"{_F}multilabel_margin_loss")
def multilabel_margin_loss(input, target, size_average=None, reduce=None, reduction="mean"):
    name, scores = "multilabel_margin_loss", input.shape
    if len(scores) > 2:
        raise Fault(
            f"{name}: input must have 1 or 2 dimensions, but its shape is {shown(scores)}", FaultCode.WRONG_RANK
        )
    if len(scores) == 2 and not fits(scores, target.shape):
        raise Fault(
            f"{name}: input has shape {shown(scores)}, but target has {shown(target.shape)}", FaultCode.SHAPE_MISMATCH
        )
    if len(scores) < 2 and equal(product(scores), product(target.shape)) is False:
        raise Fault(
            f"{name}: input has shape {shown(scores)}, but target has {shown(target.shape)}", FaultCode.SHAPE_MISMATCH
        )
    if target.dtype is not int64:
        raise Fault(f"{name}: target must be torch.int64, but is {target.dtype}", FaultCode.UNSUPPORTED_DTYPE)
    return reduced(name, scores[:-1], floating(name, input), chosen(reduction, size_average, reduce))


@op(f"{_F}multilabel_soft_margin_loss")
def multilabel_soft_margin_loss(input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    name = "multilabel_soft_margin_loss"
    floating(name, input)
    if target.dtype is bool_:
        raise Fault(f"{name}: a torch.bool target is not supported", FaultCode.UNSUPPORTED_DTYPE)
    operands = (input, target) if weight is None else (input, target, weight)
    shape = broadcast(name, *(operand.shape for operand in operands))
    if not input.shape:
        raise Fault(f"{name}: input must have at least one dimension, but is a single number", FaultCode.WRONG_RANK)
    dim = len(input.shape) - 1
    shape = (*shape[:dim], *shape[dim + 1 :])
    return reduced(name, shape, result_type(*operands), chosen(reduction, size_average, reduce))


def _ctc(log_probs: Any, targets: Any, input_lengths: Any, target_lengths: Any, reduction: Any) -> Out:
    name, scores = "ctc_loss", log_probs.shape
    if len(scores) not in (2, 3):
        raise Fault(
            f"{name}: log_probs must have 2 or 3 dimensions, but its shape is {shown(scores)}", FaultCode.WRONG_RANK
        )
    batch = scores[1] if len(scores) == 3 else 1
    for what, lengths in (("input_lengths", input_lengths), ("target_lengths", target_lengths)):
        if isinstance(lengths, (tuple, list)):
            count: Any = len(lengths)
        elif hasattr(lengths, "shape"):
            count = product(lengths.shape)
        else:
            continue
        if equal(count, batch) is False:
            raise Fault(
                f"{name}: log_probs has a batch of {batch}, but {what} has {count} elements", FaultCode.SHAPE_MISMATCH
            )
    return reduced(name, scores[1:-1], floating(name, log_probs), reduction)


@op(f"{_F}ctc_loss")
def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction="mean", zero_infinity=False):
    return _ctc(log_probs, targets, input_lengths, target_lengths, reduction)


@op("torch.ctc_loss")
def torch_ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=0, zero_infinity=False):
    return _ctc(log_probs, targets, input_lengths, target_lengths, reduction)
