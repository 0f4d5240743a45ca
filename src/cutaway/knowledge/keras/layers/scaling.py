"""Rescaling and Normalization of inputs."""

from __future__ import annotations

from typing import Any

from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.keras.models.layer import Layer, layer
from cutaway.knowledge.keras.tensors.tensor import convert

ops = KnownModule("keras.ops")


@layer(home="preprocessing.rescaling")
class Rescaling(Layer):
    """Multiplies and shifts."""

    def __init__(self, scale, offset=0.0, **kwargs):
        super().__init__(**kwargs)
        self.scale, self.offset = scale, offset
        self.supports_masking = True

    def call(self, inputs):
        x = convert(inputs)
        x = x if x._dtype == self.compute_dtype else ops.cast(x, self.compute_dtype)
        return ops.add(ops.multiply(x, _plain(self.scale)), _plain(self.offset))


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, (list, tuple)) else value


@layer(home="preprocessing.normalization")
class Normalization(Layer):
    """Shifts and scales by a mean and a variance: given, or learned from data."""

    def __init__(self, axis=-1, mean=None, variance=None, invert=False, **kwargs):
        super().__init__(**kwargs)
        self.axis = () if axis is None else tuple(axis) if isinstance(axis, (list, tuple)) else (axis,)
        self.input_mean, self.input_variance, self.invert = mean, variance, invert
        self.supports_masking = True

    def build(self, input_shape):
        if input_shape is None or self.input_mean is not None or isinstance(input_shape, Unknown):
            return
        rank = len(input_shape)
        kept = sorted(axis % rank for axis in self.axis)
        shape = tuple(input_shape[axis] for axis in kept)
        self.adapt_mean = self.add_weight(name="mean", shape=shape, trainable=False)
        self.adapt_variance = self.add_weight(name="variance", shape=shape, trainable=False)
        self.count = self.add_weight(name="count", shape=(), dtype="int", trainable=False)

    def adapt(self, data, *_args, **_kwargs):
        if not self.built and not isinstance(data, Unknown) and hasattr(data, "shape"):
            self.build(tuple(data.shape))

    def call(self, inputs):
        x = ops.cast(inputs, self.compute_dtype)
        return ops.divide(ops.subtract(x, 0.0), 1.0)
