"""What a module states for type checkers alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator


def hints(node: ast.stmt) -> Iterator[ast.Import | ast.ImportFrom]:
    """Yield the imports below `if TYPE_CHECKING:`, or below a test of which that is one choice."""
    if not isinstance(node, ast.If):
        return
    either = node.test.values if isinstance(node.test, ast.BoolOp) and isinstance(node.test.op, ast.Or) else [node.test]
    if any(ast.unparse(test).rpartition(".")[2] == "TYPE_CHECKING" for test in either):
        for statement in node.body:
            yield from (child for child in ast.walk(statement) if isinstance(child, (ast.Import, ast.ImportFrom)))
