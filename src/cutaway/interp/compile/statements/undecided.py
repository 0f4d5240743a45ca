"""Code that may or may not run: what it would bind or change becomes unknown."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from cutaway.core import session
from cutaway.core.protocols import is_module
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp.boundary.attributes import is_target_instance, set_attribute
from cutaway.interp.boundary.call import may_be_called
from cutaway.interp.boundary.joining import any_number_of_times
from cutaway.interp.boundary.losing import lose, lose_contents, lose_part
from cutaway.interp.compile.assignment import assign_target
from cutaway.interp.compile.statements.block import BlockCompiler
from cutaway.interp.compile.statements.rest import expressions, pieces
from cutaway.interp.run.frame import Frame
from cutaway.interp.run.function import record_of
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.raising import SIGNALS
from cutaway.interp.symbolic.symbolic_loop import ADDING_METHODS
from cutaway.knowledge.base.framework import adds_part, only_reads
from cutaway.knowledge.base.registry import ARRAYS
from cutaway.syntax.scope import assigned, yields

_MOST_RESTS = (
    24  # run in an analysis: functions that are given up and call one another run each other's ever more often
)


class UndecidedCode(BlockCompiler):
    """Makes unknown what code that can't be followed to its end would change."""

    def forget(self, frame: Frame, nodes: list[ast.stmt], unknown: Unknown) -> None:
        """Make unknown what statements would bind or change."""
        for name in assigned(nodes):
            assign_target(self, ast.Name(name, ast.Store()))(frame, unknown)
        frame.line = 0
        self.forget_rest(frame, nodes, unknown)

    def forget_rest(self, frame: Frame, nodes: list[ast.stmt], unknown: Unknown) -> None:
        """Make unknown what the rest of a function that is given up would change outside of it."""
        start = frame.line
        every = [child for node in nodes for child in ast.walk(node)]
        for child in every:
            if isinstance(child, (ast.For, ast.While)) and child.lineno <= frame.line <= (child.end_lineno or 0):
                start = min(start, child.lineno)
        self._run_rest(frame, nodes, start, unknown)
        for child in every:
            if getattr(child, "lineno", 0) < start:
                continue
            if isinstance(child, ast.Attribute) and isinstance(child.ctx, (ast.Store, ast.Del)):
                owner = self.current_value(frame, child.value, unknown)
                if is_module(owner):
                    lose_part(owner, self.mangle(child.attr), unknown)
                elif owner is not None:
                    with suppress(Exception):
                        set_attribute(owner, self.mangle(child.attr), unknown)
            elif isinstance(child, ast.Subscript) and isinstance(child.ctx, (ast.Store, ast.Del)):
                self._lose_value(frame, child.value, unknown)
            elif isinstance(child, ast.Call):
                callee = self.current_value(frame, child.func)
                if not _is_in_progress(callee):
                    may_be_called(frame, callee, unknown)
                method = getattr(child.func, "attr", "")
                for part in (getattr(child.func, "value", None), *child.args):
                    if part is not None and not only_reads(method):
                        self._lose_value(frame, part, unknown)
                if method in ADDING_METHODS or adds_part(method):
                    self._lose_parts(frame, child.func.value, unknown)  # type: ignore[attr-defined]
            elif isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
                if self.scope.declared.get(self.mangle(child.id)):
                    assign_target(self, child)(frame, unknown)

    def _run_rest(self, frame: Frame, nodes: list[ast.stmt], start: int, unknown: Unknown) -> None:
        """Run each piece of the rest any number of times: what it does by attributes and operators, too, may be done."""
        running = interpreter()
        if id(nodes[0]) in running.given_up or not session.current().in_program():
            return
        is_nested = bool(running.given_up)
        running.rests += 1
        if running.rests > _MOST_RESTS:
            return
        running.given_up.add(id(nodes[0]))
        line = frame.line
        parts = list(pieces(nodes, max(start, 1)))
        try:
            unfinished = self._run_any_number(frame, parts, unknown)
            for part in unfinished if is_nested else parts:  # within another it runs many times as it is
                self._run_piece(frame, part, unknown)
        except (Undecidable, RecursionError):
            pass  # it takes too long, or nests too deeply: what is written in the rest is lost all the same
        finally:
            running.given_up.discard(id(nodes[0]))
            frame.line = line

    def _run_piece(self, frame: Frame, piece: ast.stmt, unknown: Unknown) -> None:
        """Run a statement any number of times; where it does not come to its end, the expressions in it."""
        if self._run_any_number(frame, [piece], unknown):
            for inner in expressions(piece.value if isinstance(piece, ast.Expr) else piece):
                self._run_piece(frame, inner, unknown)

    def _run_any_number(self, frame: Frame, parts: list[ast.stmt], unknown: Unknown) -> list[ast.stmt]:
        """Run statements one after the other, any number of times; return those that don't come to their ends."""
        runnable = [(part, self.statement(part)) for part in parts if not yields(part)]
        unfinished = {id(part) for part in parts if yields(part)}

        def run(inner: Frame) -> None:
            for part, execute in runnable:
                try:
                    execute(inner)
                except (Exception, Undecidable):
                    unfinished.add(id(part))

        any_number_of_times(frame, run, unknown)
        return [part for part in parts if id(part) in unfinished]

    def _lose_parts(self, frame: Frame, node: ast.expr, unknown: Unknown) -> None:
        """Note of a module that parts may have been added to it."""
        value = self.current_value(frame, node)
        if is_module(value):
            value.mark_incomplete(unknown)

    def _lose_value(self, frame: Frame, node: ast.expr, unknown: Unknown) -> None:
        value = self.current_value(frame, node, unknown)
        if isinstance(value, (list, dict, set, deque, bytearray)) or type(value) in ARRAYS:
            lose_contents(value, unknown)
        elif is_target_instance(value) and not is_module(value):
            lose([value], unknown)

    def assign(self, node: ast.expr) -> Callable[[Frame, Any], None]:
        """Return the closure that stores a value into an assignment target."""
        return assign_target(self, node)

    def current_value(self, frame: Frame, node: ast.expr, unknown: Unknown | None = None) -> Any:
        """Return the current value of a name, or of what it leads to; None if it is undefined or unknown.

        Where `unknown` is given, functions of the target on the way are run, and what they do may be done or not.
        """
        root, calls = node, False
        while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
            if isinstance(root, ast.Subscript) and _has_effects(root.slice):
                return None
            calls = calls or isinstance(root, ast.Call)
            root = root.func if isinstance(root, ast.Call) else root.value
        if not isinstance(root, ast.Name) or (calls and (unknown is None or yields(node))):
            return None
        value: Any = None

        def evaluate(inner: Frame) -> None:
            nonlocal value
            value = self.expression(node)(inner)

        try:
            if calls and unknown is not None:
                any_number_of_times(frame, evaluate, unknown)
            else:
                evaluate(frame)
        except (Exception, Undecidable):
            return None
        return None if type(value) is Unknown else value


def _has_effects(node: ast.expr) -> bool:
    return any(isinstance(part, (ast.Call, ast.NamedExpr, ast.Await)) for part in ast.walk(node)) or yields(node)


def _is_in_progress(function: Any) -> bool:
    """Tell whether a function of the target is being called."""
    record = record_of(getattr(function, "__func__", function))
    running = (frame.function for frame in interpreter().stack)
    return record is not None and any(one is not None and one.code is record.code for one in running)


def raises(body: list[ast.stmt]) -> bool:
    """Tell whether statements end with a `raise`."""
    return bool(body) and isinstance(body[-1], ast.Raise)


_SIGNALS = frozenset(kind.__name__ for kind in SIGNALS)


def is_check(body: list[ast.stmt]) -> bool:
    """Tell whether statements end the program with an exception, unlike one that Python itself catches as a signal."""
    if not raises(body):
        return False
    statement = cast(ast.Raise, body[-1])
    error = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
    return not (isinstance(error, ast.Name) and error.id in _SIGNALS)
