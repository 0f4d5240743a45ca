"""Compilation of generator bodies to closures that are host generators.

Only statements that contain a `yield` need this form; the others are compiled as usual. A `yield`
inside a larger expression is moved in front of it (`yields.py`).
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Callable, Generator
from typing import Any

from cutaway.core.admission import admit
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp.compile.assignment import assign_target
from cutaway.interp.compile.generators.yields import Hoist, is_plain_yield, targets_of
from cutaway.interp.compile.statements.exceptions import (
    UNCATCHABLE,
    can_catch,
    enter,
    matches,
    note_missing,
    seen_by_target,
)
from cutaway.interp.compile.statements.pattern import compile_pattern
from cutaway.interp.compile.statements.statement import StatementCompiler
from cutaway.interp.run.budget import tick
from cutaway.interp.run.frame import BREAK, RETURN, Frame, WrappedGeneratorExit, WrappedStopIteration
from cutaway.interp.run.function import FunctionCompiler
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.raising import check_raised
from cutaway.interp.run.truth import decide
from cutaway.syntax.scope import Scope, yields

Steps = Callable[[Frame], "Generator[Any, Any, Any]"]
"""A compiled statement that yields; it returns a signal, as any statement does."""


class GeneratorCompiler(StatementCompiler):
    """Compiles the body of one generator function."""

    def __init__(self, scope: Scope, file: str, function_compiler: FunctionCompiler, owner: str = "") -> None:
        super().__init__(scope, file, function_compiler, owner)
        self.hoist = Hoist()

    def function(self, body: list[ast.stmt]) -> Steps:
        """Return the closure that runs the whole body."""
        run = self.steps(body)

        def generate(frame: Frame) -> Generator[Any, Any, Any]:
            stop: StopIteration | None = None
            try:
                signal = yield from run(frame)
            except WrappedStopIteration as wrapped:
                stop = wrapped.error
            if stop is not None:
                raise RuntimeError("generator raised StopIteration") from stop
            return frame.value if signal is RETURN else None

        return generate

    def steps(self, nodes: list[ast.stmt]) -> Steps:
        """Compile statements in order."""
        parts: list[tuple[bool, Any]] = [
            (True, self._yielding_statement(node))
            if yields(node)
            else (False, wrapping_stop_iteration(self.statement(node)))
            for node in nodes
        ]

        def run(frame: Frame) -> Generator[Any, Any, Any]:
            for is_yielding, part in parts:
                signal = (yield from part(frame)) if is_yielding else part(frame)
                if frame.alternatives:
                    raise Undecidable(frame.alternatives[-1].unknown)  # whether it goes on is unknown
                if signal is not None:
                    return signal
            return None

        return run

    def _yielding_statement(self, node: ast.stmt) -> Steps:
        compile_node = getattr(self, f"_step_{type(node).__name__}", None)
        if compile_node is not None:
            steps: Steps = compile_node(node)
            return steps
        if is_plain_yield(node):
            return self._yield_assignment(node)
        rest = self.hoist.statement(node)
        self.scope.bound.update(self.hoist.names)
        return self.steps(rest)

    def _yield_assignment(self, node: Any) -> Steps:
        """Compile `name = yield ...`."""
        yield_value = self._yield(node.value)
        assigns = [wrapping_stop_iteration(assign_target(self, target)) for target in targets_of(node)]

        def run(frame: Frame) -> Generator[Any, Any, Any]:
            value = yield from yield_value(frame)
            for assign in assigns:
                assign(frame, value)

        return run

    def _yielding_expression(self, node: ast.expr) -> Steps:
        """Compile an expression that may contain yields; the closure returns its value."""
        before, rest = self.hoist.expression(node)
        self.scope.bound.update(self.hoist.names)
        run, value = self.steps(before), wrapping_stop_iteration(self.expression(rest))

        def evaluate(frame: Frame) -> Generator[Any, Any, Any]:
            yield from run(frame)
            return value(frame)

        return evaluate

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> Steps:
        value = wrapping_stop_iteration(self.expression(node.value)) if node.value else None
        line = node.lineno
        if isinstance(node, ast.YieldFrom):

            def delegate(frame: Frame) -> Generator[Any, Any, Any]:
                assert value is not None
                frame.line = line
                source = value(frame)
                if isinstance(source, Unknown):
                    raise Undecidable(source)
                result = yield from _yield_from(iter(source))
                return result

            return delegate

        def yield_value(frame: Frame) -> Generator[Any, Any, Any]:
            frame.line = line
            item = value(frame) if value else None
            thrown: BaseException | None = None
            try:
                sent = yield item
            except WrappedGeneratorExit as wrapped:
                thrown = wrapped.error
            except StopIteration as stop:
                thrown = WrappedStopIteration(stop)
            if thrown is not None:
                raise thrown
            return sent

        return yield_value

    def _step_If(self, node: ast.If) -> Steps:
        test, body, orelse = self._yielding_expression(node.test), self.steps(node.body), self.steps(node.orelse)
        line = node.lineno

        def run(frame: Frame) -> Generator[Any, Any, Any]:
            frame.line = line
            truth = decide((yield from test(frame)), node.test, frame)
            signal = yield from (body if truth else orelse)(frame)
            return signal

        return run

    def _step_While(self, node: ast.While) -> Steps:
        test, body, orelse = self._yielding_expression(node.test), self.steps(node.body), self.steps(node.orelse)
        line = node.lineno

        def run(frame: Frame) -> Generator[Any, Any, Any]:
            while True:
                tick()
                frame.line = line
                if not decide((yield from test(frame)), node.test, frame):
                    break
                signal = yield from body(frame)
                if signal is BREAK:
                    return None
                if signal is RETURN:
                    return signal
            signal = yield from orelse(frame)
            return signal

        return run

    def _step_For(self, node: ast.For) -> Steps:
        source, assign = self._yielding_expression(node.iter), wrapping_stop_iteration(assign_target(self, node.target))
        body, orelse = self.steps(node.body), self.steps(node.orelse)
        line = node.lineno

        def run(frame: Frame) -> Generator[Any, Any, Any]:
            frame.line = line
            items = yield from source(frame)
            for item in items:
                tick()
                assign(frame, admit(item))
                signal = yield from body(frame)
                if signal is BREAK:
                    return None
                if signal is RETURN:
                    return signal
            signal = yield from orelse(frame)
            return signal

        return run

    def _step_Match(self, node: ast.Match) -> Steps:
        subject = self._yielding_expression(node.subject)
        cases = [
            (
                wrapping_stop_iteration(compile_pattern(self, case.pattern)),
                self._yielding_expression(case.guard) if case.guard else None,
                self.steps(case.body),
                case.guard,
            )
            for case in node.cases
        ]
        line = node.lineno

        def run(frame: Frame) -> Generator[Any, Any, Any]:
            frame.line = line
            value = yield from subject(frame)
            for matches_pattern, guard, body, written in cases:
                if matches_pattern(frame, value) and (
                    guard is None or written is None or decide((yield from guard(frame)), written, frame)
                ):
                    signal = yield from body(frame)
                    return signal
            return None

        return run

    def _step_With(self, node: ast.With) -> Steps:
        run = self.steps(node.body)
        for item in reversed(node.items):
            run = self._step_managed(item, run)
        return run

    def _step_managed(self, item: ast.withitem, body: Steps) -> Steps:
        context = self._yielding_expression(item.context_expr)
        assign = assign_target(self, item.optional_vars) if item.optional_vars else None

        def run(frame: Frame) -> Generator[Any, Any, Any]:
            manager = yield from context(frame)
            if isinstance(manager, Unknown):
                if assign is not None:
                    assign(frame, manager)
                signal = yield from body(frame)
                return signal
            may_catch = can_catch(manager)
            leave, value = enter(manager)
            try:
                if assign is not None:
                    assign(frame, admit(value))
                steps = body(frame)
                signal = yield from (_tracking_handlers(steps) if may_catch else steps)
            except UNCATCHABLE:
                leave(None)
                raise
            except BaseException as error:
                if not leave(_unwrapped(error)):
                    raise
                return None
            returned = frame.value
            leave(None)
            frame.value = returned
            return signal

        return run

    def _step_Try(self, node: ast.Try) -> Steps:
        outer, self.in_try = self.in_try, self.in_try or bool(node.handlers)
        body = self.steps(node.body)
        self.in_try = outer
        handlers = [
            (self.expression(h.type) if h.type else None, self.exception_target(h.name), self.steps(h.body))
            for h in node.handlers
        ]
        orelse, final = self.steps(node.orelse), self.steps(node.finalbody) if node.finalbody else None

        def attempt(frame: Frame) -> Generator[Any, Any, Any]:
            try:
                signal = yield from _tracking_handlers(body(frame))
            except UNCATCHABLE:
                raise
            except BaseException as error:
                unwrapped = _unwrapped(error)
                note_missing(unwrapped, frame, node.lineno)
                for classes, exception_target, handle in handlers:
                    if classes is not None and not matches(unwrapped, classes(frame)):
                        continue
                    if exception_target is not None:
                        namespace_of, name = exception_target
                        namespace_of(frame)[name] = seen_by_target(unwrapped)
                    interpreter().handling.append(unwrapped)
                    try:
                        signal = yield from handle(frame)
                        return signal
                    finally:
                        interpreter().handling.pop()
                        if exception_target is not None:
                            namespace_of(frame).pop(name, None)
                raise
            if signal is None:
                signal = yield from orelse(frame)
            return signal

        if final is None:
            return attempt

        def run(frame: Frame) -> Generator[Any, Any, Any]:
            try:
                signal = yield from attempt(frame)
            except UNCATCHABLE:
                yield from final(frame)
                raise
            except BaseException:
                ending = yield from final(frame)
                if ending is None:
                    raise
                return ending
            value = frame.value
            ending = yield from final(frame)
            if ending is not None:
                return ending
            frame.value = value
            return signal

        return run


def _tracking_handlers(steps: Generator[Any, Any, Any]) -> Generator[Any, Any, Any]:
    """Run steps whose exceptions the target handles: not what others do while the generator waits."""
    resume: Callable[[], Any] = steps.__next__
    while True:
        running = interpreter()
        start = len(running.raised)
        running.guarded += 1
        try:
            item = resume()
        except StopIteration as stop:
            check_raised(start)  # a generator can't be run again from a former state
            return stop.value
        finally:
            running.guarded -= 1
        check_raised(start)  # a generator can't be run again from a former state
        try:
            sent = yield item
            resume = functools.partial(steps.send, sent)
        except BaseException as error:
            resume = functools.partial(steps.throw, error)


def wrapping_stop_iteration(evaluate: Callable[..., Any]) -> Callable[..., Any]:
    """Return a closure that wraps a `StopIteration` of the target, which could not pass through host generators."""

    def run(*args: Any) -> Any:
        try:
            return evaluate(*args)
        except StopIteration as stop:
            raise WrappedStopIteration(stop) from None

    return run


def _unwrapped(error: BaseException) -> BaseException:
    """Return an exception as the target sees it."""
    return error.error if isinstance(error, WrappedStopIteration) else error


def _yield_from(inner: Any) -> Generator[Any, Any, Any]:
    """`yield from inner`; closing the outer generator closes the inner one."""
    resume: Callable[[], Any] = inner.__next__
    while True:
        try:
            item = resume()
        except StopIteration as stop:
            return stop.value
        thrown: BaseException | None = None
        sent = None
        try:
            sent = yield item
        except WrappedGeneratorExit as wrapped:
            thrown = wrapped.error
        except BaseException as error:
            thrown = error
        if isinstance(thrown, GeneratorExit):
            if hasattr(inner, "close"):
                inner.close()
            raise thrown
        if thrown is not None:
            if not hasattr(inner, "throw"):
                raise thrown
            resume = functools.partial(inner.throw, thrown)
        else:
            resume = inner.__next__ if sent is None else functools.partial(inner.send, sent)
