"""`while` and `for`."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial
from operator import length_hint
from typing import Any

from cutaway.core import session
from cutaway.core.admission import CHECKS, admit
from cutaway.core.condition import DATA, Decision
from cutaway.core.loop.series import Repeat, Series
from cutaway.core.place import Place
from cutaway.core.protocols import is_joinable, is_module
from cutaway.core.unknown import (
    MoreItems,
    Undecidable,
    Unknown,
    assumed,
    conditions_left_open,
    decisions,
    derived_unknown,
)
from cutaway.interp.boundary.joining import any_number_of_times, join_alternatives
from cutaway.interp.compile.assignment import assign_target
from cutaway.interp.compile.expressions.operators import is_pure
from cutaway.interp.compile.statements.undecided import UndecidedCode
from cutaway.interp.run.budget import tick
from cutaway.interp.run.choice import MOST_ITERATIONS, unknown_items
from cutaway.interp.run.frame import BREAK, CONTINUE, RETURN, Execute, Frame
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.iteration import MOST_UNKNOWN, in_order, is_endless
from cutaway.interp.run.origin import iterator
from cutaway.interp.run.truth import is_own, settle, truth_of
from cutaway.interp.symbolic.numeric_loop import numeric_loop
from cutaway.interp.symbolic.symbolic_loop import Loop, run_loop, series_of
from cutaway.syntax.scope import assigned

END = object()

MOST_ENDLESS = 20_000
"""Iterations of a `while`, or of a `for` over an iterator without end, that nothing but its body ends."""

MOST_ENDLESS_VALUES = 2_000
"""Tensors that such a loop makes, those of layers among them."""

MOST_OPEN_EXITS = 8
"""Iterations that a `while` may have been left in, where that is unknown, before the rest are joined."""

MOST_OPEN_ITERATIONS = 4
"""Iterations with an inner loop that runs an unknown number of times, before `MANY_ITEMS` or more of them are joined."""
MANY_ITEMS = 24
MOST_TRAINING = 3
"""Iterations in which something is trained: the others do the same."""

MOST_ITEMS = 200_000
"""Items of an iterator without a length."""

MOST_VALUES = 20_000
"""Tensors that a loop over one makes."""


class Loops(UndecidedCode):
    """Compiles loops."""

    def _While(self, node: ast.While) -> Execute:
        test, line = self.test(node.test), node.lineno
        body, orelse = self.block(node.body), self.block(node.orelse)

        is_simple = is_pure(node.test)
        ends_early = _ends_early(node)
        has_no_end = isinstance(node.test, ast.Constant) and bool(node.test.value)

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

        def tested_body(frame: Frame) -> object | None:
            signal = body(frame)
            if signal is None or signal is CONTINUE:
                test(frame)  # it may change something, too
            return signal

        def execute(frame: Frame) -> object | None:
            here = session.current()
            followed, start, values = 0, len(frame.alternatives or ()), here.values
            for count in itertools.count():
                tick()
                frame.line = line
                if count > MOST_ENDLESS or here.values - values > MOST_ENDLESS_VALUES:
                    raise self.unfinished(frame, count - 1, node, has_no_end)
                if frame.alternatives and len(frame.alternatives) - start >= MOST_OPEN_EXITS:
                    any_number_of_times(frame, tested_body, frame.alternatives[-1].unknown)
                    join_alternatives(frame, start, (BREAK,))
                    return None
                before = len(decisions().taken)
                truth = tested(frame, followed)
                followed += len(decisions().taken) > before
                if truth is False:
                    return left_loop(frame, start, orelse(frame))
                if truth is not True:
                    if not self._run_representative_iteration(frame, node, truth, body):
                        any_number_of_times(frame, tested_body, truth)
                        join_alternatives(frame, start, (BREAK,))
                    return None
                signal = body(frame)
                if here.loop_exit is not None:
                    self.end_settled_loop(frame, node.body, here)
                    return None
                if ends_loop(frame, start, signal):
                    return left_loop(frame, start, signal)
            raise AssertionError("counting does not end")

        return execute

    def unfinished(self, frame: Frame, most: int, node: ast.For | ast.While, has_no_end: bool) -> Undecidable:
        """Return what ends a loop that may have no end: nothing of the program tells how often it runs.

        Nothing comes after one that `has_no_end` and is not left, unless it raises an exception and the program handles
        that. So what was built before stays known, but for what its calls and assignments may add to.
        """
        place = Place(frame.file, frame.line)
        unknown = session.current().unknown(f"the loop has not ended after {most:,} iterations", None, place)
        is_last = has_no_end and not _ends_early(node) and not interpreter().guarded
        for child in ast.walk(node) if is_last else ():
            match child:
                case ast.Call(ast.Attribute(changed)) | ast.AugAssign(changed):
                    value = self.current_value(frame, changed)
                    if is_module(value):
                        value.mark_incomplete(unknown)
        return Undecidable(unknown, is_last=is_last)

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
        return _ForLoop(self, node).execute

    def end_settled_loop(self, frame: Frame, body: list[ast.stmt], here: session.Session) -> None:
        """End a loop whose iterations have settled: what it counts and collects is unknown, the rest is unchanged."""
        unknown, here.loop_exit = here.loop_exit, None
        assert unknown is not None
        for name in assigned(body):
            if isinstance(
                self.current_value(frame, ast.Name(name, ast.Load())), (int, float, str, list, dict, set, tuple)
            ):
                assign_target(self, ast.Name(name, ast.Store()))(frame, unknown)


class _ForLoop:
    """A `for` statement."""

    def __init__(self, compiler: Loops, node: ast.For) -> None:
        self.compiler, self.node = compiler, node
        self.source = compiler.expression(node.iter)
        self.assign = assign_target(compiler, node.target)
        self.numeric = None if compiler.in_numeric_loop else numeric_loop(node, compiler.scope)
        outer, compiler.in_numeric_loop = compiler.in_numeric_loop, compiler.in_numeric_loop or self.numeric is not None
        self.body, self.orelse = compiler.block(node.body), compiler.block(node.orelse)
        compiler.in_numeric_loop = outer
        self.loop: Loop | None = None

    def execute(self, frame: Frame) -> object | None:
        """Run the statement."""
        frame.line = self.node.lineno
        finish = None
        iterable: Any = None
        try:
            iterable = assumed(self.source(frame))
            series = series_of(iterable)
            if series is not None:
                return self._run_series(frame, series)
            if self.numeric is not None:
                finish = self.numeric.start(frame, iterable, self._run_items)
                if finish is None:
                    return None
            if type(iterable) is Unknown:
                return self._run_unknown(frame, iterable)
            ordered = in_order(iterable)
            source = iterator(ordered)
            items = source if hasattr(type(ordered), "__len__") else _Known(self._limited(source, frame))
        except Undecidable as undecidable:
            return self._run_any_number(frame, undecidable.unknown, iterable)
        if ordered is not iterable:
            with session.current().in_any_order():
                return self._run_items(frame, items, finish)
        return self._run_items(frame, items, finish)

    def _run_iteration(self, frame: Frame, item: Any) -> object | None:
        tick()
        self.assign(frame, admit(item))
        return self.body(frame)

    def _run_series(self, frame: Frame, series: Series) -> object | None:
        if self.loop is None:
            self.loop = Loop(self.node.body, self.node.target)
        signal = run_loop(self.compiler, self.loop, frame, series, partial(self._run_iteration, frame))
        if signal is not None:
            return None if signal is BREAK else signal
        return self.orelse(frame)

    def _run_any_number(self, frame: Frame, unknown: Unknown, iterable: Any = None) -> object | None:
        def iterate(inner: Frame) -> object | None:
            item = iterable.any_item() if is_joinable(iterable) else None
            return self._run_iteration(inner, derived_unknown(unknown) if item is None else item)

        start = len(frame.alternatives or ())
        any_number_of_times(frame, iterate, unknown)
        join_alternatives(frame, start, (BREAK,))
        return None

    def _run_unknown(self, frame: Frame, iterable: Unknown) -> object | None:
        """Iterate over something unknown: none, one, two ... times in different runs."""
        items = unknown_items(iterable, self.node.iter, frame)
        start = len(frame.alternatives or ())
        while True:
            try:
                item = next(items, END)
            except Undecidable as undecidable:
                return self._run_any_number(frame, undecidable.unknown)
            if item is END:
                return left_loop(frame, start, self.orelse(frame))
            signal = self._run_iteration(frame, item)
            if ends_loop(frame, start, signal):
                return left_loop(frame, start, signal)

    def _limited(self, items: Iterator[Any], frame: Frame) -> Iterator[Any]:
        """Yield items until there are so many, or the loop makes so many tensors, that they may have no end."""
        here = session.current()
        values = here.values
        most, most_values = (MOST_ENDLESS, MOST_ENDLESS_VALUES) if is_endless(items) else (MOST_ITEMS, MOST_VALUES)
        for count, item in enumerate(items):
            if count > most or here.values - values > most_values:
                raise self.compiler.unfinished(frame, count - 1, self.node, is_endless(items))
            yield item

    def _run_items(self, frame: Frame, items: Iterable[Any], finish: Callable[[], None] | None) -> object | None:
        here = session.current()
        start = len(frame.alternatives or ())
        assign, body = self.assign, self.body
        unknown, open_iterations, trained, running = 0, 0, 0, interpreter()
        steps = here.training_steps
        for item in items:
            tick()
            if open_iterations >= MOST_OPEN_ITERATIONS and length_hint(items) >= MANY_ITEMS:
                place = Place(frame.file, self.node.lineno)
                return self._run_any_number(frame, Unknown("how a loop goes on is unknown", place))
            loops = running.unknown_loops
            if type(item) is Unknown:
                unknown += 1
                if unknown > MOST_UNKNOWN:
                    return self._run_any_number(frame, item)
            check = CHECKS[type(item)]
            assign(frame, item if check is None else check(item))
            signal = body(frame)
            open_iterations += running.unknown_loops > loops
            if here.loop_exit is not None:
                self.compiler.end_settled_loop(frame, self.node.body, here)
                return None
            if (signal is not None or frame.alternatives) and ends_loop(frame, start, signal):
                return left_loop(frame, start, signal)
            if here.training_steps != steps:
                trained, steps = trained + 1, here.training_steps
                if trained == MOST_TRAINING:
                    return self._run_rest_of_training(frame)
        if here.loop_exit is not None:  # the items that are left out would be like these
            self.compiler.end_settled_loop(frame, self.node.body, here)
            return None
        if finish is not None:
            finish()
        if type(items) is _Known and items.rest is not None:
            return self._run_any_number(frame, items.rest)
        return left_loop(frame, start, self.orelse(frame))

    def _run_rest_of_training(self, frame: Frame) -> object | None:
        """Run the iterations of a training that are left: any number of them, on items that are not known.

        Where that can't be followed, or gradients are, it is presumed that they change nothing else than the first ones.
        """
        here = session.current()
        if not here.modules and not here.follows_gradients:
            unknown = Unknown("how the training loop ends is not known", Place(frame.file, self.node.lineno))
            start, item = len(frame.alternatives or ()), derived_unknown(unknown)
            with suppress(Undecidable):
                any_number_of_times(frame, lambda inner: self._run_iteration(inner, item), unknown, repeats=True)
                join_alternatives(frame, start, (BREAK,))
                return None
        here.loop_exit = _trained(here, frame)
        self.compiler.end_settled_loop(frame, self.node.body, here)
        return None


class _Known:
    """Items that are known; `rest` is then why there may be more than these."""

    def __init__(self, items: Iterator[Any]) -> None:
        self.items = items
        self.rest: Unknown | None = None

    def __iter__(self) -> Iterator[Any]:
        try:
            yield from self.items
        except MoreItems as more:
            self.rest = more.unknown


def _trained(here: session.Session, frame: Frame) -> Unknown:
    """Return what a training loop sets that is not followed to its end."""
    here.presume(
        f"the training loop goes on as it began after {MOST_TRAINING} iterations",
        frame.place,
        doubt="how the training loop goes on",
    )
    return Unknown("how the training loop ends is not known", frame.place)


def _ends_early(node: ast.For | ast.While) -> bool:
    """Tell whether something in the body of a loop leaves it."""
    return any(isinstance(child, (ast.Break, ast.Return)) for part in node.body for child in ast.walk(part))


def ends_loop(frame: Frame, start: int, signal: object | None) -> bool:
    """Tell whether a loop ends after an iteration; states in which that was left early are joined."""
    join_alternatives(frame, start, (CONTINUE,))
    return signal is BREAK or signal is RETURN


def left_loop(frame: Frame, start: int, signal: object | None) -> object | None:
    """Return how the statement ends after a loop was left: states in which it was left before are joined."""
    if frame.alternatives and signal is RETURN and any(one.signal is BREAK for one in frame.alternatives[start:]):
        raise Undecidable(frame.alternatives[-1].unknown)  # what follows the loop may be run, or not
    join_alternatives(frame, start, (BREAK,))
    return None if signal is BREAK else signal
