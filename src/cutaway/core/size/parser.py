"""Symbolic sizes from strings: the reverse of `str(dim)`."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING

from cutaway.core.size.atom import FLOORDIV, MOD, Func, Symbol
from cutaway.core.size.dim import Dim, Size, ceildiv, floordiv, maximum, minimum, mod, quotient, raised, substitute

if TYPE_CHECKING:
    import ast

HIGHEST_POWER = 16


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> Size:
    """Read a size that `str(dim)` wrote. What is not an expression of sizes is a symbol of that name.

    Nothing is simplified by what a symbol might be at least, for the string does not say it.
    """
    if text.isidentifier():
        return _named(text)
    import ast

    try:
        return _size(ast.parse(text, mode="eval").body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return _named(text)


@functools.lru_cache(maxsize=4096)
def read_size(text: str) -> Size:
    """Read a size that is written again exactly as it is spelled here."""
    size = parse(text)
    return size if isinstance(size, int) else Dim(size.terms, text)


def detached(size: Size) -> Size:
    """Return a size as its string says it, without what an analysis knows of its symbols.

    So sizes of different analyses can be compared and computed with, and one that is written and read is equal to itself.
    """
    return size if isinstance(size, int) else read_size(str(size))


def evaluate(size: Size | str, values: Mapping[str, int]) -> Size:
    """Return what a size comes to for some values of its symbols: a number, or a size in the other symbols.

    Raises ArithmeticError where a quotient that is said to be whole is not.
    """
    return substitute(read_size(size) if isinstance(size, str) else size, values)


def _size(node: ast.expr) -> Size:
    import ast

    match node:
        case ast.Constant(value=int(number)):
            return number
        case ast.Name(name):
            return _named(name)
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
        case ast.BinOp(left, ast.Pow(), right):
            return raised(_size(left), _size(right))
        case ast.BinOp(left, ast.Div(), right):
            return quotient(_size(left), _size(right))
        case ast.BinOp(left, ast.FloorDiv(), right) | ast.Call(
            ast.Name("floor"), [ast.BinOp(left, ast.Div(), right)], []
        ):
            return _divided(_size(left), _size(right))
        case ast.Call(ast.Name("ceil"), [ast.BinOp(left, ast.Div(), right)], []):
            above, below = _size(left), _size(right)
            return ceildiv(above, below) if isinstance(below, int) else -_divided(-above, below)
        case ast.BinOp(left, ast.Mod(), right):
            above, below = _size(left), _size(right)
            return mod(above, below) if isinstance(below, int) else _function(MOD, above, below)
        case ast.Call(ast.Name("min"), [first, *others], []):
            return functools.reduce(minimum, map(_size, others), _size(first))
        case ast.Call(ast.Name("max"), [first, *others], []):
            return functools.reduce(maximum, map(_size, others), _size(first))
    return _named(ast.unparse(node))


def _named(name: str) -> Size:
    return Dim({((Symbol(name, None), 1),): 1})


def _divided(left: Size, right: Size) -> Size:
    return floordiv(left, right) if isinstance(right, int) else _function(FLOORDIV, left, right)


def _function(kind: str, left: Size, right: Size) -> Size:
    """Return a function by a divisor that may be anything but is not 0, or the string would mean nothing."""
    return Dim({((Func(kind, left, right), 1),): 1})
