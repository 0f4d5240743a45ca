"""`tf.losses` of TensorFlow 1: labels must be compatible with predictions, and what comes out is one number."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import register
from cutaway.knowledge.keras.tensors.op import Out
from cutaway.knowledge.keras.tensors.shape import text
from cutaway.knowledge.keras.tensors.tensor import convert, new
from cutaway.knowledge.tensorflow.rows import tf


def _compatible(name: str, labels: Any, predictions: Any) -> None:
    if isinstance(labels._shape, Unknown) or isinstance(predictions._shape, Unknown):
        return
    differ = len(labels._shape) != len(predictions._shape) or any(
        equal(a, b) is False for a, b in zip(labels._shape, predictions._shape)
    )
    if differ:
        raise ArgumentFault(
            f"{name}: labels are {text(labels._shape)}, but predictions are {text(predictions._shape)}",
            FaultCode.SHAPE_MISMATCH,
        )


def _whole(y: Any, reduction: Any) -> Out:
    shape = y._shape if isinstance(reduction, str) and reduction.lower() == "none" else ()
    return Out(shape, y._dtype if y._dtype.is_floating else "float32")


def _pointwise(name: str) -> Any:
    def rule(
        labels: Any, predictions: Any, weights: Any = 1.0, scope: Any = None, loss_collection: Any = None,
        reduction: Any = "weighted_sum_by_nonzero_weights", **_options: Any,
    ) -> Out:  # fmt: skip
        y, t = convert(predictions), convert(labels)
        _compatible(f"losses.{name}", t, y)
        return _whole(y, reduction)

    return rule


for (
    _name
) in "mean_squared_error absolute_difference log_loss huber_loss hinge_loss mean_pairwise_squared_error".split():
    tf(f"losses.{_name}")(_pointwise(_name))


@tf("losses.softmax_cross_entropy")
def softmax_cross_entropy(
    onehot_labels, logits, weights=1.0, label_smoothing=0, scope=None, loss_collection=None,
    reduction="weighted_sum_by_nonzero_weights",
):  # fmt: skip
    y = convert(logits)
    _compatible("losses.softmax_cross_entropy", convert(onehot_labels), y)
    return Out((), y._dtype)


@tf("losses.sigmoid_cross_entropy")
def sigmoid_cross_entropy(
    multi_class_labels, logits, weights=1.0, label_smoothing=0, scope=None, loss_collection=None,
    reduction="weighted_sum_by_nonzero_weights",
):  # fmt: skip
    y = convert(logits)
    _compatible("losses.sigmoid_cross_entropy", convert(multi_class_labels), y)
    return _whole(y, reduction)


@tf("losses.sparse_softmax_cross_entropy")
def sparse_softmax_cross_entropy(
    labels, logits, weights=1.0, scope=None, loss_collection=None, reduction="weighted_sum_by_nonzero_weights"
):
    y, t = convert(logits), convert(labels)
    if not isinstance(y._shape, Unknown) and not isinstance(t._shape, Unknown):
        wanted, have = tuple(y._shape[:-1]), tuple(t._shape)
        if len(have) == len(wanted) + 1 and equal(have[-1], 1) is not False:
            have = have[:-1]
        if len(have) != len(wanted) or any(equal(a, b) is False for a, b in zip(have, wanted)):
            raise ArgumentFault(
                f"losses.sparse_softmax_cross_entropy: labels are {text(t._shape)}, but logits are {text(y._shape)}",
                FaultCode.SHAPE_MISMATCH,
            )
    return Out((), y._dtype)


def _total(*_args: Any, **_kwargs: Any) -> Any:
    return new((), "float32")


for _name in "get_total_loss get_regularization_loss".split():
    register(f"tensorflow.losses.{_name}", _total)
register("tensorflow.losses.get_losses", lambda *_args, **_kwargs: [])
register("tensorflow.losses.get_regularization_losses", lambda *_args, **_kwargs: [])
register("tensorflow.losses.add_loss", lambda *_args, **_kwargs: None)
for _name in "accuracy mean precision recall auc mean_squared_error mean_absolute_error".split():
    register(f"tensorflow.metrics.{_name}", lambda *_args, **_kwargs: (new((), "float32"), new((), "float32")))
    register(f"tensorflow.compat.v1.metrics.{_name}", lambda *_a, **_k: (new((), "float32"), new((), "float32")))
