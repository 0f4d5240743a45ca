"""Conditions in a result, evaluated where each of them is decided: presence, and sizes with conditions in brackets."""

from __future__ import annotations

import ast
import functools
import itertools
import math
import re
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

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


def atoms(text: str) -> frozenset[str]:
    """Return the single conditions that one in words consists of."""
    found: set[str] = set()
    _collect(_read(text), found)
    return frozenset(found)


def holds(text: str | None, valuation: Valuation) -> bool:
    """Return whether a condition holds; one that is not given always does."""
    return text is None or _evaluated(_read(text), valuation)


@dataclass(frozen=True, slots=True)
class _All:
    parts: tuple[_Condition, ...]


@dataclass(frozen=True, slots=True)
class _Any:
    parts: tuple[_Condition, ...]


@dataclass(frozen=True, slots=True)
class _Not:
    part: _Condition


_Condition: TypeAlias = "_All | _Any | _Not | bool | str"
"""A condition that is read once and evaluated for many valuations; a string is one of the single ones."""


@functools.lru_cache(maxsize=4096)
def _read(text: str) -> _Condition:
    return _condition(_parsed(text))


def _condition(node: ast.expr) -> _Condition:
    match node:
        case ast.UnaryOp(ast.Not(), operand):
            return _Not(_condition(operand))
        case ast.BoolOp(operator, values):
            return (_Any if isinstance(operator, ast.Or) else _All)(tuple(map(_condition, values)))
        case ast.Compare(left, [operator], [right]) if type(operator) in _OPPOSITE:
            return _Not(_condition(ast.Compare(left, [_OPPOSITE[type(operator)]()], [right])))
        case ast.Call(ast.Name(name) as called, [ast.Compare(left, [operator], [right])]) if type(
            operator
        ) in _OPPOSITE and SAME_TRUTH.fullmatch(name):
            compared = ast.Compare(left, [_OPPOSITE[type(operator)]()], [right])
            return _Not(_condition(ast.Call(called, [compared], [])))
        case ast.Constant(bool() as value):
            return value
    return ast.unparse(node)


def _collect(condition: _Condition, found: set[str]) -> None:
    match condition:
        case str():
            found.add(condition)
        case _Not(part):
            _collect(part, found)
        case _All(parts) | _Any(parts):
            for part in parts:
                _collect(part, found)


def _evaluated(condition: _Condition, valuation: Valuation) -> bool:
    match condition:
        case bool():
            return condition
        case str():
            if condition not in valuation:
                raise Unreadable(condition)
            return valuation[condition]
        case _Not(part):
            return not _evaluated(part, valuation)
    answers = [_evaluated(part, valuation) for part in condition.parts]  # each has to be readable
    return any(answers) if isinstance(condition, _Any) else all(answers)


def bracketed(text: str) -> list[str]:
    """Return the conditions in the brackets of an expression."""
    return [part for is_condition, part in _split(text) if is_condition]


def number(text: str, valuation: Valuation) -> int | None:
    """Return the number that an expression is; None where it has symbols other than conditions."""
    code, conditions = _expression(text)
    if code is None:
        return None  # one of its parts is unknown
    bits = [int(holds(part, valuation)) for part in conditions]
    functions = {"min": min, "max": max, "ceil": math.ceil, "floor": math.floor}
    try:
        value = eval(code, {"__builtins__": {}, "_bits": bits, **functions})
    except NameError:
        return None
    except (TypeError, ZeroDivisionError) as error:
        raise Unreadable(text) from error
    return int(value) if value == int(value) else None


@functools.lru_cache(maxsize=4096)
def _expression(text: str) -> tuple[types.CodeType | None, tuple[str, ...]]:
    """Return an expression with items of `_bits` for its conditions, ready to be evaluated, and these conditions."""
    parts = _split(text)
    if any("?" in part for is_condition, part in parts if not is_condition):
        return None, ()
    conditions = tuple(part for is_condition, part in parts if is_condition)
    places = itertools.count()
    plain = "".join(f"_bits[{next(places)}]" if is_condition else part for is_condition, part in parts)
    try:
        return compile(plain.strip(), "size", "eval"), conditions
    except SyntaxError as error:
        raise Unreadable(text) from error


@functools.lru_cache(maxsize=4096)
def _split(text: str) -> tuple[tuple[bool, str], ...]:
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
    return (*parts, (False, text[start:]))


def setting(value: Any, valuation: Valuation) -> Any:
    """Return a configuration value where conditions are decided; None where it is unknown."""
    if isinstance(value, Dim):
        return number(str(value), valuation)
    if not isinstance(value, dict):
        return value
    if "if" in value:
        return setting(value["then" if holds(value["if"], valuation) else "else"], valuation)
    return None
