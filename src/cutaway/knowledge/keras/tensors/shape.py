"""Shapes as a program of TensorFlow or Keras sees them: sizes that are not fixed are None."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from cutaway.core import session
from cutaway.core.fault import ArgumentFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Dim, Size, equal, is_known, symbol, unknown_size
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.knowledge.base.registry import row

BATCH = "B"
"""The symbol of a batch size that is left open. It is one and the same for all inputs."""


def seen(shape: Any) -> Any:
    """Return a shape as the program sees it: None for what is only known when it is called.

    A size that is made of arguments is a number to the program. Of one that could not be determined it may not see None.
    """
    if isinstance(shape, Unknown):
        return shape
    return tuple([size if type(size) is int else _seen_size(size) for size in shape])


def _seen_size(size: Any) -> Any:
    if isinstance(size, Dim):
        if session.current().consists_of_arguments(size):
            return size
        return None if is_known(size) else Unknown("a size that could not be determined")
    return size


def symbolic(shape: Any, name: str) -> Any:
    """Return a shape with symbols in place of None: the batch size, and others named by the input and the axis."""
    if isinstance(shape, Unknown):
        return shape
    sizes: list[Size] = []
    for axis, size in enumerate(shape):
        if size is None:
            label = BATCH if axis == 0 else f"{re.sub(r'[^0-9A-Za-z_]', '_', name)}_d{axis}"
            sizes.append(symbol(label))
        elif isinstance(size, Unknown):
            sizes.append(unknown_size())
        else:
            sizes.append(size if isinstance(size, Dim) else int(size))
    return tuple(sizes)


@row("tensorflow.TensorShape", "tensorflow.compat.v1.TensorShape")
class TensorShape(tuple):  # type: ignore[type-arg]
    """The shape of a `tf.Tensor`."""

    def __new__(cls, dims: Any = ()) -> Any:
        if isinstance(dims, Unknown):
            return dims
        if dims is None:
            return Unknown("a shape whose number of dimensions is left open")
        return tuple.__new__(cls, (dims,) if isinstance(dims, int) else tuple(dims))

    def as_list(self) -> list[Any]:
        return list(self)

    @property
    def rank(self) -> int:
        return len(self)

    ndims = rank

    @property
    def dims(self) -> list[Any]:
        return list(self)

    def num_elements(self) -> Any:
        total = 1
        for size in self:
            if size is None:
                return None
            total = total * size
        return total

    def is_fully_defined(self) -> bool:
        return all(size is not None for size in self)

    def concatenate(self, other: Any) -> Any:
        return TensorShape((*self, *other))

    def merge_with(self, other: Any) -> Any:
        return TensorShape(a if a is not None else b for a, b in zip(self, other))

    def with_rank(self, rank: int) -> Any:
        return self

    with_rank_at_least = assert_has_rank = with_rank

    def is_compatible_with(self, other: Any) -> bool:
        return len(self) == len(other) and all(a is None or b is None or a == b for a, b in zip(self, other))

    def assert_is_compatible_with(self, other: Any) -> None:
        if not self.is_compatible_with(TensorShape(other)):
            raise ValueError(f"Shapes {tuple(self)} and {tuple(other)} are incompatible")

    def assert_is_fully_defined(self) -> None:
        if not self.is_fully_defined():
            raise ValueError(f"Shape {tuple(self)} is not fully defined")

    def __getitem__(self, key: Any) -> Any:
        found = tuple.__getitem__(self, key)
        return TensorShape(found) if isinstance(key, slice) else found

    def __add__(self, other: Any) -> Any:
        return TensorShape((*self, *other))

    def __radd__(self, other: Any) -> Any:
        return TensorShape((*other, *self))


def sizes_of(shape: Any, what: str = "shape") -> tuple[Size, ...]:
    """Return a shape argument as sizes: numbers, symbols, or tensors that hold them; None stays."""
    if isinstance(shape, Unknown):
        raise Undecidable(shape)
    held = getattr(shape, "sizes", None)
    if held is not None:
        found = held()
        return found if isinstance(found, tuple) else (found,)
    if isinstance(shape, (int, Dim)):
        return (shape,)
    if hasattr(shape, "tolist"):
        shape = shape.tolist()
    return tuple(size_of(size, what) for size in shape)


def size_of(size: Any, what: str = "size") -> Any:
    """Return one size of a shape argument."""
    if size is None or isinstance(size, Dim) or type(size) is int:
        return size
    if isinstance(size, Unknown):
        return unknown_size()
    held = getattr(size, "sizes", None)
    if held is not None:
        return held()
    if isinstance(size, float) and size.is_integer():
        raise TypeError(f"{what}: 'float' object cannot be interpreted as an integer")
    return size.__index__()


def require_same_shape(name: str, expected: Any, given: Any) -> None:
    """Report and raise where a weight certainly has another shape than what it is set to."""
    if isinstance(expected, Unknown) or isinstance(given, Unknown):
        return
    if len(expected) != len(given) or any(equal(a, b) is False for a, b in zip(expected, given)):
        fault = ArgumentFault(
            f"{name}: the weight has shape {text(expected)}, but is set to a value of shape {text(given)}",
            FaultCode.SHAPE_MISMATCH,
        )
        session.current().report(fault)
        raise fault


def text(shape: Sequence[Any]) -> str:
    """Write a shape as Keras shows it in messages."""
    if isinstance(shape, Unknown):
        return "of unknown rank"
    return f"({', '.join('None' if isinstance(s, Dim) and is_known(s) else str(s) for s in shape)}{',' if len(shape) == 1 else ''})"
