"""The terminal table: a row for each module with its output shape, parameters, MACs and memory."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from cutaway.core.architecture import Architecture, Quantity
from cutaway.core.record import dataclass, field
from cutaway.core.size.dim import Dim
from cutaway.passes.cost import Figure, as_quantity
from cutaway.passes.example_sizes import at, example_sizes
from cutaway.passes.fold import Node
from cutaway.report import figures
from cutaway.report.columns import (
    COLUMNS,
    FIGURES,
    Cells,
    another_in_words,
    default_columns,
    segments,
    sizes_in_words,
    sorted_rows,
)
from cutaway.report.rows import View, rows, shortened, title, view
from cutaway.report.sections import fit, heading, remarks
from cutaway.report.terminal import Segment, Terminal, clip, columns, paint, span, wrap

GAP = 2
INDENT = 19
"""Columns before a total."""

LEAST = 18
"""Columns that modules have in any case."""

MOST_LINES = 3
"""Lines that a total may take beyond its first."""

_TOTALS = (
    ("parameters", "parameters"),
    ("trainable", "trainable_parameters"),
    ("buffers", "buffers"),
    ("MACs", "macs"),
    ("FLOPs", "flops"),
    ("weight memory", "weight_bytes"),
    ("activation memory", "activation_bytes"),
)


TIED = "* with weights that are tied to others and count once in the total"


@dataclass(slots=True)
class Column:
    """A column beside the modules: `priority` says which one goes first where room is short."""

    name: str
    cells: list[Segment]
    priority: int
    right: bool = True
    widest: int = 20
    natural: int = field(init=False)

    def __post_init__(self) -> None:
        self.natural = max([len(self.name), *(columns(text) for text, _ in self.cells)])

    @property
    def width(self) -> int:
        """The columns that it takes."""
        return min(self.natural, self.widest)


def render(
    architectures: Sequence[Architecture],
    *,
    width: int,
    colour: bool,
    unicode: bool,
    depth: int | None = None,
    fold: bool = True,
    columns: Sequence[str] = (),
    sort: str | None = None,
) -> str:
    """Return a table for each architecture, its totals, and what is unknown, assumed or wrong in it."""
    terminal = Terminal(fit(width), colour, unicode)
    asked = Layout(tuple(columns), sort)
    pages = [_page(view(architecture, terminal, depth, fold), asked) for architecture in architectures]
    return "\n\n".join("\n".join(lines) for lines in pages) + "\n" if pages else ""


@dataclass(frozen=True, slots=True)
class Layout:
    """What is asked of a table: its columns, in place of the usual ones, and the one that rows are sorted by."""

    columns: tuple[str, ...] = ()
    sort: str | None = None


def _page(shown: View, asked: Layout) -> list[str]:
    lines = heading(shown.architecture, shown.terminal)
    if shown.root:
        lines += ["", *_table(shown, shown.root, asked)]
    return [*lines, "", *_totals(shown), *remarks(shown.architecture, shown.terminal)]


def _table(shown: View, root: Node, asked: Layout) -> list[str]:
    terminal = shown.terminal
    cells = Cells(shown)
    modules: list[list[Segment]] = []
    nodes: list[Node] = []
    if asked.sort is None:
        for guide, _, node in rows(root, terminal):
            modules.append(title(guide, node, terminal))
            nodes.append(node)
    else:
        nodes = sorted_rows([node for _, _, node in rows(root, terminal)], asked.sort, cells)
        modules = [title("", node, terminal, by_path=True) for node in nodes]
    room = terminal.width
    natural = max([6, *(span(row) - max(span(row[:1]) - room // 3, 0) for row in modules)])
    available = _columns(cells, nodes, asked)
    if natural + sum(column.natural + GAP for column in available) <= room:
        for column in available:
            column.widest = column.natural
    kept = available if asked.columns else _fitting(available, natural, room)
    widths = [column.width for column in kept]
    first = min(natural, max(room - sum(width + GAP for width in widths), LEAST))
    total = first + sum(width + GAP for width in widths)
    ellipsis = terminal.glyphs.ellipsis

    def line(cell: list[Segment], others: Iterable[Segment]) -> str:
        pieces = _padded(shortened(cell, first, ellipsis), first, False, ellipsis)
        for column, width, other in zip(kept, widths, others):
            pieces.append((" " * GAP, ""))
            pieces += _padded([other], width, column.right, ellipsis)
        return paint(pieces, terminal.colour).rstrip()

    lines = [line([("module", "faint")], [(column.name, "faint") for column in kept])]
    lines.append(paint([(terminal.glyphs.rule * total, "faint")], terminal.colour))
    lines += [line(cell, [column.cells[row] for column in kept]) for row, cell in enumerate(modules)]
    if any(shown.costs[node.modules[0].path].tied for node in nodes if node.modules):
        lines += [paint([(text, "faint")], terminal.colour) for text in wrap(TIED, room, room)]
    return lines


def _columns(cells: Cells, nodes: Sequence[Node], asked: Layout) -> list[Column]:
    """Return the columns; of the usual ones, MACs and activations give way first where room is short."""
    names = asked.columns or default_columns(cells.shown)
    priorities = {"params": 0, "output": 1}
    return [
        Column(
            COLUMNS[name],
            segments([cells.cell(name, node) for node in nodes]),
            priorities.get(name, 2 + at),
            right=name in FIGURES,
            widest=20 if name in FIGURES else 30,
        )
        for at, name in enumerate(names)
    ]


def _fitting(available: list[Column], natural: int, room: int) -> list[Column]:
    """Return the columns that there is room for; the last goes as soon as it costs a part of a module's name."""
    kept = list(available)
    least = min(natural, max(room * 2 // 5, 18))
    wanted = natural
    while kept and wanted + sum(column.width + GAP for column in kept) > room:
        if wanted == natural and len(kept) == len(available) and len(available) > 1:
            kept.remove(max(kept, key=lambda column: column.priority))
            wanted = least
        elif any(column.widest > 16 and column.width > 16 for column in kept):
            for column in kept:
                column.widest = 16
        else:
            kept.remove(max(kept, key=lambda column: column.priority))
    return kept


def _padded(segments: list[Segment], width: int, right: bool, ellipsis: str) -> list[Segment]:
    taken = span(segments)
    if taken > width:
        segments = clip(segments, width, ellipsis)
        taken = span(segments)
    padding = (" " * (width - taken), "")
    return [padding, *segments] if right else [*segments, padding]


def _totals(shown: View) -> list[str]:
    """Return the totals, one a line: in short, and every digit; a long expression takes more lines."""
    terminal = shown.terminal
    sizes = example_sizes(shown.architecture)
    lines: list[str] = []
    for name, total in _TOTALS:
        amount = getattr(shown.architecture.totals, total)
        known = _known_part(shown, total) if amount is None else amount
        text, digits = _amount(known, total)
        example = at(known, sizes) if isinstance(known, Dim) else None
        if amount is None and known is not None:
            text, digits = f"{terminal.glyphs.at_least}{text}", ""
        first, *rest = wrap(text, terminal.width - INDENT, terminal.width - INDENT)
        if len(rest) > MOST_LINES:
            rest = [*rest[:MOST_LINES], terminal.glyphs.ellipsis]
        equals = "" if example is None else f"= {_amount(example, total)[0]}"
        if equals and not rest:
            digits = f"   {equals}"
        value = first if rest else f"{first:>8}"
        pieces = [(f"{name:<{INDENT}}", ""), (value, "doubt" if amount is None else ""), (digits, "faint")]
        if span(pieces) > terminal.width and not equals:
            pieces.pop()  # every digit says less than the short form, if it is cut
        lines.append(paint(clip(pieces, terminal.width, terminal.glyphs.ellipsis), terminal.colour).rstrip())
        lines += [" " * INDENT + piece for piece in rest]
        if equals and rest:
            lines.append(paint([(" " * INDENT + equals, "faint")], terminal.colour))
    return [*lines, *_example(shown, sizes)]


def _example(shown: View, sizes: Mapping[str, int]) -> list[str]:
    """Say at which sizes the figures are, where sizes are left open, and how to set others."""
    terminal = shown.terminal
    if not sizes or not any(isinstance(getattr(shown.architecture.totals, total), Dim) for _, total in _TOTALS):
        return []
    text = f"figures are at {sizes_in_words(sizes)}{another_in_words(shown.architecture, sizes)}"
    return [paint([(line, "faint")], terminal.colour) for line in wrap(text, terminal.width, terminal.width)]


def _known_part(shown: View, field: str) -> Quantity:
    """Return what an unknown total is at least, None where nothing of it is known."""
    cost = shown.costs[""]
    value: Figure = cost.macs if field == "flops" else getattr(cost, field)
    least = value.least * 2 if field == "flops" else value.least
    return None if least == 0 else as_quantity(least)


def _amount(amount: Quantity, total: str) -> tuple[str, str]:
    """Return an amount in short, and every digit where that says more."""
    bytes = "bytes" in total
    if isinstance(amount, Dim):
        return (f"{amount} bytes" if bytes else str(amount)), ""
    counts = total in ("parameters", "trainable_parameters", "buffers")
    form = figures.byte_quantity if bytes else figures.count_quantity if counts else figures.quantity
    text = form(amount)
    if not isinstance(amount, int) or amount < (1000 if bytes else 10_000):
        return text, ""
    return text, f"   {amount:,} bytes" if bytes else f"   {amount:,}"
