"""Normalisations."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import equal, less
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base import attribute
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.keras.layers.arguments import channels
from cutaway.knowledge.keras.layers.core import Wrapper
from cutaway.knowledge.keras.models.input_spec import InputSpec
from cutaway.knowledge.keras.models.layer import Layer, layer
from cutaway.knowledge.keras.tensors.shape import text

ops = KnownModule("keras.ops")


def _in_range(layer: Any, axis: Any, shape: Any) -> None:
    if isinstance(axis, int) and not isinstance(shape, Unknown) and not -len(shape) <= axis < len(shape):
        raise ArgumentFault(
            f'layer "{layer.name}": axis {axis} is out of range for an input of shape {text(shape)}',
            FaultCode.DIMENSION_OUT_OF_RANGE,
        )


@layer("SyncBatchNormalization", home="normalization.batch_normalization")
class BatchNormalization(Layer):
    """Normalises each channel by its mean and variance over batches."""

    def __init__(
        self, axis=-1, momentum=0.99, epsilon=0.001, center=True, scale=True, beta_initializer="zeros",
        gamma_initializer="ones", moving_mean_initializer="zeros", moving_variance_initializer="ones",
        beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, renorm=False,
        renorm_clipping=None, renorm_momentum=0.99, synchronized=False, **kwargs,
    ):  # fmt: skip
        for former in ("fused", "virtual_batch_size", "adjustment"):
            kwargs.pop(former, None)
        super().__init__(**kwargs)
        self.axis = axis[0] if isinstance(axis, (list, tuple)) else axis
        self.momentum, self.epsilon = momentum, epsilon
        self.center, self.scale, self.renorm = center, scale, renorm
        self.supports_masking = True
        self.gamma = self.beta = None

    def build(self, input_shape):
        _in_range(self, self.axis, input_shape)
        size = channels(self, input_shape, self.axis)
        if self.scale:
            self.gamma = self.add_weight(shape=(size,), name="gamma", autocast=False)
        if self.center:
            self.beta = self.add_weight(shape=(size,), name="beta", autocast=False)
        self.moving_mean = self.add_weight(shape=(size,), name="moving_mean", trainable=False, autocast=False)
        self.moving_variance = self.add_weight(shape=(size,), name="moving_variance", trainable=False, autocast=False)
        if self.renorm:
            for name in ("moving_stddev", "renorm_mean", "renorm_stddev"):
                attribute.put(self, name, self.add_weight(shape=(size,), name=name, trainable=False, autocast=False))
        rank = None if isinstance(input_shape, Unknown) else len(input_shape)
        self.input_spec = InputSpec(ndim=rank, axes={self.axis: size})

    def call(self, inputs, training=None, mask=None):
        return ops.batch_normalization(
            inputs, self.moving_mean, self.moving_variance, axis=self.axis, offset=self.beta, scale=self.gamma,
            epsilon=self.epsilon,
        )  # fmt: skip


@layer(home="normalization.layer_normalization")
class LayerNormalization(Layer):
    """Normalises each sample over some of its axes."""

    def __init__(
        self, axis=-1, epsilon=0.001, center=True, scale=True, beta_initializer="zeros", gamma_initializer="ones",
        beta_regularizer=None, gamma_regularizer=None, beta_constraint=None, gamma_constraint=None, **kwargs,
    ):  # fmt: skip
        self.__dict__["rms_scaling"] = bool(kwargs.pop("rms_scaling", False))
        super().__init__(**kwargs)
        self.axis = axis
        self.epsilon, self.center, self.scale = epsilon, center, scale
        self.supports_masking = True

    def build(self, input_shape):
        axes = sorted(self.axis) if isinstance(self.axis, (list, tuple)) else [self.axis]
        for axis in axes:
            _in_range(self, axis, input_shape)
        shape = tuple(input_shape[axis] for axis in axes)
        self.axis = axes
        self.gamma = (
            self.add_weight(name="gamma", shape=shape, autocast=False) if self.scale or self.rms_scaling else None
        )
        self.beta = (
            self.add_weight(name="beta", shape=shape, autocast=False) if self.center and not self.rms_scaling else None
        )

    def call(self, inputs):
        return ops.layer_normalization(inputs, self.gamma, self.beta, self.axis, self.epsilon)


@layer(home="normalization.rms_normalization")
class RMSNormalization(Layer):
    """Normalises each sample by its root mean square."""

    def __init__(self, axis=-1, epsilon=1e-06, **kwargs):
        super().__init__(**kwargs)
        self.axis, self.epsilon = axis, epsilon

    def build(self, input_shape):
        axes = self.axis if isinstance(self.axis, (list, tuple)) else [self.axis]
        self.scale = self.add_weight(name="scale", shape=tuple(input_shape[axis] for axis in axes))

    def call(self, x):
        return ops.rms_normalization(x, scale=self.scale, axis=self.axis, epsilon=self.epsilon)


@layer(home="normalization.group_normalization")
class GroupNormalization(Layer):
    """Normalises groups of channels of each sample."""

    def __init__(
        self, groups=32, axis=-1, epsilon=0.001, center=True, scale=True, beta_initializer="zeros",
        gamma_initializer="ones", beta_regularizer=None, gamma_regularizer=None, beta_constraint=None,
        gamma_constraint=None, **kwargs,
    ):  # fmt: skip
        super().__init__(**kwargs)
        self.groups, self.axis, self.epsilon = groups, axis, epsilon
        self.center, self.scale = center, scale
        self.supports_masking = True

    def build(self, input_shape):
        size = channels(self, input_shape, self.axis)
        if self.groups == -1:
            self.groups = size
        if not isinstance(size, Unknown):
            if less(size, self.groups) is True:
                raise ArgumentFault(
                    f'layer "{self.name}": {self.groups} groups are more than the {size} channels',
                    FaultCode.SHAPE_MISMATCH,
                )
            if equal(size % self.groups, 0) is False:
                raise ArgumentFault(
                    f'layer "{self.name}": {self.groups} groups do not divide the {size} channels',
                    FaultCode.SHAPE_MISMATCH,
                )
        rank = None if isinstance(input_shape, Unknown) else len(input_shape)
        self.input_spec = InputSpec(ndim=rank, axes={self.axis: size})
        self.gamma = self.add_weight(shape=(size,), name="gamma", autocast=False) if self.scale else None
        self.beta = self.add_weight(shape=(size,), name="beta", autocast=False) if self.center else None

    def call(self, inputs):
        return ops.layer_normalization(inputs, self.gamma, self.beta, self.axis, self.epsilon, groups=self.groups)


@layer(home="normalization.unit_normalization")
class UnitNormalization(Layer):
    """Scales each sample to a length of 1."""

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else axis
        self.supports_masking = True

    def call(self, inputs):
        return ops.normalize(inputs, axis=self.axis, order=2, epsilon=1e-12)


@layer(home="normalization.spectral_normalization")
class SpectralNormalization(Wrapper):
    """Keeps the largest singular value of a layer's weights at 1."""

    def __init__(self, layer, power_iterations=1, **kwargs):
        super().__init__(layer, **kwargs)
        self.power_iterations = power_iterations

    def build(self, input_shape):  # type: ignore[override]
        super().build(input_shape)
        self.input_spec = InputSpec(shape=[None, *input_shape[1:]])
        kernel = getattr(self.layer, "kernel", None)
        if kernel is None:
            kernel = getattr(self.layer, "embeddings", None)
        if kernel is None:
            raise ArgumentFault(
                f"SpectralNormalization: {type(self.layer).__name__} has neither kernel nor embeddings",
                FaultCode.INVALID_ARGUMENT,
            )
        self.kernel = kernel
        self.vector_u = self.add_weight(shape=(1, kernel.shape[-1]), name="vector_u", trainable=False)

    def call(self, inputs, training=False):
        return self.layer(inputs)
