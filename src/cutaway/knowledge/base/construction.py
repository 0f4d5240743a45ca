"""How an object of the target was made: the arguments of its class, and where."""

from __future__ import annotations

from typing import Any

from cutaway.core.place import Place
from cutaway.core.record import dataclass, field
from cutaway.core.session import Note, current


@dataclass(frozen=True)
class Construction:
    """The arguments of a constructor, the place of its call, and what had been presumed of the program by then.

    `in_call` tells that a module was being called, `since` how many values had been made by then.
    """

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    place: Place | None
    presumed: tuple[Note, ...] = field(default_factory=lambda: current().presumed)
    in_call: bool = field(default_factory=lambda: bool(current().modules))
    since: int = field(default_factory=lambda: current().values)

    def __deepcopy__(self, memo: object) -> Construction:
        return self
