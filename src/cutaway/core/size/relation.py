"""A statement about sizes that may hold or not: what a condition of a program asks."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from cutaway.core.record import dataclass

if TYPE_CHECKING:
    from cutaway.core.size.atom import Size

_OPPOSITE = {"==": "!=", "!=": "==", "<": ">=", ">=": "<", "<=": ">", ">": "<="}


@dataclass(frozen=True, slots=True)
class Relation:
    """`left` compared with `right` by `kind`, one of ==, !=, <, <=, > and >=."""

    kind: str
    left: Size
    right: Size

    def __str__(self) -> str:
        return f"{self.left} {self.kind} {self.right}"

    def negated(self) -> Relation:
        """Return the statement that holds where this one does not."""
        return Relation(_OPPOSITE[self.kind], self.left, self.right)


@dataclass(frozen=True, slots=True)
class Several:
    """Statements of which `every` one holds, or at least one; None stands for one that is about something else."""

    every: bool
    parts: tuple[Relation | Several | None, ...]

    def __str__(self) -> str:
        return (" and " if self.every else " or ").join("?" if part is None else str(part) for part in self.parts)

    def negated(self) -> Several:
        """Return the statement that holds where this one does not."""
        return Several(not self.every, tuple(None if part is None else part.negated() for part in self.parts))


Statement: TypeAlias = Relation | Several
