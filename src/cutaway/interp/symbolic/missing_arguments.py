"""Stand-ins for required arguments that are not given: symbols, flags, or values of which only the name is known.

The kind of an argument follows from its annotation, or else from how it is used: by the function itself, by the
functions it is passed to, and by the methods that read the attribute it is stored in.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from typing import Any

from cutaway.core import session
from cutaway.core.condition import Term
from cutaway.core.pattern import pattern
from cutaway.core.protocols import is_module_class
from cutaway.core.size.dim import symbol
from cutaway.core.unknown import Exhausted, Undecidable, Unknown, decisions
from cutaway.interp.run.frame import Pending
from cutaway.interp.run.function import Record, record_of
from cutaway.interp.run.signature import signature
from cutaway.syntax.scope import walk_body

_SIZES = {"int", "builtins.int"}
_FLAGS = {"bool", "builtins.bool"}
_OTHERS = {"float", "str", "dict", "tuple"}
_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.FloorDiv, ast.Mod, ast.Pow, ast.LShift, ast.RShift)
_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_OF_SIZES = pattern(r"features|channels|size|dim|num_|heads|embed|shape|units|filters|groups|d_model|factor")
_MAX_DEPTH = 4
_TAKES_SIZES = frozenset(
    "view reshape expand repeat new_zeros new_ones new_empty zeros ones empty rand randn eye arange randperm".split()
)
"""Functions of tensors and arrays, in any library, whose arguments are sizes: alone, or in a tuple."""
_MAY_TAKE_SIZES = frozenset(("Tensor", "FloatTensor"))
"""The same if there are several arguments; a single one may be the numbers."""

SIZE, FLAG, PLAIN, FIELDS, SEQUENCE, OTHER = "size", "flag", "plain", "fields", "sequence", "other"


def stand_in(value: Any, name: str, text: str) -> Any:
    """Return what stands for an argument of a class or a function that is not given."""
    current = session.current()
    kinds = decisions().kinds
    if name not in kinds:
        kinds[name] = kind_of(value, name)
    kind = kinds[name]
    current.arguments[name] = text
    current.facts.kept.add(name)
    if kind == SIZE:
        current.assume(f"the argument {name} of {text} is an integer of at least 1")
        return symbol(name)
    if kind == FIELDS:
        current.assume(f"the argument {name} of {text} is not a module: its attributes or items are read")
    return Unknown(
        f"the argument {name} of {text} is not given: name a call, as in '{text}({name}=...)'",
        term=Term(name, plain=kind not in (SEQUENCE, OTHER)),
    )


def may_be_anything(value: Any, name: str) -> bool:
    """Tell whether little is said of an argument by what its stand-in is: it is not a size, a flag, a number or a string."""
    return kind_of(value, name) in (FIELDS, SEQUENCE, OTHER)


def kind_of(value: Any, name: str, depth: int = 0) -> str:
    """Return the kind of an argument: a size, a flag, something that is not a part of a network, or anything else.

    What attributes or items are read of is taken for a configuration, though a module has attributes too.
    """
    initializer = getattr(value, "__init__", None) if isinstance(value, type) else value
    record = record_of(initializer)
    if record is None or name not in (*record.code.positional, *record.code.keyword_only):
        kind = _kind_of_field(value, name)
        if kind is not None:
            return kind
    if record is None:
        return _kind_in_library(value, name)
    for argument in (*record.code.node.args.args, *record.code.node.args.kwonlyargs):
        if argument.arg == name and argument.annotation is not None:
            kind = _kind_of_annotation(ast.unparse(argument.annotation))
            if kind is not None:
                return kind
    kinds = set(_uses(record, value, name, depth))
    for kind in (SIZE, SEQUENCE, OTHER, PLAIN, FIELDS, FLAG):
        if kind in kinds:
            return kind
    return OTHER


def _kind_of_annotation(text: str) -> str | None:
    """Return the kind that an annotation names, None where it may be any."""
    annotation = text.strip("'\"")
    if annotation in _SIZES:
        return SIZE
    if annotation in _FLAGS:
        return FLAG
    return PLAIN if annotation in _OTHERS else None


def _kind_of_field(value: Any, name: str) -> str | None:
    """Return the kind of a field of a class whose constructor follows from its annotations."""
    annotated = [vars(base).get("__annotations__", {}) for base in value.__mro__] if isinstance(value, type) else []
    kind = next((each[name] for each in annotated if type(each) is dict and name in each), None)
    return _kind_of_annotation(kind if isinstance(kind, str) else getattr(kind, "__name__", ""))


def _kind_in_library(value: Any, name: str) -> str:
    """Return the kind of an argument of a modelled library, by its default; sizes of layers also by their names there."""
    is_layer = is_module_class(value)
    if not is_layer and getattr(value, "__row__", None) is None:
        return OTHER
    parameter = signature(value).parameters.get(name)
    if parameter is None:
        return OTHER
    default = parameter.default
    if type(default) in (float, str):
        return PLAIN
    if not is_layer:
        return OTHER
    if type(default) is int or (default is inspect.Parameter.empty and _OF_SIZES.search(name)):
        return SIZE
    return FLAG if type(default) is bool else OTHER


def _uses(record: Record, value: Any, name: str, depth: int) -> Iterator[str]:
    """Yield the kinds that the uses of an argument imply."""
    nodes = walk_body(record.code.node)
    targets = [
        target for target, assigned in _assignments(nodes) if isinstance(assigned, ast.Name) and assigned.id == name
    ]
    names = {name, *(target.id for target in targets if isinstance(target, ast.Name))}
    yield from _uses_in(nodes, lambda node: isinstance(node, ast.Name) and node.id in names, record, depth)
    attributes = {target.attr for target in targets if isinstance(target, ast.Attribute)}
    if not attributes or not isinstance(value, type):
        return
    for method in vars(value).values():
        other = record_of(method)
        if other is not None and not isinstance(other.code.node, ast.Lambda):
            yield from _uses_in(
                walk_body(other.code.node),
                lambda node: isinstance(node, ast.Attribute) and node.attr in attributes,
                other,
                depth,
            )


def _assignments(nodes: list[ast.AST]) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Yield pairs of assignment target and value."""
    for node in nodes:
        for target in node.targets if isinstance(node, ast.Assign) else ():
            value = node.value  # type: ignore[attr-defined]
            if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                yield from zip(target.elts, value.elts)
            else:
                yield target, value


def _starts_as_int(target: ast.expr, nodes: list[ast.AST]) -> bool:
    """Tell whether a variable starts as an integer."""
    return isinstance(target, ast.Name) and any(
        isinstance(other, ast.Name)
        and other.id == target.id
        and isinstance(value, ast.Constant)
        and type(value.value) is int
        for other, value in _assignments(nodes)
    )


def _may_evaluate_to(node: ast.expr, is_argument: Any) -> bool:
    """Tell whether the value of an expression may be the argument."""
    if isinstance(node, ast.IfExp):
        return _may_evaluate_to(node.body, is_argument) or _may_evaluate_to(node.orelse, is_argument)
    return bool(is_argument(node))


def _uses_in(nodes: list[ast.AST], is_argument: Any, record: Record, depth: int) -> Iterator[str]:
    for node in nodes:
        match node:
            case ast.BinOp() | ast.AugAssign() | ast.Compare():
                kind = _kind_in_arithmetic(node, is_argument, nodes)
                if kind is not None:
                    yield kind
            case ast.Subscript(value) | ast.Attribute(value) if is_argument(value):
                yield FIELDS
            case ast.Call(ast.Attribute(value)) if is_argument(value):
                yield OTHER
            case ast.For(_, iterable) | ast.comprehension(_, iterable) if _iterates_over(iterable, is_argument):
                yield SEQUENCE
            case ast.Call(ast.Name("len"), [counted]) if is_argument(counted):
                yield SEQUENCE
            case ast.If(test) | ast.IfExp(test) | ast.While(test) if is_argument(test):
                yield FLAG
            case ast.UnaryOp(ast.Not(), operand) if is_argument(operand):
                yield FLAG
            case ast.BoolOp(_, values) if any(is_argument(value) for value in values):
                yield FLAG
            case ast.Call():
                yield from _kinds_incallee_of(node, is_argument, record, depth)


def _iterates_over(iterable: ast.expr, is_argument: Any) -> bool:
    """Tell whether a loop is over an argument, by itself or with numbers and other sequences."""
    match iterable:
        case ast.Call(ast.Name("enumerate" | "zip" | "reversed"), parts):
            return any(is_argument(part) for part in parts)
    return bool(is_argument(iterable))


def _kind_in_arithmetic(
    node: ast.BinOp | ast.AugAssign | ast.Compare, is_argument: Any, nodes: list[ast.AST]
) -> str | None:
    """Return the kind that arithmetic or a comparison implies for an argument; None where it is not an operand."""
    match node:
        case ast.BinOp(left, operator, right) if isinstance(operator, _ARITHMETIC) and (
            is_argument(left) or is_argument(right)
        ):
            return SIZE if _may_be_number(right if is_argument(left) else left) else None
        case ast.AugAssign(target, operator, value) if isinstance(operator, _ARITHMETIC) and is_argument(value):
            return SIZE if not isinstance(operator, ast.Add) or _starts_as_int(target, nodes) else None
        case ast.Compare(left, operators, rest) if any(is_argument(side) for side in (left, *rest)):
            constants = [side.value for side in (left, *rest) if isinstance(side, ast.Constant)]
            if any(isinstance(operator, _ORDERED) for operator in operators) or any(type(c) is int for c in constants):
                return SIZE
            return None if any(constant is None for constant in constants) else PLAIN
    return None


def _may_be_number(node: ast.expr) -> bool:
    """Tell whether an operand may be an integer, by its syntax."""
    if isinstance(node, ast.Constant):
        return isinstance(node.value, int)
    return not isinstance(node, (ast.List, ast.Tuple, ast.JoinedStr))


def _kinds_incallee_of(node: ast.Call, is_argument: Any, record: Record, depth: int) -> Iterator[str]:
    """Yield the kinds that a function implies for the argument that is passed to it."""
    positions = [at for at, argument in enumerate(node.args) if _may_evaluate_to(argument, is_argument)]
    keywords = [
        keyword.arg for keyword in node.keywords if keyword.arg and _may_evaluate_to(keyword.value, is_argument)
    ]
    if is_argument(node.func):
        yield OTHER
    if not positions and not keywords:
        if _is_size(node, is_argument):
            yield SIZE
        return
    if isinstance(node.func, ast.Name) and node.func.id in ("range", "int"):
        yield SIZE
        return
    if _is_size(node, is_argument):
        yield SIZE
        return
    callee = callee_of(node.func, record)
    if callee is None or depth >= _MAX_DEPTH:
        return
    try:
        names = list(signature(callee).parameters)
    except (TypeError, ValueError, Undecidable):
        return
    for name in (*(names[at] for at in positions if at < len(names)), *keywords):
        if name in names:
            yield kind_of(callee, name, depth + 1)


def _is_size(node: ast.Call, is_argument: Any) -> bool:
    """Tell whether an argument is passed as a size of a tensor or an array."""
    function = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    if function not in _TAKES_SIZES and (function not in _MAY_TAKE_SIZES or len(node.args) < 2):
        return False
    sizes = [part for each in node.args for part in (each.elts if isinstance(each, (ast.Tuple, ast.List)) else [each])]
    return any(is_argument(size) for size in sizes)


def callee_of(node: ast.expr, record: Record) -> Any:
    """Return what a name of the module, or an attribute of one, refers to; None where that can't be determined."""
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
