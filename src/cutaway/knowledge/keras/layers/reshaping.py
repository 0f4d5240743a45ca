"""Layers that rearrange, pad, crop and enlarge."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Dim, equal, less, product
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.keras.layers.arguments import several
from cutaway.knowledge.keras.models.input_spec import InputSpec
from cutaway.knowledge.keras.models.layer import Layer, layer
from cutaway.knowledge.keras.models.state import standardize_data_format
from cutaway.knowledge.keras.ops.arrange import known_rank
from cutaway.knowledge.keras.tensors.shape import sizes_of, text

ops = KnownModule("keras.ops")


@layer(home="reshaping.flatten")
class Flatten(Layer):
    """Makes each sample a vector."""

    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs):
        x = known_rank(inputs)
        if self.data_format == "channels_first" and len(x._shape) > 1:
            inputs = ops.transpose(inputs, axes=(0, *range(2, len(x._shape)), 1))
        shape = x._shape
        return ops.reshape(inputs, (shape[0], product(shape[1:]) if len(shape) > 1 else 1))


@layer(home="reshaping.reshape")
class Reshape(Layer):
    """Gives each sample another shape."""

    def __init__(self, target_shape, **kwargs):
        super().__init__(**kwargs)
        self.target_shape: Any = target_shape if isinstance(target_shape, Unknown) else tuple(sizes_of(target_shape))

    def call(self, inputs):
        x = known_rank(inputs)
        wanted = [-1 if size is None else size for size in self.target_shape]
        have = product(x._shape[1:])
        unknown = [i for i, size in enumerate(wanted) if isinstance(size, int) and size == -1]
        if len(unknown) > 1:
            raise ArgumentFault(
                f'layer "{self.name}": only one size of target_shape {text(self.target_shape)} can be -1',
                FaultCode.INVALID_ARGUMENT,
            )
        given = product([size for i, size in enumerate(wanted) if i not in unknown])
        fits = equal(have % given, 0) if unknown and equal(given, 0) is False else equal(have, given)
        if fits is False:
            raise ArgumentFault(
                f'layer "{self.name}": target_shape {text(self.target_shape)} does not fit an input of shape '
                f"{text(x._shape)}, which has {have} elements a sample, not {given}{' times something' if unknown else ''}",
                FaultCode.SHAPE_MISMATCH,
            )
        if unknown:
            wanted[unknown[0]] = have // given
        return ops.reshape(inputs, (x._shape[0], *wanted))


@layer(home="reshaping.permute")
class Permute(Layer):
    """Reorders the axes of each sample."""

    def __init__(self, dims, **kwargs):
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(dims) != list(range(1, len(dims) + 1)):
            raise ArgumentFault(
                f"Permute: dims must be an order of 1 to {len(dims)}, but are {tuple(dims)}", FaultCode.INVALID_ARGUMENT
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def call(self, inputs):
        return ops.transpose(inputs, axes=(0, *self.dims))


@layer(home="reshaping.repeat_vector")
class RepeatVector(Layer):
    """Repeats each sample."""

    def __init__(self, n, **kwargs):
        super().__init__(**kwargs)
        self.n = n
        if not isinstance(n, (int, Dim, Unknown)):
            raise ArgumentFault(f"RepeatVector: n must be an integer, but is {n!r}", FaultCode.WRONG_TYPE)
        self.input_spec = InputSpec(ndim=2)

    def call(self, inputs):
        return ops.repeat(ops.expand_dims(inputs, axis=1), repeats=self.n, axis=1)


def pairs(value: Any, count: int, name: str) -> tuple[tuple[Any, Any], ...]:
    """Return amounts before and after for each axis."""
    if isinstance(value, (int, Dim)):
        return ((value, value),) * count
    if count == 1:
        first, last = several(value, 2, name, 0)
        return ((first, last),)
    if len(value) != count:
        raise ArgumentFault(f"{name} must have {count} elements, but is {value}", FaultCode.ARGUMENT_LENGTH)
    return tuple(several(side, 2, name, 0) for side in value)  # type: ignore[misc]


def _spatial(cls_rank: int, data_format: str) -> int:
    return 1 if cls_rank == 1 or data_format == "channels_last" else 2


class BasePadding(Layer):
    """Adds zeros around each sample."""

    rank = 0

    def _configure(self, padding: Any, data_format: Any, kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self.padding = pairs(padding, self.rank, f"{type(self).__name__}: padding")
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Any:
        amounts: list[Any] = [(0, 0)] * (self.rank + 2)
        start = 1 if self.data_format == "channels_last" else 2
        amounts[start : start + self.rank] = self.padding
        return ops.pad(inputs, tuple(amounts))


class BaseCropping(Layer):
    """Cuts off the borders of each sample."""

    rank = 0

    def _configure(self, cropping: Any, data_format: Any, kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = standardize_data_format(data_format)
        self.cropping = pairs(cropping, self.rank, f"{type(self).__name__}: cropping")
        self.input_spec = InputSpec(ndim=self.rank + 2)

    def call(self, inputs: Any) -> Any:
        x = known_rank(inputs)
        start = _spatial(self.rank, self.data_format)
        parts: list[Any] = [slice(None)] * (self.rank + 2)
        for offset, (before, after) in enumerate(self.cropping):
            size = x._shape[start + offset]
            if less(size, before + after + 1) is True:
                raise ArgumentFault(
                    f'layer "{self.name}": cropping ({before}, {after}) leaves nothing of size {size} on axis '
                    f"{start + offset} of {text(x._shape)}",
                    FaultCode.PADDING_TOO_LARGE,
                )
            parts[start + offset] = slice(before, size - after)
        return ops.get_item(inputs, tuple(parts))


class BaseUpSampling(Layer):
    """Repeats rows, columns or steps."""

    rank = 0

    def call(self, inputs: Any) -> Any:
        start = _spatial(self.rank, self.data_format)
        if getattr(self, "interpolation", "nearest") != "nearest":
            x = known_rank(inputs)
            size = tuple(x._shape[start + i] * factor for i, factor in enumerate(self.size))
            return ops.image.resize(inputs, size, interpolation=self.interpolation, data_format=self.data_format)
        for offset, factor in enumerate(self.size):
            inputs = ops.repeat(inputs, factor, axis=start + offset)
        return inputs


def _make(n: int) -> None:
    class Padding(BasePadding):
        rank = n

        def __init__(self, padding=((1, 1),) * 3 if n == 3 else (1, 1) if n == 2 else 1, data_format=None, **kwargs):
            self._configure(padding, data_format, kwargs)

    class Cropping(BaseCropping):
        rank = n

    class UpSampling(BaseUpSampling):
        rank = n

    def cropping_of_one(self: Any, cropping: Any = (1, 1), **kwargs: Any) -> None:
        self._configure(cropping, "channels_last", kwargs)

    def cropping(
        self: Any, cropping: Any = ((0, 0), (0, 0)) if n == 2 else ((1, 1),) * 3, data_format: Any = None, **kwargs: Any
    ) -> None:
        self._configure(cropping, data_format, kwargs)

    def enlarge(self: Any, size: Any, data_format: Any, interpolation: Any, kwargs: Any) -> None:
        Layer.__init__(self, **kwargs)
        self.size = several(size, n, f"UpSampling{n}D: size")
        self.data_format = "channels_last" if n == 1 else standardize_data_format(data_format)
        self.interpolation = interpolation.lower()
        self.input_spec = InputSpec(ndim=n + 2)

    def one(self: Any, size: Any = 2, **kwargs: Any) -> None:
        enlarge(self, size, None, "nearest", kwargs)

    def two(
        self: Any, size: Any = (2, 2), data_format: Any = None, interpolation: Any = "nearest", **kwargs: Any
    ) -> None:
        enlarge(self, size, data_format, interpolation, kwargs)

    def three(self: Any, size: Any = (2, 2, 2), data_format: Any = None, **kwargs: Any) -> None:
        enlarge(self, size, data_format, "nearest", kwargs)

    Cropping.__init__ = cropping_of_one if n == 1 else cropping  # type: ignore[method-assign]
    UpSampling.__init__ = (one, two, three)[n - 1]  # type: ignore[method-assign]
    for cls, name, home in (
        (Padding, "ZeroPadding", "zero_padding"),
        (Cropping, "Cropping", "cropping"),
        (UpSampling, "UpSampling", "up_sampling"),
    ):
        cls.__name__ = f"{name}{n}D"
        layer(home=f"reshaping.{home}{n}d")(cls)


for _n in (1, 2, 3):
    _make(_n)
