"""Training loops in the source of a program, as rules ask about them: optimizers, calls of methods, blocks of statements."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from cutaway.core.program import Program

_OPTIMIZERS = frozenset("Adadelta Adagrad Adam AdamW SparseAdam Adamax ASGD NAdam RAdam RMSprop Rprop SGD".split())


def optimizers(program: Program) -> dict[str, ast.Assign]:
    """Return the variables that are bound to an optimizer of PyTorch, and where."""
    found: dict[str, ast.Assign] = {}
    for node in program.nodes(ast.Assign):
        call = node.value
        if isinstance(call, ast.Call):
            function = call.func
            name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
            if name in _OPTIMIZERS:
                found.update((ast.unparse(target), node) for target in node.targets)
    return found


def method_calls(where: Program | ast.AST, *names: str) -> list[ast.Call]:
    """Return the calls of methods of some names in a program or below a node, in the order of the source."""
    nodes = where.nodes(ast.Call) if isinstance(where, Program) else ast.walk(where)
    calls = [each for each in nodes if isinstance(each, ast.Call) and method(each) in names]
    return sorted(calls, key=lambda call: (call.lineno, call.col_offset))


def method(call: ast.Call) -> str:
    """Return the name of the method that a call is of, an empty string for a function."""
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


def receiver(call: ast.Call) -> str:
    """Return the source of the object that a method is called on."""
    return ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""


def blocks(program: Program) -> Iterator[list[ast.stmt]]:
    """Yield every sequence of statements."""
    for node in ast.walk(program.tree):
        for name in ("body", "orelse", "finalbody"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def called(statement: ast.stmt) -> ast.Call | None:
    """Return the call that a statement consists of."""
    is_call = isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    return statement.value if is_call else None  # type: ignore[attr-defined]


def module_classes(program: Program) -> Iterator[ast.ClassDef]:
    """Yield the classes that derive from `Module` directly."""
    for node in program.nodes(ast.ClassDef):
        names = {base.attr if isinstance(base, ast.Attribute) else getattr(base, "id", "") for base in node.bases}
        if "Module" in names:
            yield node


def uses(program: Program, *attributes: str) -> bool:
    """Tell whether a program mentions one of some attributes anywhere."""
    return any(node.attr in attributes for node in program.nodes(ast.Attribute))
