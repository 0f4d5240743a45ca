"""Conditions in a result, evaluated where each of them is decided: presence, and sizes with conditions in brackets."""

from __future__ import annotations

import ast
import functools
import math
import re
from collections.abc import Mapping
from typing import Any

from cutaway.core.condition import SAME_TRUTH
from cutaway.core.size.dim import Dim

Valuation = Mapping[str, bool]
"""Words of a condition -> whether it holds."""

_OPPOSITE = {ast.NotEq: ast.Eq, ast.IsNot: ast.Is, ast.NotIn: ast.In, ast.GtE: ast.Lt, ast.LtE: ast.Gt}
_IMPORT = re.compile(r"\bimport ([\w.]+)")


class Unreadable(Exception):
    """A condition, or a size, is not written in the documented form."""


@functools.lru_cache(maxsize=4096)
def canonical(text: str) -> str:
    """Return a condition as it is compared with others."""
    return ast.unparse(_parsed(text))


@functools.lru_cache(maxsize=4096)
def _parsed(text: str) -> ast.expr:
    if text.startswith("it depends on "):
        return ast.Name(text)  # under which combinations something is there is not known
    readable = _IMPORT.sub(lambda match: f"imported('{match[1]}')", text)
    try:
        return ast.parse(readable, mode="eval").body
    except (SyntaxError, ValueError) as error:
        raise Unreadable(text) from error


def atoms(text: str) -> set[str]:
    """Return the single conditions that one in words consists of."""
    found: set[str] = set()
    _evaluated(_parsed(text), None, found)
    return found


def holds(text: str | None, valuation: Valuation) -> bool:
    """Return whether a condition holds; one that is not given always does."""
    return text is None or _evaluated(_parsed(text), valuation, set())


def _evaluated(node: ast.expr, valuation: Valuation | None, found: set[str]) -> bool:
    match node:
        case ast.UnaryOp(ast.Not(), operand):
            return not _evaluated(operand, valuation, found)
        case ast.BoolOp(operator, values):
            answers = [_evaluated(value, valuation, found) for value in values]
            return any(answers) if isinstance(operator, ast.Or) else all(answers)
        case ast.Compare(left, [operator], [right]) if type(operator) in _OPPOSITE:
            return not _evaluated(ast.Compare(left, [_OPPOSITE[type(operator)]()], [right]), valuation, found)
        case ast.Call(ast.Name(name) as called, [ast.Compare(left, [operator], [right])]) if type(
            operator
        ) in _OPPOSITE and SAME_TRUTH.fullmatch(name):
            compared = ast.Compare(left, [_OPPOSITE[type(operator)]()], [right])
            return not _evaluated(ast.Call(called, [compared], []), valuation, found)
        case ast.Constant(bool() as value):
            return value
    text = _atom(node)
    found.add(text)
    if valuation is None:
        return False
    if text not in valuation:
        raise Unreadable(text)
    return valuation[text]


@functools.lru_cache(maxsize=4096)
def _atom(node: ast.expr) -> str:
    return ast.unparse(node)


def bracketed(text: str) -> list[str]:
    """Return the conditions in the brackets of an expression."""
    return [part for is_condition, part in _split(text) if is_condition]


def number(text: str, valuation: Valuation) -> int | None:
    """Return the number that an expression is; None where it has symbols other than conditions."""
    if any("?" in part for is_condition, part in _split(text) if not is_condition):
        return None  # one of its parts is unknown
    plain = "".join(str(int(holds(part, valuation))) if is_condition else part for is_condition, part in _split(text))
    try:
        value = eval(plain, {"__builtins__": {}, "min": min, "max": max, "ceil": math.ceil, "floor": math.floor})
    except NameError:
        return None
    except (SyntaxError, TypeError, ZeroDivisionError) as error:
        raise Unreadable(text) from error
    return int(value) if value == int(value) else None


def _split(text: str) -> list[tuple[bool, str]]:
    """Split an expression into what is in its outermost brackets, marked True, and the rest."""
    parts: list[tuple[bool, str]] = []
    depth, start = 0, 0
    for at, letter in enumerate(text):
        if letter == "[":
            if depth == 0:
                parts.append((False, text[start:at]))
                start = at + 1
            depth += 1
        elif letter == "]":
            depth -= 1
            if depth == 0:
                parts.append((True, text[start:at]))
                start = at + 1
    return [*parts, (False, text[start:])]


def setting(value: Any, valuation: Valuation) -> Any:
    """Return a configuration value where conditions are decided; None where it is unknown."""
    if isinstance(value, Dim):
        return number(str(value), valuation)
    if not isinstance(value, dict):
        return value
    if "if" in value:
        return setting(value["then" if holds(value["if"], valuation) else "else"], valuation)
    return None
