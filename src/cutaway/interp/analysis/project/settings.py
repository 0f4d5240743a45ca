"""The settings that a class or function reads of a configuration that it is given."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from cutaway.core.record import dataclass
from cutaway.core.unknown import Undecidable
from cutaway.interp.run.function import Record, record_of
from cutaway.interp.run.signature import signature
from cutaway.interp.symbolic.missing_arguments import callee_of
from cutaway.syntax.scope import walk_body

_MAX_DEPTH = 3
_LOOKUPS = ("get", "pop", "setdefault")
_OF_DICTS = frozenset(("get", "pop", "setdefault", "keys", "values", "items", "update", "copy"))


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting that is read, and how: one that has a default where it is read is not required."""

    name: str
    is_required: bool
    by_attribute: bool
    by_key: bool


def settings_read(record: Record, value: Any, name: str, depth: int = 0) -> Iterator[Setting]:
    """Yield the settings that are read of an argument: by a function, and by those that it passes it to.

    A constructor may keep the argument in an attribute; methods read that.
    """
    nodes = walk_body(record.code.node)
    yield from _in_nodes(nodes, lambda node: isinstance(node, ast.Name) and node.id == name, record, depth)
    if not isinstance(value, type) or not record.code.positional:
        return
    attributes = {
        target.attr
        for node in nodes
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id == name
        for target in node.targets
        if isinstance(target, ast.Attribute)
    }
    if not attributes:
        return
    methods = {each.code.name: each for method in vars(value).values() if (each := record_of(method)) is not None}
    for method in {**methods, record.code.name: record}.values():
        yield from _in_nodes(
            walk_body(method.code.node),
            lambda node: (
                isinstance(node, ast.Attribute)
                and node.attr in attributes
                and isinstance(node.value, ast.Name)
                and node.value.id == "self"
            ),
            method,
            depth,
            is_required=method is record,
        )


def _in_nodes(
    nodes: list[ast.AST], is_argument: Callable[[ast.AST], bool], record: Record, depth: int, is_required: bool = True
) -> Iterator[Setting]:
    for node in nodes:
        match node:
            case ast.Call(ast.Attribute(read, method), [ast.Constant(str(key)), *_]) if method in _LOOKUPS:
                if is_argument(read):
                    yield Setting(key, False, False, True)
                elif depth < _MAX_DEPTH:
                    yield from _passed_on(record, node, is_argument, depth)
            case ast.Call(ast.Name("getattr" | "hasattr"), [read, ast.Constant(str(key)), *_]) if is_argument(read):
                yield Setting(key, False, True, False)
            case ast.Attribute(read, attribute, ast.Load()) if is_argument(read) and attribute not in _OF_DICTS:
                yield Setting(attribute, is_required, True, False)
            case ast.Subscript(read, ast.Constant(str(key)), ast.Load()) if is_argument(read):
                yield Setting(key, is_required, False, True)
            case ast.Call() if depth < _MAX_DEPTH:
                yield from _passed_on(record, node, is_argument, depth)


def _passed_on(record: Record, node: ast.Call, is_argument: Callable[[ast.AST], bool], depth: int) -> Iterator[Setting]:
    positions = [at for at, arg in enumerate(node.args) if is_argument(arg)]
    named = [each.arg for each in node.keywords if is_argument(each.value) and each.arg]
    if not positions and not named:
        return
    callee = callee_of(node.func, record)
    inner = record_of(getattr(callee, "__init__", None) if isinstance(callee, type) else callee)
    if inner is None:
        return
    try:
        names = list(signature(callee).parameters)
    except (TypeError, ValueError, Undecidable):
        return
    for parameter in (*(names[at] for at in positions if at < len(names)), *named):
        yield from settings_read(inner, callee, parameter, depth + 1)
