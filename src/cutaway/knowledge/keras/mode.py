"""The mode that a network of Keras is shown in, which is an argument of its call."""

from __future__ import annotations


def assumption(train: bool | None) -> str:
    """Return what is assumed of how a network is called."""
    return "the network is called for training: training=True" if train else _INFERENCE


_INFERENCE = "the network is called for inference: training=False"
