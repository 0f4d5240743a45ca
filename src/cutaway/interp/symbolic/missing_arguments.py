"""Arguments that a class or a function needs and nobody gave: symbols, flags, or values of which only the name is known.

What an argument is like is seen from its annotation, and else from how it is used: by the function itself, by what
it is handed on to, and by the methods that read the attribute it is kept in.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Iterator
from typing import Any

from cutaway.core import session
from cutaway.core.condition import Term
from cutaway.core.size.dim import symbol
from cutaway.core.unknown import Exhausted, Undecidable, Unknown, decisions
from cutaway.interp.run.frame import Pending
from cutaway.interp.run.function import Record, record_of
from cutaway.interp.run.signature import signature

_SIZES = {"int", "builtins.int"}
_FLAGS = {"bool", "builtins.bool"}
_OTHERS = {"float", "str", "dict", "tuple"}
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift)
_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_OF_SIZES = re.compile(r"features|channels|size|dim|num_|heads|embed|shape|units|filters|groups|d_model|factor")
_OF_FRACTIONS = re.compile(r"ratio|rate|prob|drop|eps|alpha|beta|gamma|momentum|temperature|decay|(?:^|_)(?:lr|p|std)$")
_DEEPEST = 4

SIZE, FLAG, PLAIN, OTHER = "size", "flag", "plain", "other"


def symbolic(value: Any, name: str, text: str) -> Any:
    """Return what stands for an argument of a class or a function that nobody gave."""
    here = session.current()
    kinds = decisions().kinds
    if name not in kinds:
        kinds[name] = kind_of(value, name)
    kind = kinds[name]
    here.arguments[name] = text
    here.facts.kept.add(name)
    if kind == SIZE:
        here.assume(f"the argument {name} of {text} is a whole number of at least 1")
        return symbol(name)
    return Unknown(
        f"the argument {name} of {text} is not given: name a call, as in '{text}({name}=...)'",
        term=Term(name, plain=kind != OTHER),
    )


def kind_of(value: Any, name: str, depth: int = 0) -> str:
    """Tell what an argument is like: a size, a flag, something that is no part of a network, or anything else."""
    initial = getattr(value, "__init__", None) if isinstance(value, type) else value
    record = record_of(initial)
    if record is None:
        return _kind_in_library(value, name)
    for argument in (*record.code.node.args.args, *record.code.node.args.kwonlyargs):
        if argument.arg == name and argument.annotation is not None:
            annotation = ast.unparse(argument.annotation).strip("'\"")
            if annotation in _SIZES:
                return SIZE
            if annotation in _FLAGS:
                return FLAG
            if annotation in _OTHERS:
                return PLAIN
    if _OF_FRACTIONS.search(name):
        return PLAIN
    found = set(_uses(record, value, name, depth))
    for kind in (SIZE, OTHER, PLAIN, FLAG):
        if kind in found:
            return kind
    return OTHER


def _kind_in_library(value: Any, name: str) -> str:
    """Tell it of a layer of a modelled library, by its default and by the names that libraries agree on."""
    if not isinstance(value, type) or not hasattr(value, "mark_incomplete"):
        return OTHER
    parameter = signature(value).parameters.get(name)
    if parameter is None:
        return OTHER
    default = parameter.default
    if type(default) is int or (default is inspect.Parameter.empty and _OF_SIZES.search(name)):
        return SIZE
    return FLAG if type(default) is bool else OTHER


def _uses(record: Record, value: Any, name: str, depth: int) -> Iterator[str]:
    """Yield what the uses of an argument say about it."""
    body = record.code.node.body
    nodes = [child for part in (body if isinstance(body, list) else [body]) for child in ast.walk(part)]
    targets = [target for target, given in _assignments(nodes) if isinstance(given, ast.Name) and given.id == name]
    names = {name, *(target.id for target in targets if isinstance(target, ast.Name))}
    yield from _uses_in(nodes, lambda node: isinstance(node, ast.Name) and node.id in names, record, depth)
    kept = {target.attr for target in targets if isinstance(target, ast.Attribute)}
    if not kept or not isinstance(value, type):
        return
    for method in vars(value).values():
        other = record_of(method)
        if other is not None and not isinstance(other.code.node, ast.Lambda):
            inner = [child for part in other.code.node.body for child in ast.walk(part)]
            yield from _uses_in(inner, lambda node: isinstance(node, ast.Attribute) and node.attr in kept, other, depth)


def _assignments(nodes: list[ast.AST]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield what is assigned to what, one by one."""
    for node in nodes:
        for target in node.targets if isinstance(node, ast.Assign) else ():
            value = node.value  # type: ignore[attr-defined]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                yield from zip(target.elts, value.elts)
            else:
                yield target, value


def _is_counted(target: ast.expr, nodes: list[ast.AST]) -> bool:
    """Tell whether a variable starts as a number."""
    return isinstance(target, ast.Name) and any(
        isinstance(other, ast.Name)
        and other.id == target.id
        and isinstance(value, ast.Constant)
        and type(value.value) is int
        for other, value in _assignments(nodes)
    )


def _gives(node: ast.expr, is_it: Any) -> bool:
    """Tell whether the value of an expression may be an argument."""
    if isinstance(node, ast.IfExp):
        return _gives(node.body, is_it) or _gives(node.orelse, is_it)
    return bool(is_it(node))


def _uses_in(nodes: list[ast.AST], is_it: Any, record: Record, depth: int) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.BinOp() | ast.AugAssign() | ast.Compare():
                kind = _kind_in_arithmetic(node, is_it, nodes)
                if kind is not None:
                    yield kind
            case ast.Subscript(value) | ast.Attribute(value) if is_it(value):
                yield PLAIN
            case ast.Call(ast.Attribute(value)) if is_it(value):
                yield OTHER
            case ast.For(_, iterable) | ast.comprehension(_, iterable) if is_it(iterable):
                yield OTHER
            case ast.If(test) | ast.IfExp(test) | ast.While(test) if is_it(test):
                yield FLAG
            case ast.UnaryOp(ast.Not(), operand) if is_it(operand):
                yield FLAG
            case ast.BoolOp(_, values) if any(is_it(value) for value in values):
                yield FLAG
            case ast.Call():
                yield from _handed_on(node, is_it, record, depth)


def _kind_in_arithmetic(node: ast.BinOp | ast.AugAssign | ast.Compare, is_it: Any, nodes: list[ast.AST]) -> str | None:
    """Return what arithmetic or a comparison says about an argument; None where it is no part of it."""
    match node:
        case ast.BinOp(left, operator, right) if isinstance(operator, _ARITHMETIC) and (is_it(left) or is_it(right)):
            return SIZE if _may_be_number(right if is_it(left) else left) else None
        case ast.AugAssign(target, operator, value) if isinstance(operator, _ARITHMETIC) and is_it(value):
            return SIZE if not isinstance(operator, ast.Add) or _is_counted(target, nodes) else None
        case ast.Compare(left, operators, rest) if any(is_it(side) for side in (left, *rest)):
            constants = [side.value for side in (left, *rest) if isinstance(side, ast.Constant)]
            if any(isinstance(operator, _ORDERED) for operator in operators) or any(type(c) is int for c in constants):
                return SIZE
            return None if any(constant is None for constant in constants) else PLAIN
    return None


def _may_be_number(node: ast.expr) -> bool:
    """Tell whether an operand may be a whole number, by how it is written."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    return not isinstance(node, (ast.List, ast.Tuple, ast.JoinedStr))


def _handed_on(node: ast.Call, is_it: Any, record: Record, depth: int) -> Iterator[str]:
    """Yield what is said of an argument by the function that it is handed on to."""
    positions = [at for at, argument in enumerate(node.args) if _gives(argument, is_it)]
    keywords = [keyword.arg for keyword in node.keywords if keyword.arg and _gives(keyword.value, is_it)]
    if is_it(node.func):
        yield OTHER
    if not positions and not keywords:
        return
    if isinstance(node.func, ast.Name) and node.func.id in ("range", "int"):
        yield SIZE
        return
    callee = _callee(node.func, record)
    if callee is None or depth >= _DEEPEST:
        return
    try:
        names = list(signature(callee).parameters)
    except (TypeError, ValueError, Undecidable):
        return
    for name in (*(names[at] for at in positions if at < len(names)), *keywords):
        if name in names:
            yield kind_of(callee, name, depth + 1)


def _callee(node: ast.expr, record: Record) -> Any:
    """Return what a name of the module, or an attribute of one, means; None where that is not to be seen."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return None
    try:
        value = record.globals.get(node.id)
        value = value.resolve() if type(value) is Pending else value
        for part in reversed(parts):
            value = getattr(value, part)
    except (Exception, Undecidable, Exhausted):
        return None
    return None if type(value) is Unknown else value
