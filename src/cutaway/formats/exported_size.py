"""Sizes in exported programs: expressions of sympy, as it prints them for Python."""

from __future__ import annotations

import ast

from cutaway.core.architecture import Quantity
from cutaway.core.size.parser import detached, parse

_LONGEST = 2000


def size(text: str) -> Quantity:
    """Return the size that an expression says; None where it says something else."""
    if len(text) > _LONGEST:
        return None
    try:
        words = _words(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return detached(parse(words)) if words is not None else None


def _words(node: ast.expr) -> str | None:
    match node:
        case ast.Constant(int(value)):
            return str(value)
        case ast.Name(name):
            return name
        case ast.Call(ast.Name("Symbol"), [ast.Constant(str(name)), *_]) if name.isidentifier():
            return name
        case ast.Call(ast.Name("Integer"), [number]):
            return str(ast.literal_eval(number))
        case ast.Call(ast.Name(kind), arguments):
            return _function(kind, [_words(each) for each in arguments])
    return None


def _function(kind: str, arguments: list[str | None]) -> str | None:
    parts = [each for each in arguments if each is not None]
    if len(parts) != len(arguments) or not parts:
        return None
    if kind in ("Mul", "Add"):
        return "(" + ("*" if kind == "Mul" else " + ").join(parts) + ")"
    if kind in ("Max", "Min"):
        return f"{kind.lower()}({', '.join(parts)})"
    if len(parts) != 2:
        return None
    left, right = parts
    forms = {
        "Pow": f"({left})**{right}",
        "FloorDiv": f"floor(({left})/({right}))",
        "CleanDiv": f"floor(({left})/({right}))",
        "Mod": f"(({left}) % ({right}))",
        "PythonMod": f"(({left}) % ({right}))",
    }
    return forms.get(kind)
