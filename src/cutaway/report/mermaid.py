"""A diagram of the folded architecture in Mermaid's language, as GitHub and many editors draw it."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.architecture import Architecture
from cutaway.core.pattern import pattern
from cutaway.passes.diagram import INPUT, OPERATION, Box, Diagram, diagram
from cutaway.report import figures
from cutaway.report.box_text import condition, subtitle, title

_UNSAFE = pattern(r"[^\w .,:+*/()×→-]")


def render(architectures: Sequence[Architecture], *, depth: int | None = None) -> str:
    """Return a flow chart for each network."""
    return "\n".join(_chart(diagram(architecture, depth)) for architecture in architectures)


def escape(text: str) -> str:
    """Return text for a label in quotes: characters that mean something to Mermaid or HTML are written as their numbers."""
    return _UNSAFE.sub(lambda match: f"#{ord(match.group())};", text)


def _chart(drawn: Diagram) -> str:
    names = {id(box): f"n{at}" for at, box in enumerate(drawn.root.walk())}
    lines = ["flowchart TD"]
    for part in drawn.root.parts:
        lines += _box(part, names, "  ")
    for arrow in drawn.arrows:
        ends = names.get(id(arrow.source)), names.get(id(arrow.target))
        if None not in ends:
            lines.append(f'  {ends[0]} -->|"{escape(figures.shape(arrow.shape))}"| {ends[1]}')
    dashed = [names[id(box)] for box in drawn.root.walk() if box.condition is not None]
    if dashed:
        lines += ["  classDef conditional stroke-dasharray: 5 4", f"  class {','.join(dashed)} conditional"]
    return "\n".join(lines) + "\n"


def _box(box: Box, names: dict[int, str], indent: str) -> list[str]:
    name = names[id(box)]
    text = "<br/>".join(escape(line) for line in (title(box), subtitle(box), condition(box)) if line)
    if box.unfolded:
        inner = [line for part in box.parts for line in _box(part, names, indent + "  ")]
        return [f'{indent}subgraph {name}["{text}"]', *inner, f"{indent}end"]
    if box.kind in (INPUT, OPERATION):
        return [f'{indent}{name}(["{text}"])']
    return [f'{indent}{name}["{text}"]']
