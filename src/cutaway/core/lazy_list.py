"""A list whose length is known, and whose items are computed when one of them is asked for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any


class Deferred(list[Any]):
    """A list that a long computation with plain numbers fills. Whoever looks into it has that computation done."""

    def __init__(self, length: int, compute: Callable[[], list[Any]], numbers: bool = False) -> None:
        super().__init__()
        self._length, self._compute = length, compute
        self.numbers = numbers  # and nothing else

    def computed(self) -> list[Any]:
        """Return the items; those that are added later are added to these."""
        if self._length is not None:
            super().extend(self._compute())
            assert super().__len__() == self._length, "the items are as many as was said"
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
