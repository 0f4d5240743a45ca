"""A diagram of the folded architecture in the language of Graphviz."""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.architecture import Architecture
from cutaway.passes.diagram import INPUT, OPERATION, Box, Diagram, diagram
from cutaway.report import figures
from cutaway.report.box_text import condition, subtitle, title


def render(architectures: Sequence[Architecture], *, depth: int | None = None) -> str:
    """Return a graph for each network."""
    return "\n".join(_graph(architecture.name, diagram(architecture, depth)) for architecture in architectures)


def quoted(*lines: str) -> str:
    """Return lines as one quoted string; what a label gives a meaning to, a backslash or a quote, is escaped."""
    strings = ["".join(c if c.isprintable() else "?" for c in line) for line in lines if line]
    return '"' + "\\n".join(text.replace("\\", "\\\\").replace('"', '\\"') for text in strings) + '"'


def _graph(name: str, drawn: Diagram) -> str:
    names = {id(box): f"n{at}" for at, box in enumerate(drawn.root.walk())}
    lines = [
        f"digraph {quoted(name)} {{",
        "  compound=true; rankdir=TB;",
        '  node [shape=box, style="rounded,filled", fillcolor=white, fontname="Helvetica", fontsize=11];',
        '  edge [fontname="Helvetica", fontsize=9, color="#667085"];',
    ]
    for part in drawn.root.parts:
        lines += _box(part, names, "  ")
    for arrow in drawn.arrows:
        if id(arrow.source) not in names or id(arrow.target) not in names:
            continue
        source, target = _last(arrow.source), _first(arrow.target)
        settings = [f"label={quoted(figures.shape(arrow.shape))}"]
        if source is not arrow.source:
            settings.append(f"ltail=cluster_{names[id(arrow.source)]}")
        if target is not arrow.target:
            settings.append(f"lhead=cluster_{names[id(arrow.target)]}")
        lines.append(f"  {names[id(source)]} -> {names[id(target)]} [{', '.join(settings)}];")
    return "\n".join([*lines, "}"]) + "\n"


def _box(box: Box, names: dict[int, str], indent: str) -> list[str]:
    text = quoted(title(box), subtitle(box), condition(box))
    style = ', style="rounded,dashed"' if box.condition is not None else ""
    if box.unfolded:
        inner = [line for part in box.parts for line in _box(part, names, indent + "  ")]
        head = [
            f"{indent}subgraph cluster_{names[id(box)]} {{",
            f'{indent}  label={text}; style="rounded"; color="#98a2b3";',
        ]
        return [*head, *inner, f"{indent}}}"]
    shape = ", shape=ellipse" if box.kind in (INPUT, OPERATION) else ""
    return [f"{indent}{names[id(box)]} [label={text}{shape}{style}];"]


def _first(box: Box) -> Box:
    while box.unfolded and box.parts:
        box = box.parts[0]
    return box


def _last(box: Box) -> Box:
    while box.unfolded and box.parts:
        box = box.parts[-1]
    return box
