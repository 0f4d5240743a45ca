"""Whether a result is complete: a fault ends the forward pass, and an unknown may hide modules and operations."""

from __future__ import annotations

from collections.abc import Iterable

from cutaway.core.architecture import Architecture
from cutaway.passes.provenance import Provenance


def incompleteness(architecture: Architecture) -> str:
    """Return in one line why a result is incomplete, empty where it is complete."""
    faults = [_placed(fault.place, f"{fault.message} [{fault.code}]") for fault in architecture.diagnostics]
    unknowns = [_placed(note.place, note.text) for note in architecture.unknowns]
    if not faults and not unknowns:
        known = Provenance(architecture).counted()
        return f"incomplete: {known.unknown} of {known.facts} facts are unknown" if known.unknown else ""
    counts = [_count(len(listed), what) for listed, what in ((faults, "fault"), (unknowns, "unknown")) if listed]
    return f"incomplete: {' and '.join(counts)}: {(faults or unknowns)[0]}"


def all_incompleteness(architectures: Iterable[Architecture]) -> list[str]:
    """Return for each network that is incomplete why it is."""
    return [f"{each.name} is {why}" for each in architectures if (why := incompleteness(each))]


def _placed(place: object, text: str) -> str:
    return f"{place}: {text}" if place else text


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'s' * (number != 1)}"
