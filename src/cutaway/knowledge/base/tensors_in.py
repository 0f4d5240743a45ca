"""Finding the tensors in the arguments and results of an operation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from cutaway.core.lazy_list import LazyList

ATOMS = frozenset((type(None), bool, int, float, str))
"""What is in most arguments and holds no tensor."""

Tensor = TypeVar("Tensor")


def collector(kind: type[Tensor]) -> Callable[[Any, list[Tensor]], None]:
    """Return a function that adds the tensors of a kind in a nested value to a list, in order."""

    def collect(value: Any, found: list[Tensor]) -> None:
        if type(value) in ATOMS:
            return
        if isinstance(value, kind):
            found.append(value)
        elif isinstance(value, (list, tuple)):
            if type(value) is LazyList and value.numbers:
                return
            for item in value:
                collect(item, found)
        elif isinstance(value, dict):
            for item in value.values():
                collect(item, found)

    return collect
