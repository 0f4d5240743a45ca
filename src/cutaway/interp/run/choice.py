"""Choices that an unknown value makes among a few possibilities, one of which is followed in each run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from cutaway.core import session
from cutaway.core.condition import ENVIRONMENT
from cutaway.core.unknown import Undecidable, Unknown, decisions, derived_unknown
from cutaway.interp.run.frame import Frame
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.truth import is_own, settle

UNDECIDED = object()
"""Which possibility it is stays unknown."""

_MOST = 8
MOST_ITERATIONS = 4
"""Iterations of a loop that are followed where their number is unknown."""


def chosen_key(container: Any, index: Unknown, node: ast.expr, frame: Frame) -> Any:
    """Return the key or index with which an unknown value selects an item in this run; the last run finds none."""
    if index.kind is bool:
        truth = settle(index, node, frame)
        return UNDECIDED if type(truth) is Unknown else truth
    try:
        keys = list(container.keys() if hasattr(container, "keys") else range(len(container)))
    except Undecidable:
        return UNDECIDED
    if len(keys) > _MOST or not is_own(frame) or session.current().iterations:
        return UNDECIDED
    if any(type(key) not in (int, str, bool, float, type(None)) for key in keys):
        return UNDECIDED
    return _chosen(index, keys, ast.unparse(node), frame)


def chosen_position(owner: Any, method: str, index: Unknown) -> Any:
    """Return the position at which a list is changed in this run."""
    stack = interpreter().stack
    if type(owner) is not list or method not in ("insert", "pop") or not stack or not is_own(stack[-1]):
        return UNDECIDED
    count = len(owner) + (method == "insert")
    if count > _MOST or session.current().iterations:
        return UNDECIDED
    return _chosen(index, list(range(count)), f"{method}_index_at_line_{stack[-1].line}", stack[-1])


def unknown_items(items: Unknown, node: ast.expr, frame: Frame) -> Iterator[Any]:
    """Yield the items of something unknown: none, one, two ... in different runs; raise `Undecidable` after a few."""
    if not is_own(frame) or session.current().iterations:
        raise Undecidable(items)
    kind = ENVIRONMENT if items.term is None else items.term.kind
    for count in range(MOST_ITERATIONS):
        holds = decisions().occurrence(f"len({ast.unparse(node)}) > {count}", kind, frame.place, prefer=count == 0)
        if holds is None:
            break
        if not holds:
            return
        yield derived_unknown(items)
    raise Undecidable(items)


def _chosen(unknown: Unknown, options: list[Any], text: str, frame: Frame) -> Any:
    here = decisions()
    known = here.choices.get(id(unknown))
    if known is not None and known[1] in options:
        return known[1]
    kind = ENVIRONMENT if unknown.term is None else unknown.term.kind
    for option in options:
        holds = here.occurrence(f"{text} == {option!r}", kind, frame.place)
        if holds is None:
            return UNDECIDED
        if holds:
            here.choices[id(unknown)] = unknown, option
            return option
    raise KeyError("an unknown key") if any(type(option) is str for option in options) else IndexError("unknown index")
