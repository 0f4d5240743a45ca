"""Loops that compute with plain numbers alone, and give the same again for the same.

Networks compute tables of positions by loops over all pairs of them, once for every layer and with the same
numbers in each. Such a loop reads and writes nothing but local variables that hold numbers, texts and flat
containers of them; what it has done to them once is done again at once when it starts from equal values.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from typing import Any

from cutaway.interp.builtins import BUILTINS
from cutaway.interp.frame import Frame
from cutaway.interp.loader import HIDDEN
from cutaway.interp.scope import Scope

_WORTH = 16  # items of a loop
_STATEMENTS = (ast.Assign, ast.AugAssign, ast.If, ast.For, ast.Expr, ast.Pass, ast.Continue, ast.Break)
_EXPRESSIONS = (ast.Name, ast.Constant, ast.Tuple, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Subscript)
_PARTS = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
_FUNCTIONS = frozenset(("abs", "len", "min", "max", "range", "enumerate", "zip"))
_ATOMS = frozenset((int, str, type(None)))


class _Impure(Exception):
    """A value is neither a number, nor a text, nor made of them alone."""


class Repetition:
    """What is known of one loop: the variables in it, and what it made of the values that it was started with."""

    def __init__(self, names: Iterable[str], functions: Iterable[str]) -> None:
        self._names = sorted(names)
        self._functions = sorted(functions)
        self._made: dict[Any, dict[str, Any]] = {}

    def start(self, frame: Frame, items: Any) -> Callable[[], None] | None:
        """Do what was done before from the same values, and return None; or return what is to be called at the end."""
        if type(items) not in (list, tuple, range) or len(items) < _WORTH or not self._are_built_in(frame):
            return _ignored
        try:
            key = (_frozen(items), *(self._variable(frame, name, 4 * len(items)) for name in self._names))
        except _Impure:
            return _ignored
        containers = self._containers(frame)
        if len(set(containers.values())) < len(containers):
            return _ignored  # one under two names
        made = self._made.get(key)
        if made is None:
            return lambda: self._keep(frame, key, containers)
        for name, value in made.items():
            _put(frame, name, value)
        return None

    def _are_built_in(self, frame: Frame) -> bool:
        home = frame.globals.get(HIDDEN)
        unshadowed = all(name not in frame.globals and name in BUILTINS for name in self._functions)
        return unshadowed and (home is None or not home.stars)

    def _containers(self, frame: Frame) -> dict[str, int]:
        """Return which containers the variables hold, by their identity."""
        held = {name: frame.vars[name] for name in self._names if name in frame.vars}
        return {name: id(value) for name, value in held.items() if type(value) in (list, dict)}

    def _variable(self, frame: Frame, name: str, most: int) -> Any:
        if name not in frame.vars:
            return _Impure  # it has no value yet
        value = frame.vars[name]
        if type(value) in (list, dict) and len(value) > most + 64:
            raise _Impure
        return _frozen(value)

    def _keep(self, frame: Frame, key: Any, containers: dict[str, int]) -> None:
        found: dict[str, Any] = {}
        if self._containers(frame) != containers:
            return  # a variable holds another one now
        try:
            for name in self._names:
                if name in frame.vars:
                    value = frame.vars[name]
                    _frozen(value)
                    found[name] = value.copy() if type(value) in (list, dict) else value
        except _Impure:
            return
        self._made[key] = found


def _ignored() -> None:
    pass


def _put(frame: Frame, name: str, value: Any) -> None:
    """Give a variable its value, or the container that it holds its contents: others may hold it too."""
    if type(value) is list:
        frame.vars[name][:] = value
    elif type(value) is dict:
        frame.vars[name].clear()
        frame.vars[name].update(value)
    else:
        frame.vars[name] = value


def _frozen(value: Any) -> Any:
    """Return what stands for a plain value in a key: equal numbers of different types differ."""
    kind = type(value)
    if kind in _ATOMS:
        return value
    if kind is float or kind is bool:
        return kind, repr(value)
    if kind is tuple:
        return tuple([_frozen(item) for item in value])
    if kind is range:
        return range, value.start, value.stop, value.step
    if kind is list:
        return list, *[_inner(item) for item in value]
    if kind is dict:
        return dict, *[(_inner(key), _inner(item)) for key, item in value.items()]
    raise _Impure


def _inner(value: Any) -> Any:
    """Freeze an element of a container, which must not be one that changes."""
    if type(value) in (list, dict):
        raise _Impure
    return _frozen(value)


def repetition(node: ast.For, scope: Scope) -> Repetition | None:
    """Return what is known of a loop, None where it may do more than compute with local variables."""
    if scope.kind != "function" or node.orelse:
        return None
    names: set[str] = set()
    functions: set[str] = set()
    waiting: list[ast.AST] = [node.target, *node.body]
    while waiting:
        child = waiting.pop()
        if isinstance(child, ast.Call):
            if not _is_computing(child, functions):
                return None
            waiting += child.args
            if isinstance(child.func, ast.Attribute):
                waiting.append(child.func.value)
        elif isinstance(child, ast.Name):
            if scope.depth_of(child.id) != 0:
                return None
            names.add(child.id)
        elif isinstance(child, (*_STATEMENTS, *_EXPRESSIONS)):
            if isinstance(child, ast.BinOp) and isinstance(child.op, (ast.Pow, ast.LShift, ast.MatMult)):
                return None
            if isinstance(child, ast.Subscript) and not isinstance(child.slice, (*_EXPRESSIONS, ast.Call)):
                return None
            waiting.extend(ast.iter_child_nodes(child))
        elif not isinstance(child, _PARTS):
            return None
    return Repetition(names, functions)


def _is_computing(node: ast.Call, functions: set[str]) -> bool:
    """Tell whether a call is of a function that computes, or adds to a list; note which function."""
    if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
        return False
    if isinstance(node.func, ast.Attribute):
        return node.func.attr == "append" and isinstance(node.func.value, ast.Name)
    if isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
        functions.add(node.func.id)
        return True
    return False
