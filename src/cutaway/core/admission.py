"""The table of the gate: how a value of each type enters the target's world.

The rules are in `cutaway/interp/boundary/gate.py`; the table is here because functions of the target, which are below
the boundary, look their arguments up in it too.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

Check = Callable[[Any], Any]
"""Takes a value that is about to enter the target's world; returns what the target gets in its place."""


class Verdicts(dict[type, Check | None]):
    """Type -> what checks a value of it, None where every value is admitted; a type is judged when it is first met."""

    def __init__(self) -> None:
        super().__init__()
        self.judge: Callable[[type], Check | None] = lambda _kind: None
        self.judged: list[type] = []

    def __missing__(self, kind: type) -> Check | None:
        self[kind] = verdict = self.judge(kind)
        self.judged.append(kind)
        return verdict

    def forget(self) -> None:
        """Forget the types that were met: those of an analysis that is over must not be kept alive."""
        for kind in self.judged:
            self.pop(kind, None)
        self.judged.clear()


CHECKS = Verdicts()
ADDRESS = sys.intern("__array_interface__")
"""The attribute by which an object tells numpy where in memory its numbers are. No object of the target has it."""
HELD: dict[int, Any] = {}
"""Containers that belong to the host, by identity: the target gets copies of them."""


def is_deaf(cls: type) -> bool:
    """Tell whether numpy finds no address in the variables of an object, as its class has the attribute."""
    return any(ADDRESS in type.__getattribute__(base, "__dict__") for base in type.__getattribute__(cls, "__mro__"))


def names_address(key: Any) -> bool:
    """Tell whether a key, or one in a dict, is the name of that attribute: the dict that it is for may be an object's."""
    kind = type(key)
    if kind is str:
        return key == ADDRESS  # type: ignore[no-any-return]
    if issubclass(kind, dict):
        return ADDRESS in dict.keys(key)
    return issubclass(kind, str) and str.__eq__(key, ADDRESS)


def admit(value: Any) -> Any:
    """Return a value in the form that the target may see."""
    check = CHECKS[type(value)]
    return value if check is None else check(value)
