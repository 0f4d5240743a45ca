"""One network as it is where conditions are decided one way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from cutaway.core.architecture import Architecture
from cutaway.core.condition import Decision
from cutaway.core.record import dataclass


@dataclass(frozen=True, slots=True)
class Variant:
    """A network, and the decisions that were taken on the way to it."""

    architecture: Architecture
    decisions: Mapping[str, Decision]

    @property
    def holds(self) -> dict[str, bool]:
        """Which conditions hold in it; those that were not met are missing."""
        return {text: bool(decision.holds) for text, decision in self.decisions.items()}


@dataclass(frozen=True, slots=True)
class Folded:
    """Variants as one network, and which others would be needed to say more."""

    architecture: Architecture
    wanted: tuple[Mapping[str, bool], ...] = ()


Fold: TypeAlias = Callable[[Sequence[Variant]], Folded]
"""What makes one network of variants; the first of them is the one that others are compared with."""
