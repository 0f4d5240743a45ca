"""Where unknowns come from: each cause with its place, and how much of the network depends on it."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.architecture import Architecture, Cause
from cutaway.report.sections import fit, heading, known_part, remark
from cutaway.report.terminal import Terminal, paint, wrap

_KINDS = (("modules", "module"), ("weights", "weight"), ("ops", "operation"))


def render(architectures: Sequence[Architecture], *, width: int, colour: bool, unicode: bool) -> str:
    """Return the causes of what is unknown in each architecture, the one that affects most of the network first."""
    terminal = Terminal(fit(width), colour, unicode)
    return "\n\n".join("\n".join(_page(architecture, terminal)) for architecture in architectures) + "\n"


def _page(architecture: Architecture, terminal: Terminal) -> list[str]:
    lines = [heading(architecture, terminal)[0], ""]
    if not architecture.causes:
        return [*lines, "nothing is unknown"]
    whole = [
        f"{len(getattr(architecture, many)):,} {one}{_plural(len(getattr(architecture, many)))}" for many, one in _KINDS
    ]
    title = f"Where unknowns come from ({len(architecture.causes)}), in a network of {', '.join(whole)}"
    lines += [paint([(line, "doubt")], terminal.colour) for line in wrap(title, terminal.width, terminal.width)]
    for cause in architecture.causes:
        lines += [
            paint([(line, "strong")], terminal.colour)
            for line in wrap(_dependents(cause), terminal.width, terminal.width)
        ]
        lines += remark(cause.text, cause.place, "  ", terminal)
    return [*lines, *known_part(architecture, terminal)]


def _dependents(cause: Cause) -> str:
    counts = [(getattr(cause, many), one) for many, one in _KINDS]
    parts = [f"{count:,} {one}{_plural(count)}" for count, one in counts if count]
    return (
        f"{', '.join(parts)} depend{'s' if sum(c for c, _ in counts) == 1 else ''} on"
        if parts
        else "nothing that is shown depends on"
    )


def _plural(count: int) -> str:
    return "" if count == 1 else "s"
