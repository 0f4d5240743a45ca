"""Where a fact comes from: a file and a line, or a field of a saved file."""

from __future__ import annotations

from cutaway.core.record import dataclass


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a source file; `line` is 0 where the whole file is meant."""

    file: str
    line: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file

    @staticmethod
    def parse(text: str) -> Place:
        """Parse what `str(place)` returns."""
        file, colon, line = text.rpartition(":")
        return Place(file, int(line)) if colon and line.isdigit() else Place(text)
