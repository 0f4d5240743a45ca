"""Tables as rows of values, for forms that programs read: the modules of networks, or what each operation costs in all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.core.architecture import Architecture, Quantity
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Size
from cutaway.passes.cost import Figure, byte_size, times
from cutaway.passes.example_sizes import at, example_sizes
from cutaway.report import figures
from cutaway.report.columns import COLUMNS, Cells, default_columns, sizes_in_words, sorted_rows, standing_alone
from cutaway.report.rows import rows, view
from cutaway.report.terminal import Terminal, printable
from cutaway.report.terminal import columns as wide

_PLAIN = Terminal(1 << 20, False, True)
BY_OP = ("operation", "calls", "MACs", "FLOPs", "% of MACs", "activations")


@dataclass(frozen=True, slots=True)
class Row:
    """A row: what it is about, as text, and its values with the text that a reader wants."""

    values: tuple[Quantity | str, ...]
    strings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Sheet:
    """A table with its headings; `right` tells which columns are numbers, `note` what holds for all of it."""

    headings: tuple[str, ...]
    rows: tuple[Row, ...]
    right: tuple[bool, ...]
    note: str = ""


def modules(
    architecture: Architecture,
    *,
    columns: Sequence[str] = (),
    sort: str | None = None,
    depth: int | None = None,
    fold: bool = True,
    sizes: Mapping[str, int] | None = None,
) -> Sheet:
    """Return a row for each module, or for equal ones: path, class, how many, and the columns.

    Figures are at `sizes`, or else at those of examples; without any, they are formulas.
    """
    shown = view(architecture, _PLAIN, depth, fold)
    cells = Cells(shown, sizes)
    names = tuple(columns) or default_columns(shown)
    tree = [node for _, _, node in rows(shown.root, _PLAIN)] if shown.root else []
    nodes = [standing_alone(node) for node in tree if node.modules]
    if sort is not None:
        nodes = sorted_rows(nodes, sort, cells)
    entries = []
    for node in nodes:
        module = node.modules[0]
        row_cells = [cells.cell(name, node) for name in names]
        values = (module.path, module.class_name, node.count, *(cell.value for cell in row_cells))
        strings = (module.path, module.class_name, str(node.count), *(cell.text for cell in row_cells))
        entries.append(Row(values, strings))
    headings = ("path", "class", "count", *(COLUMNS[name] for name in names))
    right = (False, False, True, *(name not in ("input", "output", "kernel", "dtype") for name in names))
    return Sheet(headings, tuple(entries), right, _note(cells.sizes))


def _note(sizes: Mapping[str, int]) -> str:
    return f"figures are at {sizes_in_words(sizes)}" if sizes else ""


def operations(architecture: Architecture, sizes: Mapping[str, int] | None = None) -> Sheet:
    """Return a row for each operation, the one with most multiply-accumulates first."""
    sizes = example_sizes(architecture) if sizes is None else sizes
    total = at(architecture.totals.macs, sizes)
    sums: dict[str, list[Figure]] = {}
    for op in architecture.ops:
        factor = times(op.repeat, op.condition)
        count, macs, memory = sums.setdefault(op.op, [Figure(), Figure(), Figure()])
        result_sizes = [byte_size(value.shape, value.dtype) for value in op.outputs] if op.allocates else []
        sums[op.op] = [
            count + Figure(1).scaled(factor),
            macs + (Figure(0, False) if op.macs is None else Figure(op.macs).scaled(factor)),
            sum((Figure(0, False) if size is None else Figure(size).scaled(factor) for size in result_sizes), memory),
        ]
    entries = []
    for name, figures_of_op in sums.items():
        count, macs, memory = (Figure(_number(each, sizes), each.exact) for each in figures_of_op)
        flops = Figure(macs.least * 2, macs.exact)
        share = f"{macs.least * 100 / total:.1f}" if total and isinstance(macs.least, int) else ""
        values = (name, count.quantity, macs.quantity, flops.quantity, share, memory.quantity)
        strings = (
            name,
            figures.figure(count, "≥"),
            figures.figure(macs, "≥"),
            figures.figure(flops, "≥"),
            share if macs.least else "-",
            figures.figure(memory, "≥", bytes=True),
        )
        entries.append(Row(values, strings))
    entries.sort(key=lambda row: _key(row.values[2]), reverse=True)
    return Sheet(BY_OP, tuple(entries), (False, True, True, True, True, True), _note(sizes))


def overview(architectures: Sequence[Architecture]) -> Sheet:
    """Return a row for each network, with its totals."""
    entries = []
    for architecture in architectures:
        sizes = example_sizes(architecture)
        totals = architecture.totals
        amounts = (totals.parameters, totals.macs, totals.flops, totals.weight_bytes, totals.activation_bytes)
        numbers = [amount if (number := at(amount, sizes)) is None else number for amount in amounts]
        forms = (
            figures.count_quantity,
            figures.quantity,
            figures.quantity,
            figures.byte_quantity,
            figures.byte_quantity,
        )
        at_sizes = sizes_in_words(sizes)
        name = architecture.target or architecture.name
        strings = (name, *(form(number) for form, number in zip(forms, numbers)), at_sizes)
        entries.append(Row((name, *numbers, at_sizes), strings))
    headings = ("network", "params", "MACs", "FLOPs", "weights", "activations", "at")
    return Sheet(headings, tuple(entries), (False, True, True, True, True, True, False))


def _number(figure: Figure, sizes: Mapping[str, int]) -> Size:
    number = at(figure.least, sizes)
    return figure.least if number is None else number


def _key(value: Quantity | str) -> float:
    return float(value) if isinstance(value, int) else -1.0


def text(sheet: Sheet, terminal: Terminal) -> str:
    """Return a table for a terminal."""
    lines = [sheet.headings, *([printable(cell, terminal) for cell in row.strings] for row in sheet.rows)]
    widths = [max(wide(line[at]) for line in lines) for at in range(len(sheet.headings))]

    def line(cells: Sequence[str]) -> str:
        padded = []
        for cell, width, right in zip(cells, widths, sheet.right):
            space = " " * (width - wide(cell))
            padded.append(space + cell if right else cell + space)
        return "  ".join(padded).rstrip()

    first, *rest = lines
    rule = terminal.glyphs.rule * (sum(widths) + 2 * (len(widths) - 1))
    note = ["", sheet.note] if sheet.note else []
    return "\n".join([line(first), rule, *(line(cells) for cells in rest), *note]) + "\n"
