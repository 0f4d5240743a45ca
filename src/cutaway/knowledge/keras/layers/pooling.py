"""Pooling: windows, whole images, and to a given size."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.keras.layers.arguments import several
from cutaway.knowledge.keras.models.input_spec import InputSpec
from cutaway.knowledge.keras.models.layer import Layer, layer
from cutaway.knowledge.keras.models.state import standardize_data_format

ops = KnownModule("keras.ops")


class BasePooling(Layer):
    """What pooling over windows shares."""

    rank = 0
    function = ""

    def _configure(self, pool_size: Any, strides: Any, padding: Any, data_format: Any, name: Any, kwargs: Any) -> None:
        super().__init__(name=name, **kwargs)
        kind = type(self).__name__
        self.pool_size = several(pool_size, self.rank, f"{kind}: pool_size")
        self.strides = self.pool_size if strides is None else several(strides, self.rank, f"{kind}: strides")
        self.padding = padding.lower() if isinstance(padding, str) else padding
        if self.padding not in ("valid", "same"):
            raise ArgumentFault(
                f"{kind}: padding must be 'valid' or 'same', but is {padding!r}", FaultCode.INVALID_ARGUMENT
            )
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Any:
        return getattr(ops, self.function)(
            inputs, pool_size=self.pool_size, strides=self.strides, padding=self.padding, data_format=self.data_format
        )


class BaseGlobalPooling(Layer):
    """What pooling over whole images shares."""

    rank = 0

    def __init__(self, data_format=None, keepdims=False, **kwargs):
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self.keepdims = keepdims
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def _axes(self) -> tuple[int, ...]:
        start = 1 if self.data_format == "channels_last" else 2
        return tuple(range(start, start + self.rank))


class BaseAdaptivePooling(Layer):
    """What pooling to a given size shares."""

    rank = 0
    function = ""

    def __init__(self, output_size, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self.output_size = several(output_size, self.rank, f"{type(self).__name__}: output_size")
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Any:
        return getattr(ops, self.function)(inputs, self.output_size, data_format=self.data_format)


def _make(n: int) -> None:
    two: Any = 2 if n == 1 else (2,) * n

    class Max(BasePooling):
        rank, function = n, "max_pool"

        def __init__(self, pool_size=two, strides=None, padding="valid", data_format=None, name=None, **kwargs):
            self._configure(pool_size, strides, padding, data_format, name, kwargs)

    class Average(BasePooling):
        rank, function = n, "average_pool"

        def __init__(self, pool_size, strides=None, padding="valid", data_format=None, name=None, **kwargs):
            self._configure(pool_size, strides, padding, data_format, name, kwargs)

    class GlobalMax(BaseGlobalPooling):
        rank = n

        def call(self, inputs):
            return ops.max(inputs, axis=self._axes(), keepdims=self.keepdims)

    class GlobalAverage(BaseGlobalPooling):
        rank = n

        def call(self, inputs):
            return ops.mean(inputs, axis=self._axes(), keepdims=self.keepdims)

    class AdaptiveMax(BaseAdaptivePooling):
        rank, function = n, "adaptive_max_pool"

    class AdaptiveAverage(BaseAdaptivePooling):
        rank, function = n, "adaptive_average_pool"

    if n == 1:

        def masked(self, inputs, mask=None):
            return ops.mean(inputs, axis=self._axes(), keepdims=self.keepdims)

        GlobalAverage.call = masked  # type: ignore[assignment]
        GlobalAverage.compute_mask = lambda self, inputs, mask=None: None  # type: ignore[assignment,misc]
    _enter(Max, f"MaxPooling{n}D", f"MaxPool{n}D", f"max_pooling{n}d")
    _enter(Average, f"AveragePooling{n}D", f"AvgPool{n}D", f"average_pooling{n}d")
    _enter(GlobalMax, f"GlobalMaxPooling{n}D", f"GlobalMaxPool{n}D", f"global_max_pooling{n}d")
    _enter(GlobalAverage, f"GlobalAveragePooling{n}D", f"GlobalAvgPool{n}D", f"global_average_pooling{n}d")
    _enter(AdaptiveMax, f"AdaptiveMaxPooling{n}D", "", f"adaptive_max_pooling{n}d")
    _enter(AdaptiveAverage, f"AdaptiveAveragePooling{n}D", "", f"adaptive_average_pooling{n}d")


def _enter(cls: type, name: str, other: str, home: str) -> None:
    cls.__name__ = name
    layer(*([other] if other else []), home=f"pooling.{home}")(cls)


for _n in (1, 2, 3):
    _make(_n)
