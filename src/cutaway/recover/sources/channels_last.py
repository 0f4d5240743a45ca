"""Layers of frameworks whose channels come last: windows, and padding that depends on the size."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from typing import Any

from cutaway.core.contents import Stored
from cutaway.core.record import replace
from cutaway.core.size.dim import ceildiv, floordiv, maximum
from cutaway.recover.graph import Tensor
from cutaway.recover.layout import LAYOUT
from cutaway.recover.sources.emission import Emission, Unsupported, alike


def first_order(rank: int) -> tuple[int, ...]:
    """Return the order that moves the last dimension to the second place."""
    return (0, rank - 1, *range(1, rank - 1))


def last_order(rank: int) -> tuple[int, ...]:
    """Return the order that moves the second dimension to the last place."""
    return (0, *range(2, rank), 1)


class ChannelsLast:
    """A layer that works with channels second, between two changes of the order of dimensions."""

    def __init__(self, call: Emission, source: str, is_last: bool = True) -> None:
        self.call = call
        shape = call.graph.shape(source)
        if shape is None or any(size is None for size in shape):
            raise Unsupported("the shape of an image is not known")
        self.is_last = is_last and len(shape) > 2
        self.rank = len(shape)
        order = first_order(self.rank)
        self.shape = tuple(shape[place] for place in order) if self.is_last else tuple(shape)
        self.source = call.temporary(LAYOUT, source, shape=self.shape, dims=order) if self.is_last else source

    @property
    def spatial(self) -> int:
        """The number of dimensions of space."""
        return self.rank - 2

    def emit(self, op: str, weights: dict[str, Tensor] | None = None, **config: Any) -> None:
        """Add the layer that makes the output."""
        if not self.is_last:
            self.call.emit(op, self.source, weights=weights, **config)
            return
        out = self.call.graph.shape(self.call.outputs[0])
        order = first_order(self.rank)
        shape = None if out is None or len(out) != self.rank else tuple(out[place] for place in order)
        made = self.call.temporary(op, self.source, shape=shape, weights=weights, **config)
        self.call.emit(LAYOUT, made, dims=last_order(self.rank))

    def step(self, op: str, shape: Any, weights: dict[str, Tensor] | None = None, **config: Any) -> None:
        """Add a layer before the last one."""
        self.source = self.call.temporary(op, self.source, shape=shape, weights=weights, **config)
        self.shape = tuple(shape)

    def padded(
        self, padding: str, window: Sequence[int], strides: Sequence[int], dilations: Sequence[int], value: Any = None
    ) -> Any:
        """Return the padding of a layer, after what it can't add by itself is added."""
        if padding.lower() == "valid":
            return 0
        if padding.lower() not in ("same", "causal"):
            raise Unsupported(f"there is no padding {padding!r:.40}")
        if padding.lower() == "causal":
            reach = (window[0] - 1) * dilations[0]
            self.step("F.pad", (*self.shape[:2], self.shape[2] + reach), pad=(reach, 0))
            return 0
        pairs = [
            _same(size, width, stride, dilation)
            for size, width, stride, dilation in zip(self.shape[2:], window, strides, dilations)
        ]
        if value is None and all(type(one) is int and one == other for one, other in pairs):
            return alike([one for one, _ in pairs])
        if all(one == 0 == other for one, other in pairs):
            return 0
        pad = tuple(amount for pair in reversed(pairs) for amount in pair)
        shape = (*self.shape[:2], *(size + one + other for size, (one, other) in zip(self.shape[2:], pairs)))
        self.step("F.pad", shape, pad=pad, **({"value": value} if value else {}))
        return 0

    def windowed(self, padding: str, window: Sequence[int], strides: Sequence[int], is_max: bool) -> tuple[Any, bool]:
        """Return the padding of a pooling layer, and whether its size is rounded up.

        Where one more is added at the end, a last window that is cut off sees the same numbers.
        """
        if padding.lower() == "same":
            ones = [1] * len(window)
            pairs = [_same(*each) for each in zip(self.shape[2:], window, strides, ones)]
            if all(type(one) is int and type(other) is int for one, other in pairs):
                uneven = [other - one for one, other in pairs]
                fits = all(2 * one <= width for (one, _), width in zip(pairs, window))
                moves = all(not more or stride > 1 for more, stride in zip(uneven, strides))
                if any(uneven) and fits and moves and all(uneven):
                    return alike([one for one, _ in pairs]), True
                if fits and not any(uneven):
                    return alike([one for one, _ in pairs]), False
        before = self.source
        amount = self.padded(padding, window, strides, [1] * len(window), float("-inf") if is_max else None)
        if not is_max and self.source != before:
            raise Unsupported("its padding differs on two sides, and does not count")
        return amount, False


def _same(size: Any, width: int, stride: int, dilation: int) -> tuple[Any, Any]:
    """Return what is added before and after a dimension, so that its size is only divided by the stride."""
    reach = (width - 1) * dilation
    total: Any
    if stride == 1:
        total = reach
    elif isinstance(size, int):
        total = max((-(-size // stride) - 1) * stride + reach + 1 - size, 0)
    else:
        total = maximum((ceildiv(size, stride) - 1) * stride + reach + 1 - size, 0)
    half = floordiv(total, 2)
    return half, total - half


def kernel(tensor: Tensor, depthwise: bool = False, transposed: bool = False) -> Tensor:
    """Return a kernel, whose channels come last, as PyTorch has it."""
    spatial = len(tensor.shape) - 2
    places = tuple(range(spatial))
    if depthwise:  # height, width, channels, multiplier
        *window, channels, times = tensor.shape
        return tensor.permuted(spatial, spatial + 1, *places).reshaped(channels * times, 1, *window)
    # height, width, in, out; transposed ones have out before in, as PyTorch does the other way round
    return tensor.permuted(spatial + 1, spatial, *places)


def zeros_like(tensor: Tensor, *shape: int) -> Tensor:
    """Return a tensor of zeros."""
    return filled(tensor, 0, *shape)


def filled(tensor: Tensor, value: float, *shape: int) -> Tensor:
    """Return a tensor of one number, of the element type of another."""
    codes = {"float32": "f", "float64": "d", "float16": "e"}
    if tensor.dtype not in codes:
        raise Unsupported(f"there are no numbers of type {tensor.dtype}")
    one = struct.pack(f"<{codes[tensor.dtype]}", value)
    content = one * math.prod(shape)
    return Tensor(Stored(f"{tensor.stored.name}::{value}", tensor.dtype, shape, lambda: iter((content,))))


def renamed(tensor: Tensor, name: str) -> Tensor:
    """Return a tensor under another name."""
    return replace(tensor, stored=replace(tensor.stored, name=name))
