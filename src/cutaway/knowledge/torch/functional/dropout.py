"""Dropout: in training a new tensor of unknown numbers, otherwise the input itself."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault, Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Unknown
from cutaway.knowledge.torch.functional.argument import empty
from cutaway.knowledge.torch.tensor.op import Out, compute, inplace_op, op, temporary
from cutaway.knowledge.torch.tensor.tensor import strides_of
from cutaway.knowledge.torch.tensor.types import bool_
from cutaway.ops.window import shown

_F = "torch.nn.functional."


def _drop(name: str, input: Any, p: Any, training: Any) -> Out:
    if isinstance(p, (int, float)) and not 0 <= p <= 1:
        raise ArgumentFault(f"{name}: the probability must be between 0 and 1, but is {p}", FaultCode.INVALID_ARGUMENT)
    if isinstance(p, Unknown) or isinstance(training, Unknown):
        return Out(input.shape, input.dtype, view=True, strides=strides_of(input))
    if not training or p == 0 or empty(input.shape):
        return Out(input.shape, input.dtype, compute(lambda np, a: a, input), view=True, strides=strides_of(input))
    if p != 1 and not (input.dtype.is_floating_point or input.dtype.is_complex):
        raise Fault(
            f"{name}: in training the input must be floating, but is {input.dtype}", FaultCode.UNSUPPORTED_DTYPE
        )
    whole = name.startswith("feature") or name[-2:] in ("1d", "2d", "3d")  # channels are dropped
    mask = [*input.shape[:2], *(1 for _ in input.shape[2:])] if whole else input.shape
    return Out(input.shape, input.dtype, temporaries=[temporary(mask, input.dtype.name)])


def _features(name: str, input: Any, p: Any, training: Any) -> None:
    """Whole channels are dropped, so there must be a dimension of channels."""
    shape = input.shape
    drops = training is True and isinstance(p, float) and 0 < p < 1
    if drops and not isinstance(shape, Unknown) and len(shape) < 2:
        raise Fault(
            f"{name}: input must have at least 2 dimensions, but its shape is {shown(shape)}", FaultCode.WRONG_RANK
        )


@op(f"{_F}dropout")
def dropout(input, p=0.5, training=True, inplace=False):
    return _drop("dropout", input, p, training)


@op(f"{_F}alpha_dropout")
def alpha_dropout(input, p=0.5, training=False, inplace=False):
    return _drop("alpha_dropout", input, p, training)


@op(f"{_F}feature_alpha_dropout")
def feature_alpha_dropout(input, p=0.5, training=False, inplace=False):
    _features("feature_alpha_dropout", input, p, training)
    return _drop("feature_alpha_dropout", input, p, training)


@op(f"{_F}dropout1d")
def dropout1d(input, p=0.5, training=True, inplace=False):
    shape = input.shape
    if not isinstance(shape, Unknown) and len(shape) not in (2, 3):
        raise Fault(
            f"dropout1d: input must have 2 or 3 dimensions, but its shape is {shown(shape)}", FaultCode.WRONG_RANK
        )
    return _drop("dropout1d", input, p, training)


@op(f"{_F}dropout2d")
def dropout2d(input, p=0.5, training=True, inplace=False):
    _features("dropout2d", input, p, training)
    return _drop("dropout2d", input, p, training)


@op(f"{_F}dropout3d")
def dropout3d(input, p=0.5, training=True, inplace=False):
    return _drop("dropout3d", input, p, training)


def _torch_dropout(name: str) -> None:
    def rule(input, p, train):
        if name.startswith("feature"):
            _features(name, input, p, train)
        return _drop(name, input, p, train)

    op(f"torch.{name}")(rule)
    inplace_op(f"torch.{name}_")(rule)


for _name in ("dropout", "alpha_dropout", "feature_dropout", "feature_alpha_dropout"):
    _torch_dropout(_name)


@op("torch.native_dropout")
def native_dropout(input, p, train):
    return Out(input.shape, input.dtype), Out(input.shape, bool_)
