"""How an object of the target was made: the arguments of its class, and where."""

from __future__ import annotations

from typing import Any

from cutaway.core.place import Place
from cutaway.core.record import dataclass


@dataclass(frozen=True)
class Construction:
    """The arguments of a constructor and the place of its call."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    place: Place | None

    def __deepcopy__(self, memo: object) -> Construction:
        return self
