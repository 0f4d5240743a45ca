"""What a running network is called with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from cutaway.syntax.target import Input, TargetError


@dataclass(frozen=True, slots=True)
class Arguments:
    """Positional and named arguments."""

    positional: tuple[Any, ...] = ()
    named: Mapping[str, Any] = field(default_factory=dict)


def numeric_shape(given: Input) -> tuple[int, ...]:
    """Return the sizes of an input, which must all be numbers."""
    sizes = given.shape
    if not all(isinstance(size, int) for size in sizes):
        words = "x".join(map(str, sizes))
        raise TargetError(f"--input {words}: a network that runs needs numbers for all sizes")
    return tuple(size for size in sizes if isinstance(size, int))
