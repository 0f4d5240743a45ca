"""A network as it is when its conditions are decided in one particular way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from cutaway.core.architecture import Architecture
from cutaway.core.condition import Decision
from cutaway.core.record import dataclass


@dataclass(frozen=True, slots=True)
class Variant:
    """A network, and the decisions that lead to it."""

    architecture: Architecture
    decisions: Mapping[str, Decision]

    @property
    def holds(self) -> dict[str, bool]:
        """Which conditions hold in it; those that did not occur are missing."""
        return {text: bool(decision.holds) for text, decision in self.decisions.items()}


@dataclass(frozen=True, slots=True)
class Folded:
    """Variants merged into one network, and which others are needed to determine more."""

    architecture: Architecture
    needed: tuple[Mapping[str, bool], ...] = ()


Fold: TypeAlias = Callable[[Sequence[Variant], Sequence[Mapping[str, bool]]], Folded]
"""Merges variants into one network; the others are compared with the first of them. The second argument is how conditions
were decided where the program raised instead."""
