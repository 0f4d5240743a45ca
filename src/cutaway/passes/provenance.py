"""How each fact of a network is known: as it is written, derived, symbolic, assumed, or not at all.

A fact is the argument of a module, what a module consists of, the shape of a weight, of an operation's result, of an input
or an output. One that follows from an input that nobody gave, or from something that is assumed about the program, is
assumed, with what was assumed; one that is unknown has the reason.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TypeAlias

from cutaway.core.architecture import Architecture, Module, Op, Setting, Shape, Value, Weight
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

OPEN_CLASS = "which class the network is depends on conditions"
"""The reason for which the class of a network is not known; elsewhere a class that is not given is not a fact."""

Entry: TypeAlias = Module | Weight | Op | Value
"""What there is a fact about: what a module consists of, the shape of a weight, of results, of an input or output."""


@dataclass(frozen=True, slots=True)
class Known:
    """How many facts of a network are known, and in which way; `assumptions` are those that the assumed ones depend on."""

    facts: int
    derived: int
    symbolic: int
    assumed: int
    unknown: int
    assumptions: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The part that is not unknown."""
        return 1.0 if self.facts == 0 else 1 - self.unknown / self.facts


class Provenance:
    """How the facts of one network are known."""

    def __init__(self, architecture: Architecture) -> None:
        self.architecture = architecture
        self._inputs = tuple(
            note.text for note in architecture.assumptions if note.text.startswith(_OF_INPUTS) and architecture.ops
        )
        self._class_is_open = any(note.text == OPEN_CLASS for note in architecture.unknowns)
        self._reasons = {note.module: note.text for note in reversed(architecture.unknowns) if note.module is not None}

    def assumptions_of(self, entry: Entry) -> tuple[str, ...]:
        """Return what a fact depends on of what is assumed."""
        return (*self._inputs, *entry.assumed) if isinstance(entry, (Op, Value)) else entry.assumed

    def way(self, entry: Entry) -> str:
        """Return how a fact is known."""
        if isinstance(entry, Module) and (
            not entry.complete or (self._class_is_open and not entry.path and not entry.class_name)
        ):
            return UNKNOWN
        is_symbolic = False
        for shape in _shapes(entry):
            for size in (None,) if shape is None else shape:
                if size is None:
                    return UNKNOWN
                is_symbolic = is_symbolic or isinstance(size, Dim)
        if self.assumptions_of(entry):
            return ASSUMED
        return SYMBOLIC if is_symbolic else DERIVED

    def document(self, entry: Entry) -> dict[str, Setting] | str:
        """Return how a fact is known, with what was assumed or why it is unknown."""
        way = self.way(entry)
        if way == ASSUMED:
            return {ASSUMED: list(self.assumptions_of(entry))}
        return {UNKNOWN: self.reason(_module(entry))} if way == UNKNOWN else way

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
        assumed = [entry for entry in self._entries() if self.way(entry) == ASSUMED] if count[ASSUMED] else []
        assumptions = tuple(dict.fromkeys(text for entry in assumed for text in self.assumptions_of(entry)))
        return Known(facts, count[DERIVED], count[SYMBOLIC], count[ASSUMED], count[UNKNOWN], assumptions)

    def _entries(self) -> Iterator[Entry]:
        architecture = self.architecture
        yield from architecture.modules
        yield from architecture.weights
        yield from architecture.ops
        yield from architecture.outputs

    def _ways(self) -> Iterator[str]:
        """Yield how each fact is known: what a module consists of, shapes, and what forward would have said."""
        yield from map(self.way, self._entries())
        architecture = self.architecture
        yield from (UNKNOWN for _ in undecided(architecture))
        if not architecture.outputs and not was_followed(architecture):
            yield UNKNOWN


def _shapes(entry: Entry) -> list[Shape]:
    if isinstance(entry, Op):
        return [value.shape for value in entry.outputs]
    return [] if isinstance(entry, Module) else [entry.shape]


def _module(entry: Entry) -> str | None:
    """Return the path of the module that a fact is about."""
    if isinstance(entry, Value):
        return ""
    return entry.path if isinstance(entry, Module) else entry.module


def in_words(known: Known) -> str:
    """Return how much of a network is known, in one line."""
    ways = ", ".join(f"{count:,} {way}" for way, count in _parts(known) if count)
    if not known.assumed:
        return f"known: {_percent(known.facts - known.unknown, known.facts)} of {known.facts:,} facts ({ways})"
    certain = _percent(known.derived + known.symbolic, known.facts)
    first, *others = known.assumptions
    conditions = first.partition(": ")[0] + (f" and {len(others)} more" if others else "")
    return f"known: {certain} derived, {_percent(known.assumed, known.facts)} if {conditions} ({known.facts:,} facts: {ways})"


def _percent(count: int, facts: int) -> str:
    """Return a share; what is not all is not shown as 100%."""
    if count == facts:
        return "100%"
    return f"{min(count * 100 / facts, 99.9):.1f}".removesuffix(".0") + "%"


def _parts(known: Known) -> list[tuple[str, int]]:
    return [
        (DERIVED, known.derived),
        (SYMBOLIC, known.symbolic),
        (ASSUMED, known.assumed),
        (UNKNOWN, known.unknown),
    ]
