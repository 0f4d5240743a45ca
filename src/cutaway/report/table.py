"""The terminal table: a row for each module with its output shape, parameters, MACs and memory."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from cutaway.core.architecture import Architecture, Quantity
from cutaway.core.record import dataclass, field
from cutaway.core.size.dim import Dim
from cutaway.passes.cost import Cost, Figure, as_quantity, of_one
from cutaway.passes.fold import Node
from cutaway.report import figures
from cutaway.report.rows import View, grouped, output, rows, title, view
from cutaway.report.sections import fit, heading, remarks
from cutaway.report.terminal import Segment, Terminal, clip, columns, paint, span, wrap

GAP = 2
INDENT = 19
"""Columns before a total."""

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
        self.natural = max(len(self.name), *(columns(text) for text, _ in self.cells))

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
) -> str:
    """Return a table for each architecture, its totals, and what is unknown, assumed or wrong in it."""
    terminal = Terminal(fit(width), colour, unicode)
    pages = [_page(view(architecture, terminal, depth, fold)) for architecture in architectures]
    return "\n\n".join("\n".join(lines) for lines in pages) + "\n" if pages else ""


def _page(shown: View) -> list[str]:
    lines = heading(shown.architecture, shown.terminal)
    if shown.root:
        lines += ["", *_table(shown, shown.root)]
    return [*lines, "", *_totals(shown), *remarks(shown.architecture, shown.terminal)]


def _table(shown: View, root: Node) -> list[str]:
    terminal = shown.terminal
    modules: list[list[Segment]] = []
    nodes: list[Node] = []
    for guide, _, node in rows(root, terminal):
        modules.append(title(guide, node, terminal))
        nodes.append(node)
    room = terminal.width
    natural = max(6, *(span(segments) for segments in modules))
    kept = _fitting(_columns(shown, nodes), natural, room)
    widths = [column.width for column in kept]
    first = min(natural, room - sum(width + GAP for width in widths))
    total = first + sum(width + GAP for width in widths)
    ellipsis = terminal.glyphs.ellipsis

    def line(cell: list[Segment], others: Iterable[Segment]) -> str:
        pieces = _padded(cell, first, False, ellipsis)
        for column, width, other in zip(kept, widths, others):
            pieces.append((" " * GAP, ""))
            pieces += _padded([other], width, column.right, ellipsis)
        return paint(pieces, terminal.colour).rstrip()

    lines = [line([("module", "faint")], [(column.name, "faint") for column in kept])]
    lines.append(paint([(terminal.glyphs.rule * total, "faint")], terminal.colour))
    lines += [line(cell, others) for cell, *others in zip(modules, *(column.cells for column in kept))]
    if any(shown.costs[node.modules[0].path].tied for node in nodes if node.modules):
        lines += [paint([(text, "faint")], terminal.colour) for text in wrap(TIED, room, room)]
    return lines


def _columns(shown: View, nodes: Sequence[Node]) -> list[Column]:
    at_least = shown.terminal.glyphs.at_least
    costs = [_cost(node, shown.costs) for node in nodes]
    modules = {module.path: module for module in shown.architecture.modules}
    separator = shown.architecture.separator
    varies = any(module.repeat != 1 or module.condition is not None for module in modules.values())

    def cells(name: str, bytes: bool = False) -> list[Segment]:
        found: list[Segment] = []
        for node, cost in zip(nodes, costs):
            value = getattr(cost, name)
            repeat: Quantity = 1
            if node.modules and varies:
                value, equal = of_one(value, cost.uneven, node.modules[0].path, modules, separator)
                repeat = node.modules[0].repeat if equal else 1
            text = figures.figure(value, at_least, bytes=bytes)
            if name == "parameters" and cost.tied:
                text = f"*{text}"
            repeated = (node.count > 1 or repeat != 1) and text not in "-?"
            style = "faint" if text == "-" else "" if value.exact else "doubt"
            count = node.count if repeat == 1 else repeat
            found.append((f"{'?' if count is None else grouped(str(count))} x {text}" if repeated else text, style))
        return found

    made = [Column("params", cells("parameters"), 0)]
    if shown.was_called or shown.architecture.ops:
        made.insert(0, Column("output", [output(node, shown) for node in nodes], 1, right=False, widest=30))
        made.append(Column("MACs", cells("macs"), 2))
        made.append(Column("activations", cells("activation_bytes", bytes=True), 3))
    return made


def _cost(node: Node, costs: dict[str, Cost]) -> Cost:
    """Return the cost of one of the modules, or of one of the groups, that a node stands for."""
    if node.modules:
        return costs[node.modules[0].path]
    total = Cost()
    for child in node.children:
        cost = _cost(child, costs)
        total.parameters += cost.parameters
        total.macs += cost.macs
        total.activation_bytes += cost.activation_bytes
        total.tied |= cost.tied
    return total


def _fitting(made: list[Column], natural: int, room: int) -> list[Column]:
    """Return the columns that there is room for; the last goes as soon as it costs a part of a module's name."""
    kept = list(made)
    least = min(natural, max(room * 2 // 5, 18))
    wanted = natural
    while kept and wanted + sum(column.width + GAP for column in kept) > room:
        if wanted == natural and len(kept) == len(made) and len(made) > 1:
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
    lines: list[str] = []
    for name, total in _TOTALS:
        amount = getattr(shown.architecture.totals, total)
        known = _known_part(shown, total) if amount is None else amount
        text, digits = _amount(known, "bytes" in total)
        if amount is None and known is not None:
            text, digits = f"{terminal.glyphs.at_least}{text}", ""
        first, *rest = wrap(text, terminal.width - INDENT, terminal.width - INDENT)
        if len(rest) > MOST_LINES:
            rest = [*rest[:MOST_LINES], terminal.glyphs.ellipsis]
        value = first if rest else f"{first:>8}"
        pieces = [(f"{name:<{INDENT}}", ""), (value, "doubt" if amount is None else ""), (digits, "faint")]
        lines.append(paint(clip(pieces, terminal.width, terminal.glyphs.ellipsis), terminal.colour).rstrip())
        lines += [" " * INDENT + piece for piece in rest]
    return lines


def _known_part(shown: View, field: str) -> Quantity:
    """Return what an unknown total is at least, None where nothing of it is known."""
    cost = shown.costs[""]
    value: Figure = cost.macs if field == "flops" else getattr(cost, field)
    least = value.least * 2 if field == "flops" else value.least
    return None if least == 0 else as_quantity(least)


def _amount(amount: Quantity, bytes: bool) -> tuple[str, str]:
    text = figures.byte_quantity(amount) if bytes else figures.quantity(amount)
    if isinstance(amount, Dim):
        return (f"{amount} B" if bytes else str(amount)), ""
    if not isinstance(amount, int) or amount < (1000 if bytes else 10_000):
        return text, ""
    return text, f"   {amount:,} bytes" if bytes else f"   {amount:,}"
