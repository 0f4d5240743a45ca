"""Choices that an unknown value makes among a few possibilities, one of which is followed in each run."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from cutaway.core import session
from cutaway.core.condition import ENVIRONMENT
from cutaway.core.unknown import Undecidable, Unknown, decisions, derived_unknown
from cutaway.interp.run.frame import Frame
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.truth import can_choose, settle

UNDECIDED = object()
"""Which possibility it is stays unknown."""

_MOST = 8
MOST_ITERATIONS = 4
"""Iterations of a loop that are followed where their number is unknown."""


def drawn(value: Any) -> Any:
    """Return which of a few values something unknown is in this run; anything else as it is."""
    if type(value) is not Unknown or value.draw is None:
        return value
    stack = interpreter().stack
    if not stack or not can_choose():
        return value
    result = decisions().draw(value.draw, stack[-1].place)
    return value if result is None else result[0]


def chosen_key(container: Any, index: Unknown, node: ast.expr, frame: Frame) -> Any:
    """Return the key or index with which an unknown value selects an item in this run; the last run finds none."""
    value = drawn(index)
    if type(value) is not Unknown:
        return value
    if index.kind is bool:
        truth = settle(index, node, frame)
        return UNDECIDED if type(truth) is Unknown else truth
    try:
        keys = list(container.keys()) if has_keys(container) else None
        count = len(container)
    except Undecidable:
        return UNDECIDED
    if count > _MOST or not can_choose():
        return UNDECIDED
    text = ast.unparse(node)
    if keys is None:
        return _chosen(index, _equal_to(text, (*range(count), *range(-1, -count - 1, -1))), frame, IndexError)
    if hasattr(container, "__missing__") or any(type(key) not in (int, str, bool, float, type(None)) for key in keys):
        return UNDECIDED
    return _chosen(index, _equal_to(text, keys), frame, KeyError)


def has_keys(container: Any) -> bool:
    """Tell whether the items of a container have keys, so that setting one may add it."""
    return hasattr(container, "keys")


def chosen_position(owner: Any, method: str, index: Unknown) -> Any:
    """Return the position at which a list is changed in this run."""
    value = drawn(index)
    if type(value) is not Unknown:
        return value
    stack = interpreter().stack
    if type(owner) is not list or method not in ("insert", "pop") or not stack:
        return UNDECIDED
    count, frame = len(owner), stack[-1]
    if count > _MOST or not can_choose():
        return UNDECIDED
    text = f"{method}_index_at_line_{frame.line}"
    options = _equal_to(text, (*range(count), *range(-1, -count - 1, -1)))
    if method == "pop":
        return _chosen(index, options, frame, IndexError)
    return _chosen(index, [*options, (count, f"{text} > 0")], frame, 0)


def unknown_items(items: Unknown, node: ast.expr, frame: Frame) -> Iterator[Any]:
    """Yield the items of something unknown: none, one, two ... in different runs; raise `Undecidable` after a few."""
    if not can_choose():
        raise Undecidable(items)
    kind = ENVIRONMENT if items.term is None else items.term.kind
    for count in range(MOST_ITERATIONS):
        holds = decisions().occurrence(f"len({ast.unparse(node)}) > {count}", kind, frame.place, prefer=count == 0)
        if holds is None:
            break
        session.current().doubts.setdefault(session.LENGTHS)
        if not holds:
            return
        yield derived_unknown(items)
    raise Undecidable(items)


def _equal_to(text: str, options: Iterable[Any]) -> list[tuple[Any, str]]:
    return [(option, f"{text} == {option!r}") for option in options]


def _chosen(unknown: Unknown, options: list[tuple[Any, str]], frame: Frame, otherwise: Any) -> Any:
    """Return which of some options an unknown value is in this run, each with the condition that it is.

    If it is none of them, it is `otherwise`, or that is the exception which the program raises.
    """
    here = decisions()
    if id(unknown) in here.choices:
        return here.choices[id(unknown)][1]
    kind = ENVIRONMENT if unknown.term is None else unknown.term.kind
    for option, condition in options:
        holds = here.occurrence(condition, kind, frame.place)
        if holds is None:
            return UNDECIDED
        if holds:
            if condition.endswith(f" == {option!r}"):
                here.choices[id(unknown)] = unknown, option
            return option
    if isinstance(otherwise, type):
        raise otherwise("an unknown key" if otherwise is KeyError else "an unknown index")
    return otherwise
