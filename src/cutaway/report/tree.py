"""The terminal tree: a line for each module with its configuration and the shapes that go in and come out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from cutaway.core.architecture import Architecture, Module, Setting, Weight
from cutaway.core.record import dataclass, field
from cutaway.core.size.dim import Dim
from cutaway.passes.fold import Node
from cutaway.passes.object_settings import lists_objects
from cutaway.report import figures
from cutaway.report.rows import View, flow, output, rows, shortened, step, title, view
from cutaway.report.sections import fit, heading, remarks
from cutaway.report.terminal import Segment, Terminal, clip, columns, paint, printable, span

BOTH_SIDES = 100
"""From this width on a line has the input shapes too."""

GAP = 2


def render(
    architectures: Sequence[Architecture],
    *,
    width: int,
    colour: bool,
    unicode: bool,
    depth: int | None = None,
    fold: bool = True,
) -> str:
    """Return a tree for each architecture, and what is unknown, assumed or wrong in it."""
    terminal = Terminal(fit(width), colour, unicode)
    pages = [_page(view(architecture, terminal, depth, fold)) for architecture in architectures]
    return "\n\n".join("\n".join(lines) for lines in pages) + "\n" if pages else ""


def _page(shown: View) -> list[str]:
    lines = heading(shown.architecture, shown.terminal)
    if shown.root:
        lines += ["", *_tree(shown, shown.root)]
    return [*lines, *remarks(shown.architecture, shown.terminal)]


@dataclass(slots=True)
class _Row:
    """A line in pieces: guide, name, class and count; what is said in brackets after the class; shapes; remarks."""

    title: list[Segment]
    config: str = ""
    shapes: Segment = ("", "")
    remarks: list[Segment] = field(default_factory=list)

    @property
    def natural(self) -> int:
        """The columns that everything before the shapes would take."""
        return span(self.title) + columns(self.config) + span(self.remarks)


def _tree(shown: View, root: Node) -> list[str]:
    terminal = shown.terminal
    own: dict[str, list[Weight]] = {}
    for weight in shown.architecture.weights:
        own.setdefault(weight.module or "", []).append(weight)
    entries: list[_Row] = []
    for guide, below, node in rows(root, terminal):
        row = _Row(title(guide, node, terminal), _config(node, terminal), _flow(node, shown))
        entries.append(row)
        weights = own.get(node.modules[0].path, ()) if node.modules else ()
        if node.children:
            entries += [_Row(_weight(weight, below, terminal)) for weight in weights]
        else:
            row.remarks = [(printable(_tie(weight), terminal), "faint") for weight in weights if weight.tied_to]
    right = min(max(columns(row.shapes[0]) for row in entries), terminal.width * 2 // 5)
    left = min(terminal.width - (right + GAP if right else 0), max(row.natural for row in entries))
    return [_line(row, left, right, terminal) for row in entries]


def _line(row: _Row, left: int, right: int, terminal: Terminal) -> str:
    ellipsis = terminal.glyphs.ellipsis
    config = row.config
    room = left - row.natural + columns(config)
    if columns(config) > room:
        kept = clip([(config[:-1], "")], room - 1, ellipsis)[0][0]
        config = f"{kept})" if len(kept) > len(ellipsis) + 4 else ""
    *named, count = row.title
    named = shortened([*named, count], left, ellipsis)[: len(named)]
    pieces = clip([*named, (config, ""), count, *row.remarks], left, ellipsis)
    pieces.append((" " * (left + GAP - span(pieces)), ""))
    return paint([*pieces, *clip([row.shapes], right, ellipsis)], terminal.colour).rstrip()


def _weight(weight: Weight, guide: str, terminal: Terminal) -> list[Segment]:
    """Return the line of a weight that a module with modules in it has itself."""
    guide += terminal.glyphs.branch[: step(terminal)]
    name = printable(_own_name(weight), terminal)
    text = f"{weight.kind} {figures.shape(weight.shape)}{_tie(weight)}"
    return [(guide, "faint"), (f"{name}: ", ""), (printable(text, terminal), "faint"), ("", "")]


def _tie(weight: Weight) -> str:
    return f" [{_own_name(weight)} is {weight.tied_to}]" if weight.tied_to else ""


def _own_name(weight: Weight) -> str:
    """Return the name of a weight within its module, whichever way its framework writes paths."""
    return re.split(r"[./]", weight.name)[-1]


def _flow(node: Node, shown: View) -> Segment:
    text, style = output(node, shown)
    arrow = shown.terminal.glyphs.arrow
    if not text or style in ("faint", "fault"):
        return text, style
    given = flow(node.modules[0], "inputs", shown.terminal) if shown.terminal.width >= BOTH_SIDES else ""
    return f"{given} {arrow} {text}" if given else f"{arrow} {text}", style


def _config(node: Node, terminal: Terminal) -> str:
    """Return `(in_channels=3, out_channels=64)`; where folded modules differ, the range of their values."""
    if not node.modules:
        return ""
    arguments = ", ".join(f"{key}={text}" for key, text in _arguments(node.modules, terminal))
    return f"({printable(arguments, terminal)})" if arguments else ""


def _arguments(modules: Sequence[Module], terminal: Terminal) -> Iterator[tuple[str, str]]:
    for key, value in modules[0].config.items():
        values = [module.config.get(key) for module in modules] if len(modules) > 1 else [value]
        if any(other != value for other in values):
            yield key, _range(values, terminal)
        elif (text := _literal(value)) is not None:
            yield key, text


def _range(values: Iterable[Setting], terminal: Terminal) -> str:
    numbers = [value for value in values if isinstance(value, (int, float))]
    if not numbers:
        return terminal.glyphs.ellipsis
    return f"{_number(min(numbers))}..{_number(max(numbers))}"


def _number(value: float) -> str:
    return str(value) if isinstance(value, int) else f"{value:.4g}"


def _literal(value: Setting) -> str | None:
    """Return a value as it is written in Python; None where it says nothing to a reader."""
    if value is None or value == {} or value == [] or lists_objects(value):
        return None
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Dim):
        return str(value)
    if isinstance(value, list):
        items = [_literal(item) or "None" for item in value]
        return f"[{', '.join(items)}]" if not any(isinstance(item, (dict, Dim)) for item in value) else None
    if isinstance(value, dict):
        described = list(value.values())
        if len(described) == 1 and isinstance(described[0], str) and "name" in value:
            return described[0].rpartition(".")[2]
        if "if" in value:
            then, otherwise = _literal(value.get("then")), _literal(value.get("else"))
            return f"{then} if {value['if']} else {otherwise}"
        return "?" if "unknown" in value else None
    return repr(value)
