"""Which arguments of a call are written as literals in the source."""

from __future__ import annotations

import ast
import functools
from collections.abc import Sequence

from cutaway.core.error import CutawayError
from cutaway.core.place import Place
from cutaway.syntax import source


def literals(place: Place | None, name: str, parameters: Sequence[str]) -> dict[str, bool] | None:
    """Return whether each argument of a class's call at a place is a literal; None where there is no such call."""
    if place is None or not place.line:
        return None
    calls = [call for call in _calls(place.file).get(place.line, ()) if _name(call.func) == name]
    if not calls:
        return None
    is_literal: dict[str, bool] = {}
    for call in calls:
        arguments = dict(zip(parameters, call.args)) | {k.arg: k.value for k in call.keywords if k.arg is not None}
        for argument, value in arguments.items():
            is_literal[argument] = is_literal.get(argument, True) and _is_literal(value)
    return is_literal


@functools.lru_cache(maxsize=64)
def _calls(file: str) -> dict[int, list[ast.Call]]:
    calls: dict[int, list[ast.Call]] = {}
    try:
        tree = source.parse(source.read(file), file)
    except (CutawayError, OSError, SyntaxError):
        return calls
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            calls.setdefault(node.lineno, []).append(node)
    return calls


def _name(node: ast.expr) -> str:
    return node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""


def _is_literal(node: ast.expr) -> bool:
    if isinstance(node, ast.UnaryOp):
        return _is_literal(node.operand)
    if isinstance(node, (ast.Tuple, ast.List)):
        return all(_is_literal(item) for item in node.elts)
    return isinstance(node, ast.Constant)
