"""Configurations and attributes that are made when they are looked at."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping
from typing import Any

from cutaway.core.architecture import Setting


class Described(Mapping[str, Setting]):
    """A mapping that is made when it is first looked at: most reports look at few of them."""

    __slots__ = ("_made", "_make")

    def __init__(self, make: Callable[[], dict[str, Setting]]) -> None:
        self._make: Callable[[], dict[str, Setting]] | None = make
        self._made: dict[str, Setting] = {}

    def _items(self) -> dict[str, Setting]:
        if self._make is not None:
            self._made, self._make = self._make(), None
        return self._made

    def __getitem__(self, key: str) -> Setting:
        return self._items()[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._items())

    def __len__(self) -> int:
        return len(self._items())

    def items(self) -> ItemsView[str, Setting]:
        return self._items().items()

    def __repr__(self) -> str:
        return repr(self._items())

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (self._items(),)
