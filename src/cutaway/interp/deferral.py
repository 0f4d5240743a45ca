"""Which definitions of a module can wait until their names are used.

A definition can wait if nothing can tell when it was evaluated: it only binds names that nothing else
in the module binds, and what it reads while it is evaluated is constant or bound once, too. Most of
an installed package is then never evaluated.
"""

from __future__ import annotations

import ast
from collections import Counter

from cutaway.interp.scope import assigned

_PLAIN_DECORATORS = frozenset(("property", "staticmethod", "classmethod", "abstractmethod", "setter", "getter"))


def deferrable(body: list[ast.stmt], text: bytes) -> dict[int, set[str]]:
    """Return the positions of the statements that can wait, each with the names that it binds."""
    names = [assigned([node]) for node in body]
    bound = Counter(name for found in names for name in found)
    if b"global " in text:
        bound.update(
            name for node in body for child in ast.walk(node) if isinstance(child, ast.Global) for name in child.names
        )
    return {
        index: names[index]
        for index, node in enumerate(body)
        if names[index] and all(bound[name] == 1 for name in names[index]) and _can_wait(node, bound)
    }


def _can_wait(node: ast.stmt, bound: Counter[str]) -> bool:
    if isinstance(node, ast.FunctionDef):
        return not node.decorator_list and _has_settled_defaults(node, bound)
    if isinstance(node, ast.ClassDef):
        plain = not node.decorator_list and not node.keywords
        return (
            plain
            and all(_is_settled(base, bound) for base in node.bases)
            and all(_can_wait_in_class(member, bound) for member in node.body)
        )
    if isinstance(node, ast.Assign):
        return all(isinstance(target, ast.Name) for target in node.targets) and _is_settled(node.value, bound)
    return False


def _can_wait_in_class(node: ast.stmt, bound: Counter[str]) -> bool:
    if isinstance(node, ast.FunctionDef):
        return all(_is_plain(d) for d in node.decorator_list) and _has_settled_defaults(node, bound)
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant)
    if isinstance(node, (ast.Assign, ast.AnnAssign)):
        parts = [node.value] if isinstance(node, ast.Assign) else [node.value, node.annotation]
        return all(part is None or _is_settled(part, bound) for part in parts)
    return isinstance(node, ast.Pass)


def _is_plain(decorator: ast.expr) -> bool:
    name = decorator.id if isinstance(decorator, ast.Name) else getattr(decorator, "attr", "")
    return name in _PLAIN_DECORATORS


def _has_settled_defaults(node: ast.FunctionDef, bound: Counter[str]) -> bool:
    defaults = [*node.args.defaults, *node.args.kw_defaults]
    return all(default is None or _is_settled(default, bound) for default in defaults)


def _is_settled(node: ast.expr, bound: Counter[str]) -> bool:
    """Tell whether an expression has the same value whenever it is evaluated."""
    if isinstance(node, ast.Constant):
        return True
    if isinstance(node, ast.Name):
        return bound[node.id] <= 1
    if isinstance(node, ast.Attribute):
        return _is_settled(node.value, bound)
    if isinstance(node, ast.Subscript):
        return _is_settled(node.value, bound) and _is_settled(node.slice, bound)
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        return all(_is_settled(item, bound) for item in node.elts)
    if isinstance(node, ast.Dict):
        return all(item is not None and _is_settled(item, bound) for item in (*node.keys, *node.values))
    if isinstance(node, ast.UnaryOp):
        return _is_settled(node.operand, bound)
    if isinstance(node, ast.BinOp):
        return _is_settled(node.left, bound) and _is_settled(node.right, bound)
    return False
