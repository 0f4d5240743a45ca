"""`if`, `match` and `assert`."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Undecidable, Unknown, conditions_left_open, is_placement
from cutaway.interp.boundary.joining import both_ways
from cutaway.interp.compile.statements.placement import PlacementCode, may_only_place
from cutaway.interp.compile.statements.undecided import is_check
from cutaway.interp.run.frame import Execute, Frame
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.origin import Operation, note
from cutaway.interp.run.truth import decide, settle, truth_of


class Branches(PlacementCode):
    """Compiles branches."""

    def _If(self, node: ast.If) -> Execute:
        checks = is_check(node.body) or is_check(node.orelse)
        test, line = (self.expression if checks else self.test)(node.test), node.lineno
        body, orelse = self.block(node.body), self.block(node.orelse)
        may_place = may_only_place(node)

        def execute(frame: Frame) -> object | None:
            frame.line = line
            value = test(frame)
            if may_place and is_placement(value) and self.only_places(frame, node):
                return self.place(frame, node, value, body if value.usual.value else orelse)
            truth = settle(value, node.test, frame)
            if truth is True:
                return body(frame)
            if truth is False:
                return orelse(frame)
            return self._undecided_branch(frame, node, truth, body, orelse)

        def check(frame: Frame) -> object | None:
            if interpreter().guarded:  # the program may go on after it has raised
                return execute(frame)
            frame.line = line
            truth, asks_for_device = _tested(lambda: _left_open(test, frame))
            if isinstance(truth, Unknown):
                return self._undecided_branch(frame, node, truth, body, orelse)
            if asks_for_device and is_check(node.body if truth else node.orelse):
                text = f"`{ast.unparse(node.test)}` is {not truth}, as the program would raise otherwise: "
                session.current().assume(f"{text}it depends on the machine")
                truth = not truth
            return body(frame) if truth else orelse(frame)

        return check if checks else execute

    def _undecided_branch(
        self, frame: Frame, node: ast.If, truth: Unknown, body: Execute, orelse: Execute
    ) -> object | None:
        """Continue after a branch whose condition can't be decided."""
        here = session.current()
        if interpreter().guarded:
            return both_ways(frame, body, orelse, truth)
        if is_check(node.body):
            here.assume_condition(
                truth,
                f"`{ast.unparse(node.test)}` is false, as the program would raise otherwise",
                frame.place,
                holds=False,
            )
            return orelse(frame)
        if node.orelse and is_check(node.orelse):
            here.assume_condition(
                truth, f"`{ast.unparse(node.test)}` is true, as the program would raise otherwise", frame.place
            )
            return body(frame)
        return both_ways(frame, body, orelse, truth)

    def _Match(self, node: ast.Match) -> Execute:
        from cutaway.interp.compile.statements.pattern import compile_pattern  # late: few programs match

        subject, line = self.expression(node.subject), node.lineno
        cases = [
            (
                compile_pattern(self, case.pattern),
                self.expression(case.guard) if case.guard else None,
                self.block(case.body),
                case.guard,
            )
            for case in node.cases
        ]

        def execute(frame: Frame) -> object | None:
            frame.line = line
            value = subject(frame)
            try:
                body = self._matching_case(frame, value, cases)
            except Undecidable as undecidable:
                return self._any_case(frame, [case[2] for case in cases], undecidable.unknown)
            return None if body is None else body(frame)

        return execute

    def _any_case(self, frame: Frame, bodies: list[Execute], unknown: Unknown) -> object | None:
        """Run one of several cases, or none, it is unknown which."""
        if not bodies:
            return None
        return both_ways(frame, bodies[0], lambda inner: self._any_case(inner, bodies[1:], unknown), unknown)

    def _matching_case(self, frame: Frame, value: Any, cases: list[Any]) -> Execute | None:
        """Return the body of the first case that matches, None if there is none."""
        for matches, guard, body, written in cases:
            if matches(frame, value) and (guard is None or decide(guard(frame), written, frame)):
                return body  # type: ignore[no-any-return]
        return None

    def _Assert(self, node: ast.Assert) -> Execute:
        test, line = self.expression(node.test), node.lineno
        message = self.expression(node.msg) if node.msg else None

        def execute(frame: Frame) -> None:
            frame.line = line
            if interpreter().guarded:
                truth, asks_for_device = settle(test(frame), node.test, frame), False
            else:
                truth, asks_for_device = _tested(lambda: _left_open(test, frame))
            if truth is True:
                return
            if truth is False and asks_for_device:
                session.current().assume(
                    f"`{ast.unparse(node.test)}` holds, as it is asserted: it depends on the machine"
                )
                return
            if isinstance(truth, Unknown):
                why = f"`{ast.unparse(node.test)}` holds, as it is asserted"
                session.current().assume_condition(truth, why, frame.place)
                return
            raise note(AssertionError(*([message(frame)] if message else [])), Operation.ASSERTION)

        return execute


def _left_open(test: Any, frame: Frame) -> bool | Unknown:
    """Return the truth of a test that decides nothing."""
    with conditions_left_open():
        return truth_of(test(frame))


def _tested(test: Callable[[], bool | Unknown]) -> tuple[bool | Unknown, bool]:
    """Return the truth of a test, and whether it asks for devices of the machine."""
    here = session.current()
    doubted = here.doubts.pop(session.DEVICES, here)
    try:
        truth = test()
    finally:
        asks_for_device = session.DEVICES in here.doubts
        if doubted is None:
            here.doubts.setdefault(session.DEVICES)
    return truth, asks_for_device
