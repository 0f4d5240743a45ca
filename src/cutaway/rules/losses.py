"""Losses that a program computes, as rules ask about them: what they take, and where that is made."""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.place import Place
from cutaway.core.program import Program
from cutaway.core.session import Operation, Reference
from cutaway.rules.graph import calls_of, named

_KERAS = frozenset(f"keras.losses.{name}" for name in ("categorical_crossentropy", "sparse_categorical_crossentropy"))
_KERAS_BINARY = frozenset(f"keras.losses.{name}" for name in ("binary_crossentropy", "binary_focal_crossentropy"))
CROSS_ENTROPIES = named("cross_entropy") | _KERAS
BINARY_CROSS_ENTROPIES = named("binary_cross_entropy_with_logits") | _KERAS_BINARY
KERAS_CROSS_ENTROPIES = _KERAS | _KERAS_BINARY
SOFTMAX = named("softmax") | {"keras.ops.softmax", "tensorflow.nn.softmax"}
SIGMOID = named("sigmoid", "expit") | {"keras.ops.sigmoid", "tensorflow.sigmoid", "tensorflow.nn.sigmoid"}
NAMES = ("cross_entropy", "criterion", "loss_fn", "fit", "train_on_batch", "evaluate")
"""How programs call what computes a loss."""


def losses_of(program: Program, names: frozenset[str], with_logits: bool) -> Iterator[tuple[Operation, Reference]]:
    """Yield the losses of some names that take scores, or probabilities, with what they take."""
    for loss in calls_of(program, names):
        is_keras = loss.op in KERAS_CROSS_ENTROPIES
        if not is_keras and with_logits:
            yield loss, loss.inputs[0]
        elif is_keras and len(loss.inputs) == 2 and loss.attributes.get("from_logits", False) is with_logits:
            yield loss, loss.inputs[1]


def place_of(maker: Operation, loss: Operation) -> Place | None:
    """Return where an operation takes place; of one in the call that computes the loss, where its layer is made."""
    construction = getattr(maker.module, "__dict__", {}).get("_construction")
    if maker.place != loss.place or construction is None:
        return maker.place
    place: Place | None = construction.place
    return place
