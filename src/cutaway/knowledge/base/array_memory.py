"""Whether the numbers of an array of numpy's own are still known, and those of a tensor in the same memory.

Arrays are written to in many ways, so their bytes are compared with those that they had when the memory came to be shared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from cutaway.core.program_state import Key

_LOST: Key[dict[int, Any]] = Key(dict)  # arrays whose numbers are unknown, by identity


class Sharing:
    """An array in the memory of a tensor: the bytes of one and the count of writes to the other, as they were."""

    __slots__ = ("array", "contents", "storage", "writes")

    def __init__(self, array: Any, storage: Any) -> None:
        self.array, self.contents = array, array.tobytes()
        self.storage, self.writes = storage, storage[0]

    def is_intact(self) -> bool:
        """Tell whether nothing has been written to the memory through either."""
        return not is_lost(self.array) and bool(self.array.tobytes() == self.contents)

    def is_written(self) -> bool:
        """Tell whether something has been written through the tensor or a view of it."""
        return bool(self.storage[0] != self.writes)


_SHARED: Key[dict[int, list[Sharing]]] = Key(dict)  # by identity of the array that owns the memory


def share(array: Any, storage: Any) -> Sharing:
    """Note that an array lies in the memory of a tensor."""
    sharing = Sharing(array, storage)
    *_, owner = _bases(array)
    _SHARED.get().setdefault(id(owner), []).append(sharing)
    return sharing


def lose(array: Any) -> None:
    """Note that the numbers of an array are no longer known: something unknown was written to it."""
    _LOST.get()[id(array)] = array


def is_lost(array: Any) -> bool:
    """Tell whether the numbers of an array, or those it is a view of, are no longer known."""
    lost, shared = _LOST.get(), _SHARED.get()
    if not lost and not shared:
        return False
    return any(id(base) in lost or any(s.is_written() for s in shared.get(id(base), ())) for base in _bases(array))


def _bases(array: Any) -> Iterator[Any]:
    """Yield an array, the one that it is a view of, and so on."""
    while array is not None:
        yield array
        array = getattr(array, "base", None)
