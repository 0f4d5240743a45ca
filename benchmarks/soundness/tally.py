"""What was found in many programs, and the constructs that it was found around."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.soundness.judge import Verdict, Wrong
from benchmarks.soundness.pool import Lost
from benchmarks.soundness.program import Program

Generate = Callable[[int], Program]
"""A seed -> its program."""


@dataclass
class Tally:
    """What was found in all programs."""

    generate: Generate
    programs: int = 0
    runs: int = 0
    wrong: dict[int, list[Wrong]] = field(default_factory=dict)
    crashes: dict[int, str] = field(default_factory=dict)
    assumed: list[int] = field(default_factory=list)
    refused: dict[int, str] = field(default_factory=dict)
    missed: list[int] = field(default_factory=list)
    common: Counter[str] = field(default_factory=Counter)
    stated: Counter[str] = field(default_factory=Counter)
    constructs: Counter[str] = field(default_factory=Counter)
    wrong_constructs: Counter[str] = field(default_factory=Counter)

    def add(self, seed: int, verdict: Verdict | Lost) -> None:
        """Count the verdict on one program."""
        self.programs += 1
        if isinstance(verdict, Lost):
            self.crashes[seed] = "the process ended, or did not answer"
            return
        self.runs += verdict.returning + verdict.raising
        if verdict.crash:
            self.crashes[seed] = verdict.crash
        if verdict.refused:
            self.refused[seed] = verdict.refused
        if verdict.wrong:
            self.wrong[seed] = verdict.wrong
        elif verdict.assumed:
            self.assumed.append(seed)
        if verdict.missed:
            self.missed.append(seed)
        self.common.update(verdict.common)
        self.stated.update(verdict.stated)
        parts = self.generate(seed).parts
        self.constructs.update({tag for part in parts for tag in part})
        self.wrong_constructs.update({tag for tags in responsible(parts, verdict.wrong) for tag in tags})


def responsible(parts: tuple[tuple[str, ...], ...], wrong: list[Wrong]) -> list[tuple[str, ...]]:
    """Return the parts of a program that wrong facts are about: names end in the number of their part."""
    numbers: set[int] = set()
    for one in wrong:
        found = re.findall(r"[a-z]_?(\d)\b", " ".join(str(part) for part in one.key[1:2]))
        numbers.update(int(number) for number in found)
    known = [parts[number - 1] for number in sorted(numbers) if 0 < number <= len(parts)]
    return known or (list(parts) if wrong else [])
