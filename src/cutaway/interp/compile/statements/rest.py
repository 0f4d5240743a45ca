"""The rest of a body that is given up, in pieces that can be run by themselves."""

from __future__ import annotations

import ast
from collections.abc import Iterator

_PASS: list[ast.stmt] = [ast.Pass(lineno=0, col_offset=0)]
_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Global, ast.Nonlocal, ast.Pass)


def pieces(nodes: list[ast.stmt], start: int) -> Iterator[ast.stmt]:
    """Yield what statements from a line on consist of, in order: statements without the ones inside of them."""
    for node in nodes:
        if (node.end_lineno or 0) < start:
            continue
        if node.lineno >= start:
            yield from _own(node)
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            for field in ("body", "orelse", "finalbody"):
                yield from pieces(getattr(node, field, []), start)
            for part in (*getattr(node, "handlers", []), *getattr(node, "cases", [])):
                yield from pieces(part.body, start)


def _own(node: ast.stmt) -> Iterator[ast.stmt]:
    """Yield what a statement does itself."""
    match node:
        case ast.If(test) | ast.While(test):
            yield _copied(node, ast.If(test, _PASS, []))
        case ast.For(target, iterable):
            yield _copied(node, ast.For(target, iterable, _PASS, []))
        case ast.With(items):
            yield _copied(node, ast.With(items, _PASS))
        case ast.Match(subject, cases):
            yield _copied(node, ast.Match(subject, [ast.match_case(case.pattern, case.guard, _PASS) for case in cases]))
        case ast.Try() | ast.AsyncFor() | ast.AsyncWith():
            return
        case _ if isinstance(node, _LEAVING):
            yield from expressions(node)
        case _:
            yield node


def expressions(node: ast.AST) -> Iterator[ast.stmt]:
    """Yield the expressions directly inside of a node, each as a statement."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.expr):
            if not isinstance(child, ast.Starred) and isinstance(getattr(child, "ctx", None), (ast.Store, ast.Del)):
                continue
            inner = child.value if isinstance(child, ast.Starred) else child
            if not isinstance(inner, (ast.Constant, ast.Name)):
                yield _copied(inner, ast.Expr(inner))
        elif isinstance(child, (ast.keyword, ast.comprehension)):
            yield from expressions(child)


def _copied(old: ast.AST, new: ast.stmt) -> ast.stmt:
    return ast.copy_location(new, old)
