"""Inputs of a running network, made from shapes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.live import framework_detection


def zeros(network: Any, shape: Sequence[int], dtype: str = "float32") -> Any:
    """Return a tensor of zeros as the network's framework has it, on the device of its weights."""
    if framework_detection.framework_of(network) == framework_detection.KERAS:
        import keras

        return keras.ops.zeros(tuple(shape), dtype=dtype)
    import torch

    weight = next(network.parameters(), None)
    device = "cpu" if weight is None else weight.device
    return torch.zeros(tuple(shape), dtype=getattr(torch, dtype), device=device)
