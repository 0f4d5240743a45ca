"""A list whose length is known, and whose items are computed when one of them is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class Deferred(list[Any]):
    """A list that a long computation with plain numbers fills; reading an item runs the computation."""

    def __init__(self, length: int, compute: Callable[[], list[Any]], numbers: bool = False) -> None:
        super().__init__()
        self._length, self._compute = length, compute
        self.numbers = numbers  # all items are numbers

    def computed(self) -> list[Any]:
        """Compute the items and return the list; later additions go to the computed list."""
        if self._length is not None:
            super().extend(self._compute())
            assert super().__len__() == self._length, "as many items are computed as were announced"
            self._length = None  # type: ignore[assignment]
        return self

    def __len__(self) -> int:
        return super().__len__() if self._length is None else self._length

    def __iter__(self) -> Iterator[Any]:
        self.computed()
        return super().__iter__()


def _forcing(name: str) -> Any:
    plain = getattr(list, name)

    def method(self: Deferred, *args: Any) -> Any:
        self.computed()
        return plain(self, *args)

    method.__name__ = name
    return method


for _name in (
    "__getitem__ __setitem__ __delitem__ __contains__ __add__ __iadd__ __mul__ __rmul__ __imul__ __reversed__ __repr__ "
    "__eq__ __ne__ __lt__ __le__ __gt__ __ge__ append clear copy count extend index insert pop remove reverse sort"
).split():
    setattr(Deferred, _name, _forcing(_name))


def _added_to(self: Deferred, other: list[Any]) -> list[Any]:
    return other + list(self)


Deferred.__radd__ = _added_to  # type: ignore[attr-defined]
