"""State that a modelled library keeps for one program, under typed keys.

A library declares a key where it is used: `POLICY = Key(lambda: DTypePolicy("float32"))`. `POLICY.get()` is the value of
the analysis in progress.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from cutaway.core.session import current

T = TypeVar("T")


class Key(Generic[T]):
    """One piece of state; `default` creates it where it is first asked for."""

    __slots__ = ("default",)

    def __init__(self, default: Callable[[], T]) -> None:
        self.default = default

    def get(self) -> T:
        """Return the value, which is created if there is none."""
        values = current().state
        if self not in values:
            values[self] = self.default()
        return values[self]  # type: ignore[no-any-return]

    def peek(self) -> T | None:
        """Return the value, None if there is none; nothing is created."""
        return current().state.get(self)

    def set(self, value: T) -> None:
        """Replace the value."""
        current().state[self] = value

    def is_set(self) -> bool:
        """Tell whether there is a value."""
        return self in current().state

    def clear(self) -> None:
        """Drop the value."""
        current().state.pop(self, None)
