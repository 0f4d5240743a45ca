"""Symbolic sizes from text: the reverse of `str(dim)`."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from cutaway.core.dim import Dim, Func, Size, symbol

if TYPE_CHECKING:
    import ast

HIGHEST_POWER = 16
_FUNCTIONS = {"FloorDiv": "floordiv", "Mod": "mod"}


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> Size:
    """Read a size that `str(dim)` wrote. What is no expression of sizes is a symbol of that name.

    Nothing is simplified by what a symbol might be at least, for the text does not say it.
    """
    import ast

    try:
        return _size(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return symbol(text, 0)


def _size(node: ast.expr) -> Size:
    import ast

    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.UnaryOp(ast.USub(), operand):
            return -_size(operand)
        case ast.BinOp(left, ast.Add(), right):
            return _size(left) + _size(right)
        case ast.BinOp(left, ast.Sub(), right):
            return _size(left) - _size(right)
        case ast.BinOp(left, ast.Mult(), right):
            return _size(left) * _size(right)
        case ast.BinOp(left, ast.Pow(), ast.Constant(value=int(power))) if 0 <= power <= HIGHEST_POWER:
            result: Size = 1
            for _ in range(power):
                result = result * _size(left)
            return result
        case ast.BinOp(left, (ast.FloorDiv() | ast.Mod()) as operator, right):
            return _apply(_FUNCTIONS[type(operator).__name__], left, right)
        case ast.Call(ast.Name(("min" | "max") as kind), [left, right], []):
            return _apply(kind, left, right)
    return symbol(ast.unparse(node), 0)


def _apply(kind: str, left: ast.expr, right: ast.expr) -> Size:
    return Dim({((Func(kind, _size(left), _size(right)), 1),): 1})
