"""The columns of a table of modules: what each says of a row, as text to read and as a value to sort or compute with."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from cutaway.core.architecture import Architecture, Quantity
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Dim
from cutaway.passes.cost import Cost, Figure, of_one
from cutaway.passes.example_sizes import another_size, at, example_sizes
from cutaway.passes.fold import Node
from cutaway.report import figures
from cutaway.report.box_text import brief
from cutaway.report.rows import View, flow, grouped, output
from cutaway.report.terminal import Segment

COLUMNS = {
    "input": "input",
    "output": "output",
    "kernel": "settings",
    "params": "params",
    "share": "%",
    "trainable": "trainable",
    "dtype": "dtype",
    "macs": "MACs",
    "flops": "FLOPs",
    "activations": "activations",
    "memory": "memory",
}
"""The columns by the names that `--columns` takes, with their headings."""

FIGURES = ("params", "share", "trainable", "macs", "flops", "activations", "memory")
"""Those that are numbers: aligned to the right, and what rows are sorted by."""

_OF_FORWARD = ("macs", "flops", "activations")
_FIELDS = {
    "params": "parameters",
    "share": "parameters",
    "trainable": "trainable_parameters",
    "macs": "macs",
    "flops": "macs",
    "activations": "activation_bytes",
    "memory": "weight_bytes",
}


@dataclass(frozen=True, slots=True)
class Cell:
    """What a column says of a row: text in a style, and the value, which is a number, a formula or nothing for figures."""

    text: str
    style: str
    value: Quantity | str


def default_columns(shown: View) -> tuple[str, ...]:
    """Return the columns that a table has where none are asked for."""
    if shown.was_called or shown.architecture.ops:
        return ("output", "params", "macs", "activations")
    return ("params",)


class Cells:
    """The cells of the rows of one network; formulas have their value at `sizes`, if they have one there."""

    def __init__(self, shown: View, sizes: Mapping[str, int] | None = None) -> None:
        self.shown = shown
        self.sizes = example_sizes(shown.architecture) if sizes is None else sizes
        self.modules = {module.path: module for module in shown.architecture.modules}
        self.varies = any(module.repeat != 1 or module.condition is not None for module in self.modules.values())
        self.dtypes: dict[str, set[str]] = {}
        for weight in shown.architecture.weights:
            self.dtypes.setdefault(weight.module or "", set()).add(weight.dtype or "?")

    def cell(self, name: str, node: Node) -> Cell:
        """Return what a column says of a row."""
        if name in FIGURES:
            return self._figure(name, node)
        if not node.modules:
            return Cell("", "", "")
        module = node.modules[0]
        if name == "output":
            text, style = output(node, self.shown)
            return Cell(text, style, text)
        if name == "input":
            text = flow(module, "inputs", self.shown.terminal)
        elif name == "kernel":
            text = brief(module)
        else:
            text = ", ".join(sorted(self.dtypes.get(module.path, ())))
        return Cell(text, "", text)

    def _figure(self, name: str, node: Node) -> Cell:
        cost = node_cost(node, self.shown.costs)
        value = _scaled(getattr(cost, _FIELDS[name]), 2 if name == "flops" else 1)
        repeat: Quantity = 1
        if node.modules and self.varies:
            path, separator = node.modules[0].path, self.shown.architecture.separator
            value, equal = of_one(value, cost.uneven, path, self.modules, separator)
            repeat = node.modules[0].repeat if equal else 1
        value = self._at_sizes(value)
        whole = _times(value.least if value.exact else None, node.count, at(repeat, self.sizes))
        if name == "share":
            return self._share(whole)
        text = figures.figure(
            value,
            self.shown.terminal.glyphs.at_least,
            bytes=name in ("activations", "memory"),
            counts=name in ("params", "trainable"),
        )
        if name == "params" and cost.tied:
            text = f"*{text}"
        style = "faint" if text == "-" else "" if value.exact else "doubt"
        if (node.count > 1 or repeat != 1) and text not in "-?":
            count = node.count if repeat == 1 else repeat
            text = f"{'?' if count is None else grouped(str(count))} x {text}"
        return Cell(text, style, whole)

    def _at_sizes(self, value: Figure) -> Figure:
        number = at(value.least, self.sizes) if isinstance(value.least, Dim) else None
        if number is None:
            return value
        return Figure(number, value.exact)

    def _share(self, parameters: Quantity) -> Cell:
        total = at(self.shown.architecture.totals.parameters, self.sizes)
        if not isinstance(parameters, int) or not total:
            return Cell("?" if parameters is None or total is None else "-", "faint", None)
        share = round(parameters * 100 / total, 1)
        return Cell(f"{share:.1f}" if parameters else "-", "" if parameters else "faint", str(share))


def _scaled(value: Figure, factor: int) -> Figure:
    return value if factor == 1 else Figure(value.least * factor, value.exact)


def _times(amount: Quantity, count: int, repeat: Quantity) -> Quantity:
    if amount is None or repeat is None:
        return None
    return amount * count * repeat


def node_cost(node: Node, costs: Mapping[str, Cost]) -> Cost:
    """Return the cost of one of the modules, or of one of the groups, that a node stands for."""
    if node.modules:
        return costs[node.modules[0].path]
    total = Cost()
    for child in node.children:
        cost = node_cost(child, costs)
        total.parameters += cost.parameters
        total.trainable_parameters += cost.trainable_parameters
        total.weight_bytes += cost.weight_bytes
        total.macs += cost.macs
        total.activation_bytes += cost.activation_bytes
        total.tied |= cost.tied
    return total


def standing_alone(node: Node) -> Node:
    """Return a row as it is outside of the tree: it counts all of its modules, in whatever repeated parts they are."""
    return Node(node.names, node.modules, node.children, len(node.modules))


def sorted_rows(nodes: Sequence[Node], name: str, cells: Cells) -> list[Node]:
    """Return the rows without parts, those with the largest figure first; unknown ones come last."""
    leaves = [standing_alone(node) for node in nodes if node.modules and not node.children]

    def size(node: Node) -> float:
        value = cells.cell(name, node).value
        return float(value) if isinstance(value, (int, str)) and value != "" else -1.0

    return sorted(leaves, key=size, reverse=True)


def sizes_in_words(sizes: Mapping[str, int]) -> str:
    """Return sizes as `B=1, H=224`."""
    return ", ".join(f"{name}={size}" for name, size in sizes.items())


def another_in_words(network: Architecture, sizes: Mapping[str, int]) -> str:
    """Return how to set another size than that of the example, for the last size that may have another."""
    for name, size in reversed(list(sizes.items())):
        other = another_size(network, name, size)
        if other is not None:
            return f"; --set {name}={other} sets another size"
    return ""


def segments(cells: Sequence[Cell]) -> list[Segment]:
    """Return cells as a terminal prints them."""
    return [(cell.text, cell.style) for cell in cells]
