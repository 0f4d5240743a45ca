"""What `cutaway check` reports: a problem of a program, how certain it is, and the expression that it is about."""

from __future__ import annotations

from enum import Enum

from cutaway.core.place import Place
from cutaway.core.record import dataclass


class Severity(Enum):
    """How certain a problem is.

    An error is an execution that fails. A warning runs, but does something that nobody wants. A hint may be meant as it
    is, or depends on something that is not known; hints are off unless they are selected.
    """

    ERROR = "error"
    WARNING = "warning"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class Extent:
    """The part of a file that a problem is about; columns count characters from 1, and the end is exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class ProblemNote:
    """What helps to understand a problem, such as where one of two sizes comes from."""

    text: str
    place: Place | None = None


@dataclass(frozen=True, slots=True)
class Edit:
    """Text that is inserted into a file; `column` counts bytes from 0, as syntax trees do."""

    line: int
    column: int
    text: str


@dataclass(frozen=True, slots=True)
class Fix:
    """A change that removes a problem and certainly means what was meant; `title` says what it does."""

    title: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem, at the place where it shows first; `extent` is None where it is about a file as a whole."""

    code: str
    severity: Severity
    message: str
    file: str
    extent: Extent | None = None
    notes: tuple[ProblemNote, ...] = ()
    fix: Fix | None = None

    @property
    def line(self) -> int:
        """The line, 0 for a file as a whole."""
        return 0 if self.extent is None else self.extent.line


@dataclass(frozen=True, slots=True)
class CheckedFile:
    """A file, its problems, and why a part of it was not checked, where that is so."""

    path: str
    problems: tuple[Problem, ...] = ()
    note: str = ""
