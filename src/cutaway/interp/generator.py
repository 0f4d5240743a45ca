"""Bodies of generators to closures that are host generators themselves.

Only statements that contain a `yield` need this form; the others are compiled as usual. A `yield`
inside a larger expression is taken out in front of its statement, into a hidden variable.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp.budget import tick
from cutaway.interp.expression import assign_target, decide
from cutaway.interp.frame import BREAK, CONTINUE, RETURN, Frame
from cutaway.interp.scope import yields
from cutaway.interp.statement import CATCHABLE, HANDLING, StatementCompiler, _matches

Steps = Callable[[Frame], "Iterator[Any]"]
"""A compiled statement that yields; its return value is a signal, as of any statement."""


class GeneratorCompiler(StatementCompiler):
    """Compiles the body of one generator function."""

    _hidden = 0

    def function(self, body: list[ast.stmt]) -> Steps:
        """Return the closure that runs the whole body."""
        run = self.steps(body)

        def generate(frame: Frame) -> Iterator[Any]:
            signal = yield from run(frame)
            return frame.value if signal is RETURN else None

        return generate

    def steps(self, nodes: list[ast.stmt]) -> Steps:
        """Compile statements in order."""
        parts: list[tuple[bool, Any]] = [
            (True, self._stepping(node)) if yields(node) else (False, self.statement(node)) for node in nodes
        ]

        def run(frame: Frame) -> Iterator[Any]:
            for stepping, part in parts:
                signal = (yield from part(frame)) if stepping else part(frame)
                if signal is not None:
                    return signal
            return None

        return run

    def _stepping(self, node: ast.stmt) -> Steps:
        compile_node = getattr(self, f"_step_{type(node).__name__}", None)
        if compile_node is not None:
            steps: Steps = compile_node(node)
            return steps
        return self._hoisted(node)

    def _hoisted(self, node: ast.stmt) -> Steps:
        """Take the yields out of a simple statement: each becomes `hidden = yield ...` before it."""
        hoist = _Hoist()
        rest = hoist.visit(node)
        yielding = [(name, self._yield(inner)) for name, inner in hoist.found]
        self.scope.bound.update(name for name, _ in hoist.found)
        execute = self.statement(rest)

        def run(frame: Frame) -> Iterator[Any]:
            for name, give in yielding:
                frame.vars[name] = yield from give(frame)
            return execute(frame)

        return run

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> Steps:
        value = self.expression(node.value) if node.value else None
        line = node.lineno
        if isinstance(node, ast.YieldFrom):

            def delegate(frame: Frame) -> Iterator[Any]:
                assert value is not None
                frame.line = line
                source = value(frame)
                if isinstance(source, Unknown):
                    raise Undecidable(source)
                result = yield from source
                return result

            return delegate

        def give(frame: Frame) -> Iterator[Any]:
            frame.line = line
            sent = yield value(frame) if value else None
            return sent

        return give

    def _step_If(self, node: ast.If) -> Steps:
        if yields(node.test):
            return self._hoisted_test(node)
        test, body, orelse = self.expression(node.test), self.steps(node.body), self.steps(node.orelse)
        line = node.lineno

        def run(frame: Frame) -> Iterator[Any]:
            frame.line = line
            signal = yield from (body if decide(test(frame)) else orelse)(frame)
            return signal

        return run

    def _hoisted_test(self, node: ast.If) -> Steps:
        name = f".test{node.lineno}"
        first = ast.copy_location(ast.Assign([ast.Name(name, ast.Store())], node.test), node)
        self.scope.bound.add(name)
        second = ast.copy_location(ast.If(ast.Name(name, ast.Load()), node.body, node.orelse), node)
        return self.steps([first, second])

    def _step_While(self, node: ast.While) -> Steps:
        test, body, orelse = self.expression(node.test), self.steps(node.body), self.steps(node.orelse)

        def run(frame: Frame) -> Iterator[Any]:
            while decide(test(frame)):
                tick()
                signal = yield from body(frame)
                if signal is BREAK:
                    return None
                if signal is RETURN:
                    return signal
            signal = yield from orelse(frame)
            return signal

        return run

    def _step_For(self, node: ast.For) -> Steps:
        source, assign = self.expression(node.iter), assign_target(self, node.target)
        body, orelse = self.steps(node.body), self.steps(node.orelse)
        line = node.lineno

        def run(frame: Frame) -> Iterator[Any]:
            frame.line = line
            for item in source(frame):
                tick()
                assign(frame, item)
                signal = yield from body(frame)
                if signal is BREAK:
                    return None
                if signal is RETURN:
                    return signal
            signal = yield from orelse(frame)
            return signal

        return run

    def _step_With(self, node: ast.With) -> Steps:
        run = self.steps(node.body)
        for item in reversed(node.items):
            run = self._step_managed(item, run)
        return run

    def _step_managed(self, item: ast.withitem, body: Steps) -> Steps:
        context = self.expression(item.context_expr)
        assign = assign_target(self, item.optional_vars) if item.optional_vars else None

        def run(frame: Frame) -> Iterator[Any]:
            manager = context(frame)
            if isinstance(manager, Unknown):
                if assign is not None:
                    assign(frame, manager)
                signal = yield from body(frame)
                return signal
            value = type(manager).__enter__(manager)
            if assign is not None:
                assign(frame, value)
            try:
                signal = yield from body(frame)
            except CATCHABLE as error:
                if not type(manager).__exit__(manager, type(error), error, None):
                    raise
                return None
            except BaseException:
                type(manager).__exit__(manager, None, None, None)
                raise
            type(manager).__exit__(manager, None, None, None)
            return signal

        return run

    def _step_Try(self, node: ast.Try) -> Steps:
        outer, self.guarded = self.guarded, self.guarded or bool(node.handlers)
        body = self.steps(node.body)
        self.guarded = outer
        handlers = [(self.expression(h.type) if h.type else None, h.name, self.steps(h.body)) for h in node.handlers]
        orelse, final = self.steps(node.orelse), self.steps(node.finalbody)

        def attempt(frame: Frame) -> Iterator[Any]:
            try:
                signal = yield from body(frame)
            except CATCHABLE as error:
                for kinds, name, handle in handlers:
                    if kinds is None or _matches(error, kinds(frame)):
                        if name:
                            frame.vars[name] = error
                        HANDLING.append(error)
                        try:
                            signal = yield from handle(frame)
                            return signal
                        finally:
                            HANDLING.remove(error)
                raise
            if signal is None:
                signal = yield from orelse(frame)
            return signal

        def run(frame: Frame) -> Iterator[Any]:
            try:
                signal = yield from attempt(frame)
            finally:
                ending = yield from final(frame)
            return ending if ending is not None else signal

        return run


class _Hoist(ast.NodeTransformer):
    """Replaces yields by hidden names, innermost first."""

    def __init__(self) -> None:
        self.found: list[tuple[str, Any]] = []

    def _replace(self, node: Any) -> ast.expr:
        self.generic_visit(node)
        name = f".yield{len(self.found)}"
        self.found.append((name, node))
        return ast.copy_location(ast.Name(name, ast.Load()), node)

    visit_Yield = visit_YieldFrom = _replace

    def visit_Lambda(self, node: ast.Lambda) -> ast.expr:
        return node


_ = CONTINUE
