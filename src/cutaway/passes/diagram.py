"""The folded architecture as a diagram: boxes in boxes, and which flows into which.

Equal siblings are one box with a count. A module without parts is drawn once for each place that it is called at; a list
of modules, which is never called itself, is drawn as its parts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from cutaway.core.architecture import Architecture, Module, Op, Quantity, Shape
from cutaway.core.record import dataclass, field
from cutaway.passes.fold import Node
from cutaway.passes.graph_fold import fold_for_graph
from cutaway.passes.hierarchy import owner

MOST_BOXES = 40
"""Boxes that a diagram has where no depth is asked for."""

INPUT, OUTPUT, MODULE, GROUP, OPERATION = "input", "output", "module", "group", "operation"


@dataclass(slots=True, eq=False)
class Box:
    """A module, equal modules, a group of them, an operation, an input or an output."""

    kind: str
    title: str
    names: tuple[str, ...] = ()
    modules: tuple[Module, ...] = ()
    count: int = 1
    repeat: Quantity = 1
    condition: str | None = None
    shape: Shape = None
    parent: Box | None = None
    parts: list[Box] = field(default_factory=list)
    ops: list[int] = field(default_factory=list)
    unfolded: bool = False

    def walk(self) -> Iterator[Box]:
        """Yield this box and all that is drawn in it."""
        yield self
        for part in self.parts if self.unfolded else ():
            yield from part.walk()


@dataclass(frozen=True, slots=True)
class Arrow:
    """A value that flows from a box to another one."""

    source: Box
    target: Box
    shape: Shape


@dataclass(frozen=True, slots=True)
class Diagram:
    """The root box, whose parts are drawn, the arrows between boxes, and those from the top of a box to a part of it."""

    root: Box
    arrows: tuple[Arrow, ...]
    entries: tuple[Arrow, ...]


def diagram(architecture: Architecture, depth: int | None = None) -> Diagram:
    """Return the diagram of a network; `depth` says how many levels are unfolded, otherwise as many as remain readable."""
    return _Drawing(architecture).diagram(depth)


class _Drawing:
    def __init__(self, architecture: Architecture) -> None:
        self.architecture = architecture
        self.boxes: dict[str, Box] = {}
        tree = fold_for_graph(architecture)
        self.root = self._box(tree, None) if tree is not None else Box(MODULE, architecture.name)
        self.homes: list[Box] = []  # of each operation
        self.limits: list[
            Box | None
        ] = []  # the box of equal modules that stands for an operation in another than the first
        for at, op in enumerate(architecture.ops):
            self._add_op(at, op)
        if architecture.ops:
            for box in list(self.root_and_below()):
                box.parts = [part for part in box.parts if part.ops]
                _split_calls(box, self.homes)
                _dissolve(box)
        for box in self.root_and_below():
            box.parts.sort(key=lambda part: min(part.ops, default=-1))

    def root_and_below(self) -> Iterator[Box]:
        waiting = [self.root]
        while waiting:
            box = waiting.pop()
            waiting += box.parts
            yield box

    def _box(self, node: Node, parent: Box | None) -> Box:
        module = node.modules[0] if node.modules else None
        box = Box(
            GROUP if module is None else MODULE,
            "" if module is None else module.class_name or "?",
            node.names,
            node.modules,
            node.count,
            1 if module is None else module.repeat,
            None if module is None else module.condition,
            parent=parent,
        )
        for each in node.modules:
            self.boxes[each.path] = box
        box.parts = [self._box(child, box) for child in node.children]
        return box

    def _add_op(self, at: int, op: Op) -> None:
        separator = self.architecture.separator
        home = self.boxes.get(owner(op.module, self.boxes, separator), self.root)
        limit = None
        above: Box | None = home
        while above is not None:
            first = above.modules[0].path if above.modules else ""
            if first and op.module != first and not op.module.startswith(first + separator):
                limit = above.parent if above.parent is not None and above.parent.kind == GROUP else above
            above = above.parent
        box = home
        if limit is None:
            box = Box(OPERATION, op.op.rpartition(".")[2], repeat=op.repeat, condition=op.condition, parent=home)
            home.parts.append(box)
        self.homes.append(box)
        self.limits.append(limit)
        above = box
        while above is not None:
            above.ops.append(at)
            above = above.parent

    def diagram(self, depth: int | None) -> Diagram:
        self._unfold(depth)
        inputs = {
            value.name: Box(INPUT, value.name or "input", shape=value.shape) for value in self.architecture.inputs
        }
        arrows: dict[tuple[int, int], Arrow] = {}
        entries: dict[tuple[int, int], Arrow] = {}
        made: dict[str, int] = {}

        def connect(source: Box, target: Box, shape: Shape) -> None:
            side, other = _side_by_side(source, target)
            if side is other:
                return
            arrows.setdefault((id(side), id(other)), Arrow(side, other, shape))
            while target is not other and target.parent is not None:
                entries.setdefault((id(target.parent), id(target)), Arrow(target.parent, target, shape))
                target = target.parent

        for at, op in enumerate(self.architecture.ops):
            for value in op.inputs:
                if value.name in made:
                    connect(self._visible(made[value.name]), self._visible(at), value.shape)
                elif value.name in inputs:
                    connect(inputs[value.name], self._visible(at), value.shape)
            made.update((value.name, at) for value in op.outputs)
        used = [box for box in inputs.values() if any(arrow.source is box for arrow in arrows.values())]
        self.root.parts = [*used, *self.root.parts]
        return Diagram(self.root, tuple(arrows.values()), tuple(entries.values()))

    def _unfold(self, depth: int | None) -> None:
        """Unfold level by level, as long as the boxes are not too many."""
        self.root.unfolded = True
        shown, level, levels = len(self.root.parts), [box for box in self.root.parts if _has_parts(box)], 1
        while level:
            more = sum(len(box.parts) - 1 for box in level)
            if levels >= depth if depth is not None else shown + more > MOST_BOXES:
                return
            for box in level:
                box.unfolded = True
            shown, levels = shown + more, levels + 1
            level = [part for box in level for part in box.parts if _has_parts(part)]

    def _visible(self, at: int) -> Box:
        """Return the box that stands for an operation."""
        chain = []
        box: Box | None = self.homes[at]
        while box is not None and box is not self.root:
            chain.append(box)
            box = box.parent
        for each in reversed(chain):
            if each is self.limits[at] or not each.unfolded:
                return each
        return chain[0] if chain else self.root


def _has_parts(box: Box) -> bool:
    return any(part.kind != OPERATION for part in box.parts)


def _split_calls(box: Box, homes: Sequence[Box]) -> None:
    """Draw a part that has none itself once for each place that it is called at."""
    for part in list(box.parts):
        if part.kind != MODULE or _has_parts(part):
            continue
        runs: list[list[Box]] = []
        for op in part.parts:
            if runs and all(_is_in(homes[at], part) for at in range(runs[-1][-1].ops[0] + 1, op.ops[0])):
                runs[-1].append(op)
            else:
                runs.append([op])
        if len(runs) < 2:
            continue
        calls = []
        for run in runs:
            call = Box(
                part.kind, part.title, part.names, part.modules, part.count, part.repeat, part.condition, parent=box
            )
            call.parts, call.ops = run, [at for op in run for at in op.ops]
            for op in run:
                op.parent = call
            calls.append(call)
        where = box.parts.index(part)
        box.parts[where : where + 1] = calls


def _is_in(box: Box | None, outer: Box) -> bool:
    while box is not None and box is not outer:
        box = box.parent
    return box is outer


def _dissolve(box: Box) -> None:
    """Draw the parts of lists, which are never called themselves, in place of the lists."""
    waiting, box.parts = list(reversed(box.parts)), []
    while waiting:
        part = waiting.pop()
        if part.kind != MODULE or part.count > 1 or not _has_parts(part) or part.modules[0].calls:
            box.parts.append(part)
            continue
        for inner in part.parts:
            inner.parent = box
            inner.names = tuple(f"{part.names[0]}.{name}" for name in inner.names)
        waiting += reversed(part.parts)


def _side_by_side(source: Box, target: Box) -> tuple[Box, Box]:
    """Return what two boxes are in, or the boxes themselves, so that both are parts of the same box."""
    above = _chain(source)
    sides = _chain(target)
    for one, other in zip(above, sides):
        if one is not other:
            return one, other
    return source, source


def _chain(box: Box) -> list[Box]:
    chain = []
    at: Box | None = box
    while at is not None and at.parent is not None:
        chain.append(at)
        at = at.parent
    return list(reversed(chain)) or [box]


def layers(boxes: Sequence[Box], arrows: Sequence[Arrow]) -> list[list[Box]]:
    """Return boxes in layers, so that arrows go from one layer to a later one; those that would go back are ignored."""
    order = {id(box): at for at, box in enumerate(boxes)}
    level: dict[int, int] = {id(box): 0 for box in boxes}
    into: Mapping[int, list[Any]] = {id(box): [] for box in boxes}
    for arrow in arrows:
        if (
            id(arrow.source) in order
            and id(arrow.target) in order
            and order[id(arrow.source)] < order[id(arrow.target)]
        ):
            into[id(arrow.target)].append(arrow.source)
    for box in boxes:
        level[id(box)] = max((level[id(source)] + 1 for source in into[id(box)]), default=0)
    found: list[list[Box]] = [[] for _ in range(max(level.values(), default=-1) + 1)]
    for box in boxes:
        found[level[id(box)]].append(box)
    return found
