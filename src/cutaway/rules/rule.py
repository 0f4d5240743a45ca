"""What a rule is: a code, how certain it is, the operations that it looks at, and a function that finds problems."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from cutaway.core.place import Place
from cutaway.core.problem import Fix, Severity
from cutaway.core.program import Program
from cutaway.core.record import dataclass


@dataclass(frozen=True, slots=True)
class Found:
    """What a rule finds: a message, the place, what is called or read there, notes with their places, and how to fix it."""

    message: str
    place: Place | None
    names: tuple[str, ...] = ()
    notes: tuple[tuple[str, Place | None], ...] = ()
    fix: Fix | None = None


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule. `watches` are the operations that it needs to see wherever they take place."""

    code: str
    severity: Severity
    find: Callable[[Program], Iterable[Found]]
    watches: frozenset[str] = frozenset()

    def __call__(self, program: Program) -> Iterator[Found]:
        """Yield what is found in a program."""
        yield from self.find(program)
