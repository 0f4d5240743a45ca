"""Masks: which positions of a tensor count, attached to it as Keras does."""

from __future__ import annotations

from typing import Any

from cutaway.knowledge.base.registry import row
from cutaway.knowledge.keras.tensors.tensor import Tensor
from cutaway.knowledge.keras.tensors.tree import flatten, is_nested, map_structure


@row("keras.src.backend.get_keras_mask", "keras.src.backend.common.masking.get_keras_mask")
def get_keras_mask(x: Any) -> Any:
    return x.__dict__.get("_keras_mask") if isinstance(x, Tensor) else None


@row("keras.src.backend.set_keras_mask", "keras.src.backend.common.masking.set_keras_mask")
def set_keras_mask(x: Any, mask: Any) -> None:
    if isinstance(x, Tensor):
        x.__dict__["_keras_mask"] = mask


def masks_of(inputs: Any) -> Any:
    """Return the masks of an input, in its structure; None where it has none."""
    if not is_nested(inputs):
        return get_keras_mask(inputs)
    if not any(get_keras_mask(value) is not None for value in flatten(inputs)):
        return None
    return map_structure(get_keras_mask, inputs)


def set_masks(outputs: Any, masks: Any) -> None:
    """Attach masks to tensors that have none yet."""
    if masks is None:
        return
    for tensor, mask in zip(flatten(outputs), flatten(masks)):
        if mask is not None and get_keras_mask(tensor) is None:
            set_keras_mask(tensor, mask)
