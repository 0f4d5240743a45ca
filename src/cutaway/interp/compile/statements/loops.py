"""`while` and `for`."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from cutaway.core import session
from cutaway.core.condition import DATA, Decision
from cutaway.core.loop.series import Repeat, Series
from cutaway.core.unknown import Undecidable, Unknown, assumed, conditions_left_open, decisions
from cutaway.interp.compile.assignment import assign_target
from cutaway.interp.compile.expressions.operators import is_pure
from cutaway.interp.compile.statements.undecided import UndecidedCode
from cutaway.interp.run.budget import tick
from cutaway.interp.run.choice import MOST_ITERATIONS, unknown_items
from cutaway.interp.run.frame import BREAK, RETURN, Execute, Frame
from cutaway.interp.run.iteration import in_order
from cutaway.interp.run.truth import is_own, settle, truth_of
from cutaway.interp.symbolic.numeric_loop import numeric_loop
from cutaway.interp.symbolic.symbolic_loop import Loop, run_loop, series_of
from cutaway.syntax.scope import assigned

END = object()


class Loops(UndecidedCode):
    """Compiles loops."""

    def _While(self, node: ast.While) -> Execute:
        test, line = self.test(node.test), node.lineno
        body, orelse = self.block(node.body), self.block(node.orelse)

        is_simple = is_pure(node.test)
        ends_early = any(isinstance(child, (ast.Break, ast.Return)) for part in node.body for child in ast.walk(part))

        def is_repeated(truth: Unknown) -> bool:
            """Tell whether one iteration in place of all is tried: where a condition has a name, or depends on data."""
            term = truth.term
            return term is not None and bool(term.text or (term.kind == DATA and not ends_early))

        def tested(frame: Frame, followed: int) -> bool | Unknown:
            if is_simple:
                with conditions_left_open():
                    value = test(frame)
                    truth = truth_of(value)
            else:
                value = test(frame)
                with conditions_left_open():
                    truth = truth_of(value)
            if type(truth) is not Unknown or is_repeated(truth) or followed >= MOST_ITERATIONS:
                return truth
            return settle(value, node.test, frame, prefer=False)

        def execute(frame: Frame) -> object | None:
            here = session.current()
            followed = 0
            while True:
                tick()
                frame.line = line
                before = len(decisions().taken)
                truth = tested(frame, followed)
                followed += len(decisions().taken) > before
                if truth is False:
                    return orelse(frame)
                if truth is not True:
                    if not self._run_representative_iteration(frame, node, truth, body):
                        self._forget(frame, node.body, truth)
                    return None
                signal = body(frame)
                if here.loop_exit is not None:
                    self._end_settled_loop(frame, node.body, here)
                    return None
                if signal is not None:
                    if signal is BREAK:
                        return None
                    if signal is RETURN:
                        return signal

        return execute

    def _run_representative_iteration(self, frame: Frame, node: ast.While, truth: Unknown, body: Execute) -> bool:
        """Run one iteration in place of all, whose number is unknown; return whether that is possible."""
        if truth.term is None or not is_own(frame):
            return False
        here = session.current()
        condition = ast.unparse(node.test)
        try:
            run_loop(
                self, Loop(node.body), frame, Series([Repeat((None,), None)], truth.reason), lambda _item: body(frame)
            )
        except Undecidable:
            return False
        here.conditions.setdefault(condition, Decision(condition, truth.term.kind, frame.place, None, True))
        return True

    def _For(self, node: ast.For) -> Execute:
        source, line = self.expression(node.iter), node.lineno
        assign = assign_target(self, node.target)
        numeric = None if self.in_numeric_loop else numeric_loop(node, self.scope)
        outer, self.in_numeric_loop = self.in_numeric_loop, self.in_numeric_loop or numeric is not None
        body, orelse = self.block(node.body), self.block(node.orelse)
        self.in_numeric_loop = outer
        loops: list[Loop] = []

        def run_iteration(frame: Frame, item: Any) -> object | None:
            tick()
            assign(frame, item)
            return body(frame)

        def run_series(frame: Frame, series: Series) -> object | None:
            if not loops:
                loops.append(Loop(node.body, node.target))
            signal = run_loop(self, loops[0], frame, series, partial(run_iteration, frame))
            if signal is not None:
                return None if signal is BREAK else signal
            return orelse(frame)

        def execute(frame: Frame) -> object | None:
            frame.line = line
            finish = None
            try:
                iterable = source(frame)
                series = series_of(iterable)
                if series is not None:
                    return run_series(frame, series)
                if numeric is not None:
                    finish = numeric.start(frame, iterable, run_items)
                    if finish is None:
                        return None
                if type(iterable) is Unknown:
                    return run_unknown(frame, assumed(iterable))
                ordered = in_order(iterable)
                items = iter(ordered)
            except Undecidable as undecidable:
                assign(frame, undecidable.unknown)
                self._forget(frame, node.body, undecidable.unknown)
                return None
            if ordered is not iterable:
                with session.current().in_any_order():
                    return run_items(frame, items, finish)
            return run_items(frame, items, finish)

        def run_unknown(frame: Frame, iterable: Any) -> object | None:
            if type(iterable) is not Unknown:
                return run_items(frame, iter(iterable), None)
            items = unknown_items(iterable, node.iter, frame)
            while True:
                try:
                    item = next(items, END)
                except Undecidable as undecidable:
                    assign(frame, undecidable.unknown)
                    self._forget(frame, node.body, undecidable.unknown)
                    return None
                if item is END:
                    return orelse(frame)
                assign(frame, item)
                signal = body(frame)
                if signal is BREAK:
                    return None
                if signal is RETURN:
                    return signal

        def run_items(frame: Frame, items: Iterator[Any], finish: Callable[[], None] | None) -> object | None:
            here = session.current()
            for item in items:
                tick()
                assign(frame, item)
                signal = body(frame)
                if here.loop_exit is not None:
                    self._end_settled_loop(frame, node.body, here)
                    return None
                if signal is not None:
                    if signal is BREAK:
                        return None
                    if signal is RETURN:
                        return signal
            if finish is not None:
                finish()
            return orelse(frame)

        return execute

    def _end_settled_loop(self, frame: Frame, body: list[ast.stmt], here: session.Session) -> None:
        """End a loop whose iterations have settled: what it counts and collects is unknown, the rest is unchanged."""
        unknown, here.loop_exit = here.loop_exit, None
        assert unknown is not None
        for name in assigned(body):
            if isinstance(
                self.current_value(frame, ast.Name(name, ast.Load())), (int, float, str, list, dict, set, tuple)
            ):
                assign_target(self, ast.Name(name, ast.Store()))(frame, unknown)
