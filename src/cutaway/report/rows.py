"""The rows that a table and a tree share: guides, names, folded repeats, and what came out of each module."""

from __future__ import annotations

from collections.abc import Iterator

from cutaway.core.architecture import Architecture, Module, Value
from cutaway.core.pattern import pattern
from cutaway.core.record import dataclass
from cutaway.passes.cost import Cost, measure, undecided
from cutaway.passes.fold import Node, fold
from cutaway.report import figures
from cutaway.report.terminal import Segment, Terminal, printable, span

_NUMBERED = pattern(r"(.*?)(\d+)")
_ALTERNATIVE = pattern(r"#\d+$")
_WORD = pattern(r"[\w.]+")
_LONGEST_LIST = 24

COMPACT = 60
"""Below this width guides are narrow."""


@dataclass(frozen=True, slots=True)
class View:
    """An architecture prepared for display."""

    architecture: Architecture
    costs: dict[str, Cost]
    root: Node | None
    terminal: Terminal
    called: frozenset[str]
    undecided: frozenset[str]

    @property
    def was_called(self) -> bool:
        """Whether a forward pass was tried at all."""
        return bool(self.called)


def view(architecture: Architecture, terminal: Terminal, depth: int | None, repeats: bool) -> View:
    """Work out what display needs; `called` has every module that was called, and those above it."""
    costs = measure(architecture)
    root = fold(architecture, costs, repeats=repeats, depth=depth)
    called: set[str] = set()
    for module in architecture.modules:
        path = module.path if module.calls else None
        while path is not None and path not in called:
            called.add(path)
            path = path.rpartition(architecture.separator)[0] if path else None
    return View(architecture, costs, root, terminal, frozenset(called), undecided(architecture))


def rows(root: Node, terminal: Terminal) -> Iterator[tuple[str, str, Node]]:
    """Yield each node with the guide before it, and the guide before what is below it."""
    glyphs = terminal.glyphs
    branch, last, through = (guide[: step(terminal)] for guide in (glyphs.branch, glyphs.last, glyphs.through))
    blank = " " * len(through)
    stack = [("", "", root)]
    while stack:
        guide, below, node = stack.pop()
        yield guide, below, node
        for child in reversed(node.children):
            is_last = child is node.children[-1]
            stack.append((below + (last if is_last else branch), below + (blank if is_last else through), child))


def step(terminal: Terminal) -> int:
    """Return how far each level is indented."""
    return 2 if terminal.width < COMPACT else 3


def title(guide: str, node: Node, terminal: Terminal, *, by_path: bool = False) -> list[Segment]:
    """Return `|- 1-2: Bottleneck x 2` in pieces; with the whole path of the first module where there is no guide."""
    names = (node.modules[0].path,) if by_path and node.modules else node.names
    name = printable(label(names, terminal.glyphs.ellipsis), terminal)
    if node.modules:
        kind = (printable(node.modules[0].class_name or "?", terminal), "kind")
    else:
        kind = (f"({len(node.children)} modules)", "")
    times = f" x {node.count}" if node.count > 1 else ""
    if node.modules:
        times += several(node.modules[0], terminal)
    return [(guide, "faint"), (f"{name}: " if name else "", ""), kind, (times, "strong")]


def shortened(pieces: list[Segment], width: int, ellipsis: str) -> list[Segment]:
    """Return a title that fits where it can: what is cut is a long guide, then the name, never the class after it."""
    missing = span(pieces) - width
    if missing <= 0 or len(pieces) < 3:
        return pieces
    guide, style = pieces[0]
    room = max(len(guide) - missing, width // 3)
    if len(guide) > room > len(ellipsis):
        pieces = [(ellipsis + guide[len(guide) - room + len(ellipsis) :], style), *pieces[1:]]
        missing = span(pieces) - width
    if missing <= 0 or not pieces[1][0]:
        return pieces
    name = pieces[1][0].removesuffix(": ")
    room = max(len(name) - missing - len(ellipsis), 1)
    kept = ellipsis + name[-room:] if "." in name else name[:room] + ellipsis  # the end of a path says more
    return [pieces[0], (f"{kept}: ", pieces[1][1]), *pieces[2:]]


def several(module: Module, terminal: Terminal) -> str:
    """Return how often a module comes, and the condition under which it does."""
    count = "" if module.repeat == 1 else f" x {'?' if module.repeat is None else grouped(str(module.repeat))}"
    condition = "" if module.condition is None else f"  [if {module.condition}]"
    return printable(count + condition, terminal)


def grouped(text: str) -> str:
    """Return the text of a number as one of several words: in parentheses, unless it is one."""
    return text if _WORD.fullmatch(text) else f"({text})"


def label(names: tuple[str, ...], ellipsis: str) -> str:
    """Return several names in short: `1-2`, `conv1-3`, `query, key, value`, `0, 2, … 10`."""
    if len(names) == 1:
        return _ALTERNATIVE.sub("", names[0])
    parts = [_NUMBERED.fullmatch(name) for name in names]
    numbered = [(part.group(1), int(part.group(2))) for part in parts if part and part.group(2).isdecimal()]
    if len(numbered) == len(names):
        prefix, start = numbered[0]
        if numbered == [(prefix, start + offset) for offset in range(len(names))]:
            return f"{names[0]}-{numbered[-1][1]}"
    whole = ", ".join(names)
    return whole if len(whole) <= _LONGEST_LIST else f"{names[0]}, {names[1]}, {ellipsis} {names[-1]}"


def output(node: Node, shown: View) -> Segment:
    """Return the shapes that came out of a node's first module, or why there are none."""
    if not node.modules:
        return "", ""
    module = node.modules[0]
    if not module.calls:
        entry = declared_input(module, shown.architecture)
        if entry is not None:
            return printable(figures.shape(entry.shape), shown.terminal), "faint"
        if not shown.was_called or module.path in shown.called:
            return "", ""
        return ("not reached" if module.path in shown.undecided else "not called"), "faint"
    if any(call.outputs is None for call in module.calls):
        return "did not return", "fault"
    text = flow(module, "outputs", shown.terminal)
    return text, "doubt" if "?" in text else ""


def declared_input(module: Module, architecture: Architecture) -> Value | None:
    """Return the input that a layer declares, which is called by nobody; other modules may be named like an input."""
    named = (value for value in architecture.inputs if value.name == module.path)
    return next(named, None) if module.class_name == "InputLayer" else None


def flow(module: Module, side: str, terminal: Terminal) -> str:
    """Return the `inputs` or `outputs` of a module's calls; an ellipsis tells of calls that differ from the first."""
    kinds = list(dict.fromkeys(getattr(call, side) for call in module.calls))
    if not kinds or kinds[0] is None:
        return ""
    text = printable(figures.shapes(kinds[0]), terminal)
    return f"{text}, {terminal.glyphs.ellipsis}" if len(kinds) > 1 else text
