"""Activations as layers."""

from __future__ import annotations

from typing import Any

from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.keras.models.layer import Layer, layer
from cutaway.knowledge.keras.named_functions import get_activation

ops = KnownModule("keras.ops")


class Elementwise(Layer):
    """What activations share: masks go through them."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.supports_masking = True


@layer(home="activations.activation")
class Activation(Elementwise):
    """An activation by its name."""

    def __init__(self, activation, **kwargs):
        super().__init__(**kwargs)
        self.activation = get_activation(activation)

    def call(self, inputs):
        return self.activation(inputs)


@layer(home="activations.relu")
class ReLU(Elementwise):
    """Cuts off what is negative."""

    def __init__(self, max_value=None, negative_slope=0.0, threshold=0.0, **kwargs):
        super().__init__(**kwargs)
        self.max_value, self.negative_slope, self.threshold = max_value, negative_slope, threshold

    def call(self, inputs):
        return get_activation("relu")(inputs, self.negative_slope, self.max_value, self.threshold)


@layer(home="activations.leaky_relu")
class LeakyReLU(Elementwise):
    """Weakens what is negative."""

    def __init__(self, negative_slope=0.3, **kwargs):
        negative_slope = kwargs.pop("alpha", negative_slope)
        super().__init__(**kwargs)
        self.negative_slope = negative_slope

    def call(self, inputs):
        return ops.leaky_relu(inputs, negative_slope=self.negative_slope)


@layer(home="activations.elu")
class ELU(Elementwise):
    """Bends what is negative."""

    def __init__(self, alpha=1.0, **kwargs):
        super().__init__(**kwargs)
        self.alpha = alpha

    def call(self, inputs):
        return ops.elu(inputs, alpha=self.alpha)


@layer(home="activations.softmax")
class Softmax(Elementwise):
    """Makes shares of a whole."""

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs, mask=None):
        return ops.softmax(inputs, axis=self.axis)


@layer(home="activations.prelu")
class PReLU(Elementwise):
    """Weakens what is negative, by weights."""

    def __init__(
        self, alpha_initializer="Zeros", alpha_regularizer=None, alpha_constraint=None, shared_axes=None, **kwargs
    ):
        super().__init__(**kwargs)
        axes = shared_axes if isinstance(shared_axes, (list, tuple)) or shared_axes is None else [shared_axes]
        self.shared_axes = axes

    def build(self, input_shape):
        shape = list(input_shape[1:])
        for axis in self.shared_axes or ():
            shape[axis - 1] = 1
        self.alpha = self.add_weight(name="alpha", shape=shape)

    def call(self, inputs):
        positive = ops.relu(inputs)
        negative = ops.multiply(ops.negative(self.alpha), ops.relu(ops.negative(inputs)))
        return ops.add(positive, negative)
