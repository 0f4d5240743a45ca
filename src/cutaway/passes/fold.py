"""Repeats folded for display: equal siblings that follow each other become one node with a count.

Two modules are equal where the reader would call them the same block again: class, configuration
as far as it says what is built, weights, output shapes and costs, and all of that below them. Rates
and indices (`drop_path=0.1`, `layer_idx=3`) may differ; a node keeps every module that it stands for,
so a report can show their range.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from cutaway.core.architecture import Architecture, Module, Setting
from cutaway.core.pattern import pattern
from cutaway.core.record import dataclass
from cutaway.core.size.dim import Dim
from cutaway.passes.cost import Cost, measure
from cutaway.passes.hierarchy import children, name_below, owner, upwards

DEEPEST = 100
"""Levels below the root that are ever shown."""

LONGEST_GROUP = 8
_POSITION = pattern(r"(?:^|_)(?:idx|index|id|layer_num|layer_number|block_num|block_number)$")
_RATE = pattern(r"drop|prob|rate")
_ENDS_OF_RATES = (0, 1)
_LABELS = ("name", "prefix")


@dataclass(frozen=True, slots=True)
class Node:
    """A row to show: a module, or `count` equal ones, or (without `modules`) `count` equal groups of siblings.

    `names` are those of the siblings folded here, within the first of the folded parents; `modules`
    are all that the node stands for, the first of them the one to show.
    """

    names: tuple[str, ...]
    modules: tuple[Module, ...]
    children: tuple[Node, ...]
    count: int = 1


def fold(
    architecture: Architecture,
    costs: Mapping[str, Cost] | None = None,
    *,
    repeats: bool = True,
    depth: int | None = None,
    apart: Collection[str] = (),
    by_name: Collection[str] = (),
) -> Node | None:
    """Return the root of the tree to show, None where there are no modules.

    Without `repeats` every module is a node of its own. `depth` limits the levels below the root. Modules whose paths
    are in `apart` are not folded with others; those in `by_name` only with modules of the same name, in equal parents.
    """
    if not architecture.modules:
        return None
    modules = {module.path: module for module in architecture.modules}
    modules.setdefault("", Module("", architecture.name, architecture.name))
    below = children(modules, architecture.separator)
    if repeats:
        forms = _forms(architecture, modules, below, measure(architecture) if costs is None else costs, apart, by_name)
        runs = {path: form.runs for path, form in forms.items()}
    else:
        runs = {path: [Run(at, 1, 1) for at in range(len(kids))] for path, kids in below.items()}
    levels = DEEPEST if depth is None else min(depth, DEEPEST)
    return _node(("",), [""], 1, _Tree(modules, below, runs), levels)


class Run(NamedTuple):
    """Siblings from `start`: a group of `period` of them, `repeats` times."""

    start: int
    period: int
    repeats: int


class _Tree(NamedTuple):
    modules: Mapping[str, Module]
    below: Mapping[str, Sequence[str]]
    runs: Mapping[str, Sequence[Run]]


class _Form(NamedTuple):
    """What two equal modules share: a number, the rows that they take, how their children are folded.

    A `plain` one has nothing in it: neither weights nor modules.
    """

    number: int
    height: int
    plain: bool
    runs: Sequence[Run]


def _node(names: tuple[str, ...], paths: Sequence[str], count: int, tree: _Tree, levels: int) -> Node:
    """Return the node of equal modules; their children lie side by side."""
    nodes: list[Node] = []
    parallel = [tree.below[path] for path in paths]
    for start, period, repeats in tree.runs[paths[0]] if levels > 0 else ():
        stop = start + period * repeats
        first = [name_below(paths[0], path) for path in parallel[0][start:stop]]
        members = [
            [kids[at] for kids in parallel for at in range(start + offset, stop, period)] for offset in range(period)
        ]
        if period == 1:
            nodes.append(_node(tuple(first), members[0], repeats, tree, levels - 1))
        else:
            group = [_node(tuple(first[i::period]), members[i], 1, tree, levels - 1) for i in range(period)]
            nodes.append(Node(tuple(first), (), tuple(group), repeats))
    return Node(names, tuple(tree.modules[path] for path in paths), tuple(nodes), count)


def _forms(
    architecture: Architecture,
    modules: Mapping[str, Module],
    below: Mapping[str, Sequence[str]],
    costs: Mapping[str, Cost],
    apart: Collection[str],
    by_name: Collection[str],
) -> dict[str, _Form]:
    """Number the modules' structures, children first: equal ones get equal numbers."""
    weights: dict[str, list[Any]] = {}
    for weight in architecture.weights:
        path = owner(weight.module or "", modules, architecture.separator)
        tied = weight.tied_to is not None
        weights.setdefault(path, []).append(
            (
                weight.name.rpartition(architecture.separator)[2],
                weight.shape,
                weight.dtype,
                weight.kind,
                weight.trainable,
                tied,
            )
        )
    numbers: dict[Any, int] = {}
    forms: dict[str, _Form] = {}
    for path in upwards(below):
        module, cost = modules[path], costs[path]
        own = tuple(weights.get(path, ()))
        kids = [forms[kid] for kid in below[path]]
        structure = (
            module.qualified_name or module.class_name,
            module.complete,
            module.condition,
            module.repeat,
            tuple(_comparable(module.config)),
            own,
            tuple(call.outputs for call in module.calls),
            cost.parameters,
            cost.macs,
            path if path in apart else path.rpartition(architecture.separator)[2] if path in by_name else None,
            tuple((name_below(path, kid), form.number) for kid, form in zip(below[path], kids)),
        )
        runs = _runs(kids)
        rows = 1 + sum(
            (period > 1) + sum(kid.height for kid in kids[start : start + period]) for start, period, _ in runs
        )
        forms[path] = _Form(numbers.setdefault(structure, len(numbers)), rows, not (own or kids), runs)
    return forms


@functools.cache
def _is_incidental(key: str, value: int) -> bool:
    """Tell whether a number of this name is a position or a rate, which may differ between equal blocks.

    A rate that is an integer is 0 or 1: a dilation rate of 2 says what is built.
    """
    return bool(_POSITION.search(key) or (value in _ENDS_OF_RATES and _RATE.search(key)))


def _comparable(config: Mapping[str, Setting]) -> Iterable[tuple[str, Any]]:
    """Yield the configuration that says what is built, without rates, positions and descriptions of objects."""
    for key, value in config.items():
        kind = type(value)
        is_incidental = type(value) is int and _is_incidental(key, value)
        if kind in (float, dict, Dim) or is_incidental or (kind is str and key in _LABELS):
            continue
        yield key, repr(value) if kind is list else value


def _runs(forms: Sequence[_Form]) -> list[Run]:
    """Split siblings into runs of equal ones, or of equal groups."""
    runs: list[Run] = []
    numbers = [form.number for form in forms]
    at = 0
    while at < len(forms):
        period, repeats = _longest(forms, numbers, at)
        lead = _lead(forms, numbers, at, period, repeats) if period > 1 else 0
        runs.extend(Run(at + offset, 1, 1) for offset in range(lead))
        runs.append(Run(at + lead, period, repeats))
        at += lead + period * repeats
    return runs


def _longest(forms: Sequence[_Form], numbers: Sequence[int], at: int) -> tuple[int, int]:
    """Return the group, starting here, that saves most rows when it is folded, and how often it comes."""
    best, most = (1, 1), 0
    for period in range(1, min(LONGEST_GROUP, (len(numbers) - at) // 2) + 1):
        repeats = _count(numbers, at, period)
        rows = sum(form.height for form in forms[at : at + period])
        if period > 1 and rows == period and repeats < 4:
            continue  # a few layers read better one by one
        saved = (repeats - 1) * rows - (period > 1)
        if saved > most:
            best, most = (period, repeats), saved
    return best


def _lead(forms: Sequence[_Form], numbers: Sequence[int], at: int, period: int, repeats: int) -> int:
    """Return how many siblings to leave before a group, so that it begins with one that has weights."""
    for lead in range(period):
        if not forms[at + lead].plain and _count(numbers, at + lead, period) == repeats:
            return lead
    return 0


def _count(numbers: Sequence[int], at: int, period: int) -> int:
    repeats = 1
    group = numbers[at : at + period]
    while numbers[at + repeats * period : at + (repeats + 1) * period] == group:
        repeats += 1
    return repeats
