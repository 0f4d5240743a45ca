"""The numbers in small tensors: immutable expressions, computed with numpy when they are asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from typing import Any

from cutaway.core.size.dim import product
from cutaway.core.unknown import Undecidable, Unknown

LIMIT = 1 << 16  # elements; larger tensors do not carry their numbers


_PLAIN = frozenset((int, float, bool, complex, str, bytes, type(None), slice, type(Ellipsis), range))


def exact(value: Any) -> Any:
    """Return a value as numpy gets it: in exactly the built-in types, all the way down.

    numpy asks any other object where in memory its numbers are, so one of a class of the target never gets there.
    """
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is list or kind is tuple:
        return value if all(type(item) in _PLAIN for item in value) else kind(map(exact, value))
    for base, convert in _EXACT.items():
        if issubclass(kind, base):
            return convert(value)
    if _is_genuine(kind):
        return value
    if hasattr(kind, "__array_finalize__"):
        return _exact_array(value)
    raise Undecidable(Unknown(f"numpy is not computed with an object of class {kind.__name__}"))


_HEAP_TYPE = 1 << 9


def _is_genuine(kind: type) -> bool:
    """Tell whether a class is numpy's or Cutaway's own: its module contains it, whatever a class of the target says of itself."""
    home, title = type.__getattribute__(kind, "__module__"), type.__getattribute__(kind, "__qualname__")
    if type(home) is not str or home.partition(".")[0] not in ("numpy", "cutaway"):
        return False
    if not type.__getattribute__(kind, "__flags__") & _HEAP_TYPE:
        return True
    return getattr(sys.modules.get(home), title, None) is kind


def _exact_array(value: Any) -> Any:
    import numpy

    array = numpy.ndarray.view(value, numpy.ndarray) if isinstance(value, numpy.ndarray) else None
    if array is None or array.dtype.hasobject:
        raise Undecidable(Unknown(f"numpy is not computed with an object of class {type(value).__name__}"))
    return array


_EXACT: dict[type, Callable[[Any], Any]] = {
    list: lambda value: list(map(exact, list.__iter__(value))),
    tuple: lambda value: tuple(map(exact, tuple.__iter__(value))),
    dict: lambda value: {exact(key): exact(item) for key, item in dict.items(value)},
    int: int.__int__,
    float: float.__float__,
    complex: complex.__pos__,
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
}
"""Built-in class -> what makes an object of it from one of a derived class."""


class Lazy:
    """An array that is computed on first demand.

    `listed` gives the same numbers in nested lists, from those of the arguments. Most networks that look at
    numbers look at a few evenly spaced ones, which is not worth the import of numpy.
    """

    __slots__ = ("_arguments", "_array", "_compute", "_listed")

    def __init__(
        self, compute: Callable[..., Any], arguments: Sequence[Any] = (), listed: Callable[..., Any] | None = None
    ) -> None:
        self._compute: Callable[..., Any] | None = compute
        self._arguments: Sequence[Any] = arguments
        self._array: Any = None
        self._listed = listed

    def array(self) -> Any:
        """Return the numpy array, computing what it depends on first."""
        if self._compute is not None:
            import numpy

            arguments = [a.array() if isinstance(a, Lazy) else exact(a) for a in self._arguments]
            with numpy.errstate(all="ignore"):
                self._array = self._compute(numpy, *arguments)
            self._compute, self._arguments = None, ()
        return self._array

    def numbers(self) -> Any:
        """Return the numbers as Python's own, in nested lists."""
        found = self._without_numpy()
        return self.array().tolist() if found is None else found

    def _without_numpy(self) -> Any:
        if self._compute is None or self._listed is None:
            return None
        arguments = [a._without_numpy() if isinstance(a, Lazy) else a for a in self._arguments]
        return None if any(a is None for a in arguments) else self._listed(*arguments)


def known(array: Any) -> Lazy:
    """Wrap numbers that are already there."""
    return Lazy(lambda np, numbers: np.asarray(numbers), [array])


_NOT_OF_NUMPY = frozenset(("bfloat16", "complex32", "string"))


def cast(values: Lazy | None, dtype: str, shape: Any) -> Lazy | None:
    """Return numbers in a dtype and a shape; None where numpy does not have the dtype, or they are many."""
    if values is None or dtype in _NOT_OF_NUMPY or dtype.startswith("float8") or isinstance(shape, Unknown):
        return None
    size = product(shape)
    if not isinstance(size, int) or size > LIMIT:
        return None
    return Lazy(
        lambda np, array: np.asarray(array).astype(dtype, copy=False).reshape(shape),
        [values],
        lambda numbers: numbers,
    )
