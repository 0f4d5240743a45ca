"""Layers that act only in training: dropout and noise."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.keras.models.input_spec import InputSpec
from cutaway.knowledge.keras.models.layer import Layer, layer
from cutaway.knowledge.keras.models.state import standardize_data_format

random = KnownModule("keras.random")


class Noise(Layer):
    """What these layers share: in inference they do nothing."""

    def _check_rate(self, rate: Any) -> None:
        if isinstance(rate, (int, float)) and not 0 <= rate <= 1:
            raise ArgumentFault(
                f"{type(self).__name__}: rate must be between 0 and 1, but is {rate}", FaultCode.INVALID_ARGUMENT
            )
        self.rate = rate
        self.supports_masking = True

    def call(self, inputs: Any, training: Any = False) -> Any:
        if training and getattr(self, "rate", 1) != 0:
            return random.dropout(inputs, getattr(self, "rate", 0.0))
        return inputs


@layer(home="regularization.dropout")
class Dropout(Noise):
    """Sets some inputs to zero."""

    def __init__(self, rate, noise_shape=None, seed=None, **kwargs):
        super().__init__(**kwargs)
        self._check_rate(rate)
        self.noise_shape, self.seed = noise_shape, seed


@layer(home="regularization.alpha_dropout")
class AlphaDropout(Noise):
    """Dropout that keeps mean and variance."""

    def __init__(self, rate, noise_shape=None, seed=None, **kwargs):
        super().__init__(**kwargs)
        self._check_rate(rate)
        self.noise_shape, self.seed = noise_shape, seed


@layer(home="regularization.gaussian_dropout")
class GaussianDropout(Noise):
    """Multiplies by noise around 1."""

    def __init__(self, rate, seed=None, **kwargs):
        super().__init__(**kwargs)
        self._check_rate(rate)
        self.seed = seed


@layer(home="regularization.gaussian_noise")
class GaussianNoise(Noise):
    """Adds noise around 0."""

    def __init__(self, stddev, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.stddev, self.seed = stddev, seed
        self.supports_masking = True


@layer(home="regularization.activity_regularization")
class ActivityRegularization(Layer):
    """Adds a penalty on its input to the loss."""

    def __init__(self, l1=0.0, l2=0.0, **kwargs):
        super().__init__(**kwargs)
        self.l1, self.l2 = l1, l2
        self.supports_masking = True

    def call(self, inputs):
        return inputs


def _make(n: int) -> None:
    class Spatial(Noise):
        pass

    def one(self: Any, rate: Any, seed: Any = None, name: Any = None, dtype: Any = None) -> None:
        Layer.__init__(self, name=name, dtype=dtype)
        self._check_rate(rate)
        self.input_spec = InputSpec(ndim=3)

    def more(
        self: Any, rate: Any, data_format: Any = None, seed: Any = None, name: Any = None, dtype: Any = None
    ) -> None:
        Layer.__init__(self, name=name, dtype=dtype)
        self._check_rate(rate)
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(ndim=n + 2)

    Spatial.__init__ = one if n == 1 else more  # type: ignore[method-assign, assignment]
    Spatial.__name__ = f"SpatialDropout{n}D"
    Spatial.__doc__ = "Sets whole channels to zero."
    layer(home="regularization.spatial_dropout")(Spatial)


for _n in (1, 2, 3):
    _make(_n)
