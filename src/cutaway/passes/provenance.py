"""How each fact of a network is known: as it is written, derived, symbolic, assumed, or not at all.

A fact is the argument of a module, the shape of a weight, of an operation's result, of an input or an output. One
that follows from an input that nobody gave is assumed, with what was assumed; one that is unknown has the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from cutaway.core.architecture import Architecture, Op, Setting, Shape
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Dim
from cutaway.passes.cost import undecided, was_followed
from cutaway.passes.hierarchy import ancestors

LITERAL, DEFAULT, DERIVED, SYMBOLIC, ASSUMED, UNKNOWN = (
    "literal",
    "default",
    "derived",
    "symbolic",
    "assumed",
    "unknown",
)
ORIGINS = (LITERAL, DEFAULT, DERIVED, SYMBOLIC, ASSUMED, UNKNOWN)
"""How a fact is known."""

_OF_INPUTS = ("the input ", "shown for ")


@dataclass(frozen=True, slots=True)
class Known:
    """How many facts of a network are known, and in which way."""

    facts: int
    derived: int
    symbolic: int
    assumed: int
    unknown: int

    @property
    def share(self) -> float:
        """The part that is not unknown."""
        return 1.0 if self.facts == 0 else 1 - self.unknown / self.facts


class Provenance:
    """How the facts of one network are known."""

    def __init__(self, architecture: Architecture) -> None:
        self.architecture = architecture
        self.assumed = [
            note.text for note in architecture.assumptions if note.text.startswith(_OF_INPUTS) and architecture.ops
        ]
        self._reasons = {note.module: note.text for note in reversed(architecture.unknowns) if note.module is not None}

    def of_shape(self, shape: Shape, module: str | None, forward: bool) -> str:
        """Return how a shape is known; `forward` tells that it follows from the inputs."""
        if shape is None or None in shape:
            return UNKNOWN
        if forward and self.assumed:
            return ASSUMED
        return SYMBOLIC if any(isinstance(size, Dim) for size in shape) else DERIVED

    def of_op(self, op: Op) -> str:
        """Return how the results of an operation are known."""
        ways = [self.of_shape(value.shape, op.module, forward=True) for value in op.outputs]
        return next((way for way in (UNKNOWN, ASSUMED, SYMBOLIC) if way in ways), DERIVED)

    def document(self, way: str, module: str | None) -> dict[str, Setting] | str:
        """Return how a fact is known, with what was assumed or why it is unknown."""
        if way == ASSUMED:
            return {ASSUMED: list(self.assumed)}
        return {UNKNOWN: self.reason(module)} if way == UNKNOWN else way

    def reason(self, module: str | None) -> str | None:
        """Return why something of a module is unknown; None where there are several reasons, and none is of the module."""
        for path in ancestors(module or "", self.architecture.separator):
            if path in self._reasons:
                return self._reasons[path]
        causes = self.architecture.causes or self.architecture.unknowns
        return causes[0].text if len(causes) == 1 else None

    def counted(self) -> Known:
        """Return how much of the network is known."""
        count = Counter(self._ways())
        facts = sum(count.values())
        return Known(facts, count[DERIVED], count[SYMBOLIC], count[ASSUMED], count[UNKNOWN])

    def _ways(self) -> Iterator[str]:
        """Yield how each fact is known: what a module consists of, shapes, and what forward would have said."""
        architecture = self.architecture
        for module in architecture.modules:
            yield DERIVED if module.complete else UNKNOWN
        for weight in architecture.weights:
            yield self.of_shape(weight.shape, weight.module, forward=False)
        for op in architecture.ops:
            yield self.of_op(op)
        for value in architecture.outputs:
            yield self.of_shape(value.shape, "", forward=True)
        yield from (UNKNOWN for _ in undecided(architecture))
        if not architecture.outputs and not was_followed(architecture):
            yield UNKNOWN


def in_words(known: Known) -> str:
    """Return how much of a network is known, in one line."""
    share = known.share * 100
    percent = "100" if not known.unknown else f"{min(share, 99.9):.1f}".removesuffix(".0")
    ways = [f"{count:,} {way}" for way, count in _parts(known) if count]
    return f"known: {percent}% of {known.facts:,} facts ({', '.join(ways)})"


def _parts(known: Known) -> list[tuple[str, int]]:
    return [
        (DERIVED, known.derived),
        (SYMBOLIC, known.symbolic),
        (ASSUMED, known.assumed),
        (UNKNOWN, known.unknown),
    ]
