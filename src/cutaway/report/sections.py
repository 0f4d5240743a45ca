"""What stands above and below a picture of the modules: name, inputs, outputs; unknowns, assumptions, faults."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cutaway.core.architecture import TRAINING, Architecture, Note, Value
from cutaway.core.pattern import pattern
from cutaway.core.place import Place
from cutaway.passes.provenance import Provenance, in_words
from cutaway.report import figures
from cutaway.report.source_lines import short_path
from cutaway.report.terminal import Segment, Terminal, clip, columns, paint, printable, wrap

MOST_VALUES = 8
"""Inputs, and outputs, that are listed one by one."""

NARROWEST = 30
"""Columns below which nothing is laid out; a narrower terminal wraps the lines itself."""

_ABSENT = pattern(r"the package (\S+) is not installed")

LEAST_TEXT = 20
"""Columns that a remark wants beside its place."""


def fit(width: int) -> int:
    """Return a width that text can be laid out in."""
    return max(width, NARROWEST)


def heading(architecture: Architecture, terminal: Terminal) -> list[str]:
    """Return the name and where it comes from, then a line for each input and output."""
    title: list[Segment] = [(printable(architecture.name, terminal), "strong")]
    for text in (architecture.target, architecture.framework):
        if text and text != architecture.name:
            title.append((f"  {printable(text, terminal)}", "faint"))
    lines = [title]
    if architecture.mode == TRAINING:
        lines.append([("mode    ", "faint"), (TRAINING, "")])
    sides = (("input", architecture.inputs), ("output", architecture.outputs))
    listed = [value for _, values in sides for value in values[:MOST_VALUES]]
    names = max((columns(printable(value.name, terminal)) for value in listed), default=0)
    sizes = max((columns(figures.shape(value.shape)) for value in listed), default=0)
    for side, values in sides:
        for value in values[:MOST_VALUES]:
            lines.append([(f"{side:<6}  ", "faint"), *_value(value, names, sizes, terminal)])
        if len(values) > MOST_VALUES:
            more = f"{terminal.glyphs.ellipsis} {len(values) - MOST_VALUES} more {side}s"
            lines.append([(f"{'':<6}  {more}", "faint")])
    return [*(_line(line, terminal) for line in lines), *_requires(architecture, terminal)]


def _requires(architecture: Architecture, terminal: Terminal) -> list[str]:
    """Return what a network requires of inferred inputs."""
    required = architecture.requires
    if required is None:
        return []
    shapes = ", ".join(figures.shape(value.shape) for value in required.inputs)
    first = shapes if required.text == "any size" else f"{shapes} with {required.text}"
    if not required.exact:
        first += "; perhaps more, because " + required.open[0].text
    start, *rest = wrap(printable(first, terminal), terminal.width - 8, terminal.width - 8)
    lines = [paint([("needs   ", "faint"), (start, "")], terminal.colour), *(" " * 8 + line for line in rest)]
    return lines + [_line([(" " * 8, ""), (printable(text, terminal), "faint")], terminal) for text in required.also]


def _value(value: Value, names: int, sizes: int, terminal: Terminal) -> Iterable[Segment]:
    name = printable(value.name, terminal)
    size = printable(figures.shape(value.shape), terminal)
    if names:
        yield f"{name}{' ' * (names - columns(name))}  ", ""
    yield f"{size}{' ' * (sizes - columns(size))}  ", "doubt" if "?" in size else ""
    yield printable(value.dtype or "?", terminal), "faint"


def remarks(architecture: Architecture, terminal: Terminal) -> list[str]:
    """Return the sections of conditions, and of what is unknown, assumed and wrong, each with its places.

    Last comes how much of the network is known.
    """
    lines: list[str] = []
    if architecture.conditions:
        lines += ["", paint([(f"Conditions ({len(architecture.conditions)})", "strong")], terminal.colour)]
        for condition in architecture.conditions:
            taken = "" if condition.holds is None else f": taken to {'hold' if condition.holds else 'not hold'}"
            lines += remark(f"{condition.text}  ({condition.kind}){taken}", condition.place, "  ", terminal)
    if architecture.other_mode is not None and (differences := architecture.other_mode.differences):
        title = f"In {architecture.other_mode.mode} ({len(differences)})"
        lines += ["", paint([(title, "strong")], terminal.colour)]
        for note in differences:
            lines += remark(_placed(note), note.place, "  ", terminal)
    for name, style, notes in (
        ("Unknown", "doubt", architecture.unknowns),
        ("Assumed", "strong", architecture.assumptions),
    ):
        listed = [(_placed(note) + _dependents(note, architecture), note.place) for note in notes]
        if listed := _packages_together(listed):
            lines += ["", paint([(f"{name} ({len(listed)})", style)], terminal.colour)]
            for text, place in listed:
                lines += remark(text, place, "  ", terminal)
    if architecture.diagnostics:
        lines += ["", paint([(f"Faults ({len(architecture.diagnostics)})", "fault")], terminal.colour)]
        for diagnostic in architecture.diagnostics:
            lines += remark(f"{diagnostic.message} [{diagnostic.code}]", diagnostic.place, "  ", terminal)
            for detail in diagnostic.notes:
                lines += remark(detail.text, detail.place, "    ", terminal)
    return [*lines, *known_part(architecture, terminal)]


def _packages_together(notes: Sequence[tuple[str, Place | None]]) -> list[tuple[str, Place | None]]:
    """Return notes with those on packages that are not installed as one: a library may ask for dozens."""
    packages = {text: match[1] for text, _ in notes if (match := _ABSENT.fullmatch(text))}
    if len(packages) <= 1:
        return list(notes)
    together = f"these packages are not installed: {', '.join(packages.values())}"
    first = next(iter(packages))
    return [
        (together if text == first else text, place) for text, place in notes if text == first or text not in packages
    ]


def known_part(architecture: Architecture, terminal: Terminal) -> list[str]:
    """Return the line that says how much of a network is known."""
    known = Provenance(architecture).counted()
    style = "doubt" if known.unknown else "faint"
    words = wrap(in_words(known), terminal.width, terminal.width) if known.facts else []
    return ["", *(paint([(line, style)], terminal.colour) for line in words)] if words else []


def _placed(note: Note) -> str:
    return f"{note.module}: {note.text}" if note.module else note.text


def _dependents(note: Note, architecture: Architecture) -> str:
    """Return how much depends on an assumption about the program; nothing for one about the question."""
    kinds = (("module", architecture.modules), ("weight", architecture.weights), ("operation", architecture.ops))
    assumed = [(kind, [entry.assumed for entry in entries if entry.assumed]) for kind, entries in kinds]
    counts = [(kind, sum(any(map(note.text.startswith, texts)) for texts in each)) for kind, each in assumed]
    words = [f"{count:,} {kind}{'' if count == 1 else 's'}" for kind, count in counts if count]
    verb = "depends" if sum(count for _, count in counts) == 1 else "depend"
    return f" ({', '.join(words)} {verb} on it)" if words else ""


def remark(text: str, place: Place | None, indent: str, terminal: Terminal) -> list[str]:
    """Return `place  text`, continued below the text; a long place has a line of its own."""
    where = printable(short_path(str(place)), terminal) if place else ""
    room = terminal.width - len(indent)
    shown = printable(text, terminal)
    if columns(where) + 2 > room - LEAST_TEXT:
        return [paint([(indent, ""), (where, "faint")], terminal.colour)] + [
            f"{indent}  {line}" for line in wrap(shown, room - 2, room - 2)
        ]
    hang = columns(where) + 2 if where else 0
    first, *rest = wrap(shown, room - hang, room - hang)
    gap = "  " if where else ""
    return [
        paint([(indent, ""), (where + gap, "faint"), (first, "")], terminal.colour),
        *(f"{indent}{' ' * hang}{line}" for line in rest),
    ]


def _line(segments: Iterable[Segment], terminal: Terminal) -> str:
    return paint(clip(segments, terminal.width, terminal.glyphs.ellipsis), terminal.colour).rstrip()
