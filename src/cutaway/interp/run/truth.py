"""The truth value of conditions: known, decided for this run, or unknown."""

from __future__ import annotations

import ast
from typing import Any

from cutaway.core import session
from cutaway.core.condition import MODE, Decision
from cutaway.core.protocols import is_tensor
from cutaway.core.record import replace
from cutaway.core.size.dim import Dim, equal, undecided
from cutaway.core.size.relation import Relation, Several
from cutaway.core.unknown import Undecidable, Unknown, Usual, assumed, decisions, derived_unknown
from cutaway.interp.run.frame import MODULE_STATE, Frame, place
from cutaway.interp.run.function import record_of
from cutaway.interp.run.interpreter import interpreter
from cutaway.knowledge.base.framework import takes_mode


def truth_of(value: Any) -> bool | Unknown:
    """Return the truth value of an object, or the unknown that it depends on."""
    if value is True or value is False:
        return value
    if type(value) is Unknown:
        if value.usual is not None:
            holds = decisions().known_truth(value.term)
            taken = assumed(value) if holds is None else holds
            return taken if type(taken) is Unknown else bool(taken)
        return value if value.term is None else _decide_unknown(value)
    if type(value) is Dim:
        zero = equal(value, 0)
        return undecided(Relation("!=", value, 0)) if zero is None else not zero
    answer = _answer(value)
    return truth_of(answer) if type(answer) is Unknown and (answer.usual or answer.term) else answer


def _answer(value: Any) -> bool | Unknown:
    """Return what an object says of its truth, which may be unknown."""
    try:
        return _answer_of_method(value)
    except Undecidable as undecidable:
        return undecidable.unknown


def _answer_of_method(value: Any) -> bool | Unknown:
    """Return what an object says of its truth; a method of the target may return something unknown."""
    for cls in type.__dict__["__mro__"].__get__(type(value)):
        variables = type.__dict__["__dict__"].__get__(cls)
        for name in ("__bool__", "__len__"):
            if name in variables:
                if record_of(variables[name]) is None:
                    return bool(value)
                answer = variables[name](value)
                return answer if type(answer) is Unknown else bool(_ANSWERS[name](answer))
    return bool(value)


class _Answer:
    def __init__(self, answer: Any) -> None:
        self.answer = answer


class _Truth(_Answer):
    def __bool__(self) -> bool:
        answer: bool = self.answer
        return answer


class _Length(_Answer):
    def __len__(self) -> int:
        answer: int = self.answer
        return answer


_ANSWERED = (bool, Unknown, Dim)
_ANSWERS = {"__bool__": _Truth, "__len__": _Length}
"""Objects that answer as a method did, so that Python checks what it returned."""


def settle(value: Any, node: ast.expr | ast.pattern, frame: Frame, prefer: bool = True) -> bool | Unknown:
    """Return the truth value of an object that a program tests with `node`, decided for this run where it is unknown.

    It stays unknown in the body of a module that is installed, and where too many conditions are open. What has a usual
    value is assumed to have it in code that is installed. The first run is the one in which the truth is `prefer`.
    """
    can_follow = can_choose()
    if type(value) not in _ANSWERED and not is_tensor(value):
        value = _answer(value)
    if can_follow and type(value) is Unknown and _is_followed(value.usual) and is_own(frame):
        holds = _followed(value, node, frame, prefer)
        return truth_of(value) if holds is None else holds
    truth = truth_of(value)
    if type(truth) is not Unknown or not can_follow or truth.about is not None:
        return truth
    holds = _followed(_truth_of_tensor(value, truth), node, frame, prefer)
    return truth if holds is None else holds


def _is_followed(usual: Usual | None) -> bool:
    return usual is not None and not usual.placement


def _followed(unknown: Unknown, node: ast.expr | ast.pattern, frame: Frame, prefer: bool) -> bool | None:
    """Decide an unknown truth, by the part of the test that it is the truth of: what stands before is decided."""
    inverted = False
    while True:
        if isinstance(node, ast.BoolOp):
            node = node.values[-1]
        elif isinstance(node, ast.Compare) and len(node.ops) > 1:
            node = ast.Compare(node.comparators[-2], [node.ops[-1]], [node.comparators[-1]])
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) and unknown.negation is not None:
            node, unknown, inverted = node.operand, unknown.negation, not inverted
        else:
            break
    text = f"matches({ast.unparse(node)!r})" if isinstance(node, ast.pattern) else ast.unparse(node)
    holds = decisions().settle(unknown, text, frame.place, prefer is not inverted)
    return None if holds is None else holds is not inverted


def settled(value: Any) -> bool | None:
    """Return the truth of a value that a function of the host tests, decided for this run; None where it stays open."""
    stack = interpreter().stack
    if not stack:
        return None
    truth = settle(value, ast.Name(f"condition_at_line_{stack[-1].line}"), stack[-1])
    return None if isinstance(truth, Unknown) else truth


def truth(value: Any) -> bool:
    """Return the truth of a value that a function of the host tests; raise `Undecidable` where it stays open."""
    holds = settled(value)
    if holds is None:
        raise Undecidable(value if type(value) is Unknown else Unknown("whether a value is true"))
    return holds


def _truth_of_tensor(value: Any, truth: Unknown) -> Unknown:
    """Return the one truth value of a tensor, which is the same as long as nothing writes to the tensor."""
    if not is_tensor(value):
        return truth
    key = id(value), value.reference().number
    first: Unknown = decisions().tensors.setdefault(key, (value, truth))[1]
    return first


def combine_truths(first: Unknown | None, second: Unknown | None, every: bool) -> Unknown:
    """Return the unknown truth of two conditions: both have to hold if `every` is set, one of them otherwise."""
    if first is None or second is None:
        known = first or second
        assert known is not None, "at least one condition is given"
        return known if first is None else derived_unknown(known)
    parts = (first.about, second.about)
    if parts == (None, None):
        return first
    return Unknown(first.reason, first.place, Several(every, parts))


def _decide_unknown(unknown: Unknown) -> bool | Unknown:
    """Return how a condition is decided in this run, or the unknown that it depends on."""
    assert unknown.term is not None
    if unknown.term.relation and _is_recursive():
        return Unknown(f"{unknown.reason}: a recursion of symbolic depth", unknown.place)
    at = place()
    holds = decisions().decide(unknown.term, at)
    if holds is not None and unknown.about is not None:
        session.current().learn_statement(unknown.about if holds else unknown.about.negated(), at)
    return unknown if holds is None else holds


def _is_recursive() -> bool:
    """Tell whether the running function has called itself."""
    running = interpreter().stack[-1].function if interpreter().stack else None
    return running is not None and any(
        frame.function is not None and frame.function.code is running.code for frame in interpreter().stack[:-1]
    )


def can_choose() -> bool:
    """Tell whether something unknown may be decided for this run."""
    return not session.current().iterations


def is_own(frame: Frame) -> bool:
    """Tell whether a frame runs code of the user's own project."""
    module = frame.globals.get(MODULE_STATE)
    return module is not None and module.is_own


def training_mode(value: Any, text: str, frame: Frame) -> Any:
    """Return the mode of a network that the user's own code tests, written as `text`, and note that it does."""
    here = session.current()
    if (value is None or type(value) is bool) and here.modules and is_own(frame):
        known = here.conditions.get(text)
        if known is None:
            here.conditions[text] = Decision(text, MODE, frame.place, bool(value), bool(value))
        elif known.holds is not bool(value):
            here.conditions[text] = replace(known, holds=None)
    return value


def mode_argument(value: Any, name: str, frame: Frame) -> Any:
    """Return an argument that the user's own code tests, and note that it does if the argument is a network's mode."""
    modules = session.current().modules
    return training_mode(value, name, frame) if modules and takes_mode(modules[-1], name) else value


def opposite(unknown: Unknown) -> Unknown:
    """Return the truth of the negation of something unknown."""
    about = None if unknown.about is None else unknown.about.negated()
    term = unknown.term.opposite() if unknown.term is not None and unknown.term.text else unknown.term
    usual = None if unknown.usual is None else replace(unknown.usual, value=not unknown.usual.value)
    return Unknown(unknown.reason, unknown.place, about, bool, term, negation=unknown, usual=usual)


def decide(value: Any, node: ast.expr | ast.pattern, frame: Frame) -> bool:
    """Return the truth of a value that a program tests; raise `Undecidable` if it stays unknown."""
    truth = settle(value, node, frame)
    if isinstance(truth, Unknown):
        raise Undecidable(truth)
    return truth


def merge(first: Any, second: Any, condition: Unknown) -> Any:
    """Return the value of a conditional expression whose condition is unknown."""
    if first is second:
        return first
    if type(first) is type(second) and isinstance(first, (int, float, str, bool, tuple)) and first == second:
        return first
    return Unknown(condition.reason, condition.place)


def negate(truth: Any) -> Any:
    """Return the negation of a truth value, which may be unknown."""
    return opposite(truth) if type(truth) is Unknown else not truth


def converted(kind: Any, value: Unknown) -> Any:
    """Convert something unknown to a built-in type; a condition that is decided is 0 or 1."""
    if kind is int and value.ratio is not None:
        return value.__trunc__()
    if kind in (int, float) and value.kind is bool:
        holds = settled(value)
        return derived_unknown(value) if holds is None else kind(holds)
    if kind is bool:
        return opposite(opposite(value))
    return value if kind is int else derived_unknown(value)
