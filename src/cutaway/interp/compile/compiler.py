"""The compiler of Python as the rest of the interpreter uses it: from syntax trees to closures."""

from __future__ import annotations

import ast
from collections.abc import Callable, Generator
from typing import Any

from cutaway.core.unknown import Unknown
from cutaway.interp.compile.statements.statement import StatementCompiler
from cutaway.interp.run.frame import RETURN, Evaluate, Execute, Frame
from cutaway.interp.run.function import Code
from cutaway.syntax.scope import Scope, of_function


class PythonCompiler:
    """Compiles functions, statements and expressions. It has no state: all analyses share `PYTHON`."""

    def body(self, code: Code) -> Execute:
        """Compile the body of a function."""
        compiler = self._body_compiler(code)
        if isinstance(code.node, ast.Lambda):
            return _return_value(compiler.expression(code.node.body))
        return compiler.block(code.node.body)

    def generator(self, code: Code) -> Callable[[Frame], Generator[Any, Any, Any]]:
        """Compile the body of a generator."""
        from cutaway.interp.compile.generators.generator import GeneratorCompiler  # late: few functions are generators

        scope, body = of_function(code.node, code.enclosing, code.owner), code.node.body
        if isinstance(body, ast.expr):
            body = [ast.copy_location(ast.Return(body), body)]
        return GeneratorCompiler(scope, code.file, self, code.owner).function(body)

    def statement(self, node: ast.stmt, scope: Scope, file: str) -> Execute:
        """Compile a statement."""
        return StatementCompiler(scope, file, self).statement(node)

    def expression(self, node: ast.expr, scope: Scope, file: str) -> Evaluate:
        """Compile a standalone expression."""
        return StatementCompiler(scope, file, self).expression(node)

    def forget(self, nodes: list[ast.stmt], scope: Scope, frame: Frame, unknown: Unknown) -> None:
        """Make unknown what statements that may or may not run would have bound or changed."""
        StatementCompiler(scope, frame.file, self).forget(frame, nodes, unknown)

    def forget_rest(self, code: Code, frame: Frame, unknown: Unknown) -> None:
        """Make unknown what the rest of a body, from the current line on, would change outside of it."""
        if not isinstance(code.node, ast.Lambda):
            self._body_compiler(code).forget_rest(frame, code.node.body, unknown)

    def _body_compiler(self, code: Code) -> StatementCompiler:
        return StatementCompiler(of_function(code.node, code.enclosing, code.owner), code.file, self, code.owner)


PYTHON = PythonCompiler()


def _return_value(value: Evaluate) -> Execute:
    def execute(frame: Frame) -> object:
        frame.value = value(frame)
        return RETURN

    return execute
