"""The truth of values: known, decided for this run, or unknown."""

from __future__ import annotations

import ast
from typing import Any

from cutaway.core import session
from cutaway.core.condition import MODE, Term
from cutaway.core.size.dim import Dim, equal, undecided
from cutaway.core.size.relation import Relation, Several
from cutaway.core.unknown import Undecidable, Unknown, decisions, other_than_truth
from cutaway.interp.run.frame import HIDDEN, Frame, place
from cutaway.interp.run.interpreter import interpreter


def truth_of(value: Any) -> bool | Unknown:
    """Return the truth of a value, or the unknown that it hangs on."""
    if value is True or value is False:
        return value
    if type(value) is Unknown:
        return value if value.term is None else _decided(value)
    if type(value) is Dim:
        zero = equal(value, 0)
        return undecided(Relation("!=", value, 0)) if zero is None else not zero
    try:
        return bool(value)
    except Undecidable as undecidable:
        return undecidable.unknown


def _together(first: Unknown | None, second: Unknown | None, every: bool) -> Unknown:
    """Return the unknown truth of two conditions, of which every one has to hold or only one."""
    if first is None or second is None:
        known = first or second
        assert known is not None, "there is a condition"
        return known if first is None else other_than_truth(known)
    parts = (first.about, second.about)
    if parts == (None, None):
        return first
    return Unknown(first.reason, first.place, Several(every, parts))


def _decided(unknown: Unknown) -> bool | Unknown:
    """Return how a condition is decided in this run, or the unknown that it hangs on."""
    assert unknown.term is not None
    if unknown.term.relation and _recurs():
        return Unknown(f"{unknown.reason}: a recursion of symbolic depth", unknown.place)
    at = place()
    holds = decisions().decide(unknown.term, at)
    if holds is not None and unknown.about is not None:
        session.current().suppose(unknown.about if holds else unknown.about.negated(), at)
    return unknown if holds is None else holds


def _recurs() -> bool:
    """Tell whether the function that is being run has called itself."""
    running = interpreter().stack[-1].function if interpreter().stack else None
    return running is not None and any(
        frame.function is not None and frame.function.code is running.code for frame in interpreter().stack[:-1]
    )


def is_own(frame: Frame) -> bool:
    """Tell whether control is in a module of the user's own project."""
    home = frame.globals.get(HIDDEN)
    return home is not None and home.is_own


def by_data(truth: Unknown, test: ast.expr, frame: Frame) -> bool | None:
    """Decide a condition of the user's own code that hangs on numbers in tensors; None where it is another one."""
    if truth.term is None or truth.term.text or not is_own(frame) or session.current().turns:
        return None
    return decisions().occurrence(ast.unparse(test), truth.term.kind, frame.place)


def mode(value: Any, frame: Frame) -> Any:
    """Return whether a network is being trained, as it is open in a condition of the user's own code."""
    here = decisions()
    if type(value) is not bool or not here.active or here.held or not session.current().modules or not is_own(frame):
        return value
    if not here.follows:
        here.wanted = True
        return value
    return Unknown("whether the network is being trained", frame.place, term=Term("self.training", MODE))


def opposite(unknown: Unknown) -> Unknown:
    """Return the truth of `not` something unknown."""
    about = None if unknown.about is None else unknown.about.negated()
    term = unknown.term.opposite() if unknown.term is not None and unknown.term.text else unknown.term
    return Unknown(unknown.reason, unknown.place, about, unknown.kind, term)


def decide(value: Any) -> bool:
    """Return the truth of a value or raise `Undecidable`."""
    truth = truth_of(value)
    if isinstance(truth, Unknown):
        raise Undecidable(truth)
    return truth


def merge(first: Any, second: Any, condition: Unknown) -> Any:
    """Return the value of an expression of which either side may have been taken."""
    if first is second:
        return first
    if type(first) is type(second) and isinstance(first, (int, float, str, bool, tuple)) and first == second:
        return first
    return Unknown(condition.reason, condition.place)


def _inverse(truth: Any) -> Any:
    return opposite(truth) if type(truth) is Unknown else not truth
