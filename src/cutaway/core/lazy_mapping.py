"""Configurations and attributes that are computed when they are first read."""

from __future__ import annotations

from collections.abc import Callable, ItemsView, Iterator, Mapping
from typing import Any

from cutaway.core.architecture import Setting


class Described(Mapping[str, Setting]):
    """A mapping that is computed when it is first read: most reports read few of them."""

    __slots__ = ("_compute", "_computed")

    def __init__(self, compute: Callable[[], dict[str, Setting]]) -> None:
        self._compute: Callable[[], dict[str, Setting]] | None = compute
        self._computed: dict[str, Setting] = {}

    def _items(self) -> dict[str, Setting]:
        if self._compute is not None:
            self._computed, self._compute = self._compute(), None
        return self._computed

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
