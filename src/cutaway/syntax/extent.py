"""The expression that a problem in a line is about."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence

from cutaway.core.problem import Extent

_EXPRESSIONS = (ast.Call, ast.BinOp, ast.Subscript, ast.Compare, ast.AugAssign, ast.Attribute, ast.Name)
_OPERATORS: dict[type[ast.operator], tuple[str, ...]] = {
    ast.Add: ("add", "cat"), ast.Sub: ("sub", "subtract"), ast.Mult: ("mul", "multiply"), ast.Div: ("div", "divide"),
    ast.MatMult: ("matmul", "mm", "bmm"), ast.Pow: ("pow",), ast.FloorDiv: ("floor_divide",), ast.Mod: ("remainder",),
}  # fmt: skip


def extent_of(tree: ast.Module, lines: Sequence[str], line: int, names: Iterable[str]) -> Extent:
    """Return the expression in a line that calls one of some names, the likeliest first, or applies such an operator.

    Where there is none, it is the statement, as far as it is in that line.
    """
    nodes = [node for node in ast.walk(tree) if isinstance(node, _EXPRESSIONS) and _touches(node, line)]
    for name in names:
        named = [node for node in nodes if name in _names(node)]
        if named:
            return _extent(min(named, key=_size), lines)
    statements = [node for node in ast.walk(tree) if isinstance(node, ast.stmt) and _touches(node, line)]
    if statements:
        statement = min(statements, key=_size)
        value = getattr(statement, "value", None)
        chosen = value if isinstance(value, ast.expr) and value.lineno <= line <= (value.end_lineno or 0) else statement
        if chosen.lineno == line and chosen.end_lineno is not None and chosen.end_lineno - line < _LONGEST:
            return _extent(chosen, lines)
    return _whole(lines, line)


_LONGEST = 6  # lines that are underlined


def _touches(node: ast.AST, line: int) -> bool:
    return bool(node.lineno <= line <= (node.end_lineno or node.lineno))  # type: ignore[attr-defined]


def _names(node: ast.AST) -> tuple[str, ...]:
    """Return what an expression calls, or the names of its operator."""
    if isinstance(node, ast.Call):
        function = node.func
        if isinstance(function, ast.Attribute):
            return (function.attr,)
        if isinstance(function, ast.Subscript):
            function = function.value
            return (function.attr,) if isinstance(function, ast.Attribute) else ()
        return (function.id,) if isinstance(function, ast.Name) else ()
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return _OPERATORS.get(type(node.op), ())
    if isinstance(node, ast.Subscript):
        return ("index", "getitem", "indexing")
    if isinstance(node, ast.Attribute):
        return (f".{node.attr}",)
    return (f"name {node.id}",) if isinstance(node, ast.Name) else ()


def _size(node: ast.AST) -> tuple[int, int]:
    first, last = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
    return last - first, (node.end_col_offset or 0) - node.col_offset  # type: ignore[attr-defined]


def _extent(node: ast.AST, lines: Sequence[str]) -> Extent:
    line, end = node.lineno, node.end_lineno or node.lineno  # type: ignore[attr-defined]
    first = _characters(lines, line, node.col_offset)  # type: ignore[attr-defined]
    last = _characters(lines, end, node.end_col_offset or 0)  # type: ignore[attr-defined]
    return Extent(line, first + 1, end, last + 1)


def _characters(lines: Sequence[str], line: int, offset: int) -> int:
    """Return how many characters some bytes of a line are."""
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    return len(text.encode()[:offset].decode("utf-8", "ignore"))


def _whole(lines: Sequence[str], line: int) -> Extent:
    text = lines[line - 1] if 0 < line <= len(lines) else ""
    start = len(text) - len(text.lstrip())
    return Extent(line, start + 1, line, max(start, len(text.rstrip())) + 1)


def assigned_at(tree: ast.Module, line: int) -> list[str]:
    """Return the variables and attributes that a statement in a line assigns."""
    names: list[str] = []
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AnnAssign)) and _touches(node, line):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Attribute):
                    names.append(target.attr)
                elif isinstance(target, ast.Name):
                    names.append(target.id)
    return names
