"""A picture of the folded architecture: SVG, for a paper or a README.

Each box is laid out by itself: its parts in layers, from top to bottom, and arrows between them. An arrow that passes
other layers goes around them on the right.
"""

from __future__ import annotations

from collections.abc import Sequence

from cutaway.core.architecture import Architecture, Shape
from cutaway.core.error import CutawayError
from cutaway.core.record import dataclass, field
from cutaway.core.size.dim import Dim
from cutaway.passes.diagram import INPUT, OPERATION, Arrow, Box, diagram, layers
from cutaway.report import figures
from cutaway.report.box_text import condition, subtitle, title

GAP, MARGIN, LANE, LETTER, SMALL = 34, 16, 22, 8.0, 6.2
STUB = 20
"""The room for an arrow into the first part of a box, below its title."""
"""Between layers, around parts, between arrows that go around; the width of a letter in a title, and in smaller text."""

_STYLE = (
    "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;fill:#1b2130}"
    ".t{font-size:13px;font-weight:600}.s{font-size:11px;fill:#5d6678}.c{font-size:11px;font-style:italic;fill:#8a5a00}"
    ".l{font-size:10px;fill:#5d6678}.b{fill:#fff;stroke:#c3cad6}.g{fill:#f3f5f8;stroke:#aab3c2}.o{fill:#eef0f4;stroke:#c3cad6}"
    ".d{stroke-dasharray:5 4;stroke:#8a5a00}.a{fill:none;stroke:#8590a3;stroke-width:1.2}"
)
_COLOURS = (
    (("attention", "attn"), "#c43d7e"),
    (("conv",), "#2f6fdb"),
    (("norm",), "#0d8f86"),
    (("embed",), "#4f8a1f"),
    (("pool",), "#2a8fb8"),
    (("linear", "dense", "mlp"), "#7a4fd0"),
    (("relu", "gelu", "silu", "sigmoid", "tanh", "softmax", "activation"), "#c98312"),
)


def render(architectures: Sequence[Architecture], *, depth: int | None = None) -> str:
    """Return the picture of a network."""
    if len(architectures) != 1:
        names = ", ".join(each.name for each in architectures[:8])
        raise CutawayError(f"a picture shows one network, and there are {len(architectures)}; name one of {names}")
    (architecture,) = architectures
    drawn = diagram(architecture, depth)
    placed = _place(drawn.root, (*drawn.arrows, *drawn.entries))
    parts: list[str] = []
    _draw(placed, 0, 0, parts)
    width, height = round(placed.width), round(placed.height)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="img">\n'
        f"<title>{escape(architecture.name)}</title>\n<style>{_STYLE}</style>\n"
        '<defs><marker id="h" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        '<path d="M0,0.5 L7.5,4 L0,7.5 z" fill="#8590a3"/></marker></defs>\n'
        f'<rect width="{width}" height="{height}" fill="#fff"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def escape(text: str) -> str:
    """Return text as XML has it; characters that XML does not allow are replaced."""
    shown = "".join(c if c.isprintable() else "\ufffd" for c in text)
    return (
        shown.replace("&", "&amp;")
        .replace("<", "&lt;")
        .replace(">", "&gt;")
        .replace('"', "&quot;")
        .replace("'", "&#39;")
    )


@dataclass(slots=True)
class _Placed:
    """A box with its size, its place in the box around it, and what is in it."""

    box: Box
    width: float
    height: float
    x: float = 0
    y: float = 0
    parts: list[_Placed] = field(default_factory=list)
    arrows: list[tuple[str, float, float, str]] = field(default_factory=list)


def _place(box: Box, arrows: Sequence[Arrow], is_root: bool = True) -> _Placed:
    """Lay out a box by itself."""
    lines = [text for text in (subtitle(box), condition(box)) if text]
    width = max([len(title(box)) * LETTER, *(len(text) * SMALL for text in lines)]) + 30
    head = 28 + 14 * len(lines)
    if not box.unfolded or not box.parts:
        return _Placed(box, max(width, 70), head)
    placed = {id(part): _place(part, arrows, False) for part in box.parts}
    own = [arrow for arrow in arrows if id(arrow.source) in placed and id(arrow.target) in placed]
    levels = layers(box.parts, own)
    rows = [[placed[id(part)] for part in level] for level in levels]
    inner = max(sum(part.width for part in row) + GAP * (len(row) - 1) for row in rows)
    inner = max(inner, 0 if is_root else width - 2 * MARGIN)
    entering = [arrow for arrow in arrows if arrow.source is box]
    first = {id(part) for part in levels[0]}
    enters_first = any(id(arrow.target) in first for arrow in entering)
    bottom = _stack(rows, inner, MARGIN if is_root else head + (STUB if enters_first else 4))
    drawn = _Placed(box, MARGIN + inner, bottom - GAP + MARGIN, parts=list(placed.values()))
    _connect(drawn, placed, [*entering, *own], {id(part): at for at, level in enumerate(levels) for part in level})
    return drawn


def _stack(rows: Sequence[Sequence[_Placed]], inner: float, y: float) -> float:
    """Place rows below each other, each in the middle, and return where the next would begin."""
    for row in rows:
        x = MARGIN + (inner - sum(part.width for part in row) - GAP * (len(row) - 1)) / 2
        tallest = max(part.height for part in row)
        for part in row:
            part.x, part.y = x, y + (tallest - part.height) / 2
            x += part.width + GAP
        y += tallest + GAP
    return y


def _connect(drawn: _Placed, placed: dict[int, _Placed], arrows: Sequence[Arrow], levels: dict[int, int]) -> None:
    """Add the arrows of a box, and make it wide enough for them; one that goes back, in a loop, is left out."""
    right, lanes, widest = drawn.width, 0, 0.0
    for arrow in arrows:
        target = placed.get(id(arrow.target))
        if target is None:
            continue
        source = placed.get(id(arrow.source))
        distance = levels[id(arrow.target)] - (0 if source is None else levels[id(arrow.source)])
        if distance == 1 and source is not None:
            drawn.arrows.append(_straight(source, target, _shape(arrow.shape)))
        elif distance > 0:
            lanes += 1
            beside = right + LANE * lanes - 6
            path = _entering(beside, target) if source is None else _around(beside, source, target)
            drawn.arrows.append((path, 0, 0, ""))
        elif source is None:  # what the first part gets: from just above it, below the title
            drawn.arrows.append(
                (f"M{target.x + target.width / 2:.0f},{target.y - STUB + 2:.0f} V{target.y - 1:.0f}", 0, 0, "")
            )
        else:
            continue
        widest = max(widest, drawn.arrows[-1][1] + len(drawn.arrows[-1][3]) * 5.6)
    drawn.width = max(right + LANE * lanes + (6 if lanes else 0), widest) + MARGIN


def _around(beside: float, source: _Placed, target: _Placed) -> str:
    """Return the path from the right side of a box to that of another, around what is in between."""
    x, y = source.x + source.width, source.y + source.height / 2 + 6
    end = target.y + target.height / 2 - 6
    return (
        f"M{x:.0f},{y:.0f} H{beside - 6:.0f} Q{beside:.0f},{y:.0f} {beside:.0f},{y + 6:.0f} "
        f"V{end - 6:.0f} Q{beside:.0f},{end:.0f} {beside - 6:.0f},{end:.0f} H{target.x + target.width:.0f}"
    )


def _entering(beside: float, target: _Placed) -> str:
    """Return the path from the top of the box around it to the right side of a box."""
    end = target.y + target.height / 2 - 6
    return f"M{beside:.0f},0 V{end - 6:.0f} Q{beside:.0f},{end:.0f} {beside - 6:.0f},{end:.0f} H{target.x + target.width:.0f}"


def _straight(source: _Placed, target: _Placed, text: str) -> tuple[str, float, float, str]:
    x1, y1 = source.x + source.width / 2, source.y + source.height
    x2, y2 = target.x + target.width / 2, target.y
    middle = (y1 + y2) / 2
    if abs(x1 - x2) < 1:
        return f"M{x1:.0f},{y1:.0f} V{y2 - 1:.0f}", x1 + 6, middle + 3, text
    path = f"M{x1:.0f},{y1:.0f} C{x1:.0f},{middle:.0f} {x2:.0f},{middle:.0f} {x2:.0f},{y2 - 1:.0f}"
    return path, (x1 + x2) / 2 + 8, middle + 3, text


def _shape(shape: Shape) -> str:
    text = figures.shape(shape)
    return text if len(text) <= 28 or not any(isinstance(size, Dim) for size in shape or ()) else text[:27] + "…"


def _draw(placed: _Placed, x: float, y: float, parts: list[str]) -> None:
    for path, label_x, label_y, text in placed.arrows:
        parts.append(f'<path class="a" transform="translate({x:.0f},{y:.0f})" d="{path}" marker-end="url(#h)"/>')
        if text:
            parts.append(f'<text class="l" x="{x + label_x:.0f}" y="{y + label_y:.0f}">{escape(text)}</text>')
    for part in placed.parts:
        _draw_box(part, x + part.x, y + part.y, parts)


def _draw_box(placed: _Placed, x: float, y: float, parts: list[str]) -> None:
    box = placed.box
    kind = "g" if placed.parts else "o" if box.kind in (INPUT, OPERATION) else "b"
    dashed = " d" if box.condition is not None else ""
    radius = 13 if kind == "o" else 7
    parts.append(
        f'<rect class="{kind}{dashed}" x="{x:.0f}" y="{y:.0f}" width="{placed.width:.0f}" height="{placed.height:.0f}" rx="{radius}"/>'
    )
    if kind == "b":
        parts.append(
            f'<rect x="{x:.0f}" y="{y + 6:.0f}" width="4" height="{placed.height - 12:.0f}" rx="2" fill="{_colour(box)}"/>'
        )
    parts.append(f'<text class="t" x="{x + 14:.0f}" y="{y + 19:.0f}">{escape(title(box))}</text>')
    line = y + 34
    for text, style in ((subtitle(box), "s"), (condition(box), "c")):
        if text:
            parts.append(f'<text class="{style}" x="{x + 14:.0f}" y="{line:.0f}">{escape(text)}</text>')
            line += 14
    _draw(placed, x, y, parts)


def _colour(box: Box) -> str:
    name = box.title.lower()
    return next((colour for words, colour in _COLOURS if any(word in name for word in words)), "#9aa3b2")
