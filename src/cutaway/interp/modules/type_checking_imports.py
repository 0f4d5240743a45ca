"""Imports that a module states for type checkers alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def type_checking_imports(node: ast.stmt) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports below `if TYPE_CHECKING:`, or below an `or` that includes it."""
    if not isinstance(node, ast.If):
        return
    tests = node.test.values if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.Or) else [node.test]
    if any(ast.unparse(test).rpartition(".")[2] == "TYPE_CHECKING" for test in tests):
        for statement in node.body:
            yield from (child for child in ast.walk(statement) if isinstance(child, (ast.Import, ast.ImportFrom)))
