"""Compilation of blocks of statements."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp.compile.expressions.expression import ExpressionCompiler
from cutaway.interp.run.frame import Execute, Frame, no_statements


class BlockCompiler(ExpressionCompiler):
    """Compiles statements one by one, and blocks of them."""

    in_try = False  # inside a `try` with handlers
    in_numeric_loop = False  # inside a loop that is computed as a whole

    def statement(self, node: ast.stmt) -> Execute:
        """Return the closure that executes `node`."""
        compile_node: Callable[[Any], Execute] | None = getattr(self, f"_{type(node).__name__}", None)
        if compile_node is None:
            reason = f"{type(node).__name__.lower()} statements are not interpreted"

            def unsupported(frame: Frame) -> None:
                raise Undecidable(Unknown(reason, frame.place))

            return unsupported
        return compile_node(node)

    def block(self, nodes: Iterable[ast.stmt]) -> Execute:
        """Return the closure that executes statements in order."""
        statements = [self.statement(node) for node in nodes if not _is_constant(node)]
        if not statements:
            return no_statements
        if len(statements) == 1:
            return statements[0]

        def execute(frame: Frame) -> object | None:
            for statement in statements:
                signal = statement(frame)
                if signal is not None:
                    return signal
            return None

        return execute


def _is_constant(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
