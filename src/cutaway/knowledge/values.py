"""The numbers in small tensors: immutable expressions, computed with numpy when they are asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

LIMIT = 1 << 16  # elements; larger tensors do not carry their numbers


class Lazy:
    """An array that is computed on first demand."""

    __slots__ = ("_arguments", "_array", "_compute")

    def __init__(self, compute: Callable[..., Any], arguments: Sequence[Any] = ()) -> None:
        self._compute: Callable[..., Any] | None = compute
        self._arguments: Sequence[Any] = arguments
        self._array: Any = None

    def array(self) -> Any:
        """Return the numpy array, computing what it depends on first."""
        if self._compute is not None:
            import numpy

            arguments = [a.array() if isinstance(a, Lazy) else a for a in self._arguments]
            with numpy.errstate(all="ignore"):
                self._array = self._compute(numpy, *arguments)
            self._compute, self._arguments = None, ()
        return self._array


def known(array: Any) -> Lazy:
    """Wrap numbers that are already there."""
    return Lazy(lambda np: np.asarray(array))
