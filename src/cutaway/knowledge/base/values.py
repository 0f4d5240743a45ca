"""The numbers in small tensors: immutable expressions, computed with numpy when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cutaway.core.size.dim import product
from cutaway.core.unknown import Unknown

LIMIT = 1 << 16  # elements; larger tensors do not carry their numbers


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

            arguments = [a.array() if isinstance(a, Lazy) else a for a in self._arguments]
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
    return Lazy(lambda np: np.asarray(array))


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
