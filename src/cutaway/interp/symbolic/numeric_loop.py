"""Loops that compute with plain numbers alone, so that equal inputs give equal results.

Networks compute tables of positions by loops over all pairs of them, once for every layer and with the same
numbers in each. Such a loop reads and writes nothing but local variables that hold numbers, strings and flat
containers of them; when it starts from values that it has started from before, its result is reused.

A long one is postponed: the lengths of the lists that it fills follow from its iterations (`core/lazy_list.py`), and
most programs only make tensors of them, whose numbers are never read. Reading anything else that it sets runs it.
"""

from __future__ import annotations

import ast
import math
import sys
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from cutaway.core.lazy_list import LazyList
from cutaway.core.speed import is_on
from cutaway.interp.run.frame import MODULE_STATE, Frame
from cutaway.syntax.scope import Scope

_MIN_ITEMS = 16  # of a loop whose result is saved
_MIN_POSTPONED = 1 << 14  # items that a postponed loop adds to lists
_STATEMENTS = (ast.Assign, ast.AugAssign, ast.If, ast.For, ast.Expr, ast.Pass, ast.Continue, ast.Break)
_EXPRESSIONS = (ast.Name, ast.Constant, ast.Tuple, ast.BinOp, ast.UnaryOp, ast.Compare, ast.BoolOp, ast.Subscript)
_PARTS = (ast.expr_context, ast.operator, ast.unaryop, ast.cmpop, ast.boolop)
_FUNCTIONS = frozenset(("abs", "len", "min", "max", "range", "enumerate", "zip"))
_ATOMS = frozenset((int, str, type(None)))
_NUMBERS = frozenset((int, float))


class _Impure(Exception):
    """A value is neither a number, nor a string, nor a container of these alone."""


class NumericLoop:
    """One loop: its variables, and its results by the values that it starts from."""

    def __init__(self, names: Iterable[str], functions: Iterable[str], filling: Filling | None) -> None:
        self._names = sorted(names)
        self._functions = sorted(functions)
        self._filling = filling
        self._results: dict[Any, dict[str, Any]] = {}

    def start(self, frame: Frame, items: Any, run: Run) -> Callable[[], None] | None:
        """Reuse the result for the same values, and return None; or return what is to be called at the end.

        None is also returned where the loop is postponed; `run(frame, items, None)` is then called when it is needed.
        """
        if type(items) not in (list, tuple, range) or len(items) < _MIN_ITEMS or not self._are_built_in(frame):
            return _ignored
        if type(frame.vars) is PostponedVariables:
            frame.vars.compute(self._names)
        try:
            key = (_frozen(items), *(self._variable(frame, name, 4 * len(items)) for name in self._names))
        except _Impure:
            return _ignored
        containers = self._containers(frame)
        if len(set(containers.values())) < len(containers):
            return _ignored  # two names for one container
        result = self._results.get(key)
        if result is None and self._filling is not None and self._filling.postpone(frame, items, self._names, run, key):
            return None
        if result is None:
            return lambda: self._save(frame, key, containers)
        for name, value in result.items():
            _assign(frame, name, value)
        return None

    def _are_built_in(self, frame: Frame) -> bool:
        home = frame.globals.get(MODULE_STATE)
        unshadowed = all(name not in frame.globals for name in self._functions)
        return unshadowed and (home is None or not home.stars)

    def _containers(self, frame: Frame) -> dict[str, int]:
        """Return which containers the variables hold, by their identity."""
        values = {name: frame.vars[name] for name in self._names if name in frame.vars}
        return {name: id(value) for name, value in values.items() if type(value) in (list, dict)}

    def _variable(self, frame: Frame, name: str, most: int) -> Any:
        if name not in frame.vars:
            return _Impure  # it has no value yet
        value = frame.vars[name]
        if type(value) in (list, dict) and len(value) > most + 64:
            raise _Impure
        return _frozen(value)

    def _save(self, frame: Frame, key: Any, containers: dict[str, int]) -> None:
        result: dict[str, Any] = {}
        if self._containers(frame) != containers:
            return  # a variable holds another container
        try:
            for name in self._names:
                if name in frame.vars:
                    value = frame.vars[name]
                    _frozen(value)
                    result[name] = value.copy() if type(value) in (list, dict) else value
        except _Impure:
            return
        self._results[key] = result


def _references(variables: dict[str, Any], name: str) -> int:
    return sys.getrefcount(variables[name])


_PROBE: dict[str, Any] = {"": []}
_SINGLE_OWNER = _references({**_PROBE}, "")
"""How many references there are to a value that only a variable, and a copy of the variables, hold."""

Run = Callable[[Frame, Iterator[Any], None], object]


class PostponedVariables(dict[str, Any]):
    """The variables of a function, some of which a postponed loop sets."""

    def __init__(self, variables: dict[str, Any]) -> None:
        super().__init__(variables)
        self._pending: list[tuple[set[str], Callable[[], dict[str, Any]]]] = []

    def postpone(self, names: set[str], compute: Callable[[], dict[str, Any]]) -> None:
        """Compute variables when one of them is read."""
        self._pending.append((names, compute))
        for name in names:
            self.pop(name, None)

    def compute(self, names: Iterable[str]) -> None:
        """Compute those postponed variables that are among some names."""
        for entry in [each for each in self._pending if not each[0].isdisjoint(names)]:
            self._pending.remove(entry)
            result = entry[1]()
            for name in entry[0]:
                if name in result:
                    value = result[name]
                    self.setdefault(name, value.copy() if type(value) in (list, dict) else value)

    def __missing__(self, name: str) -> Any:
        self.compute((name,))
        if name in self:
            return self[name]
        raise KeyError(name)


class Filling:
    """A loop that sets variables and adds to lists in each iteration: how often is known before it runs."""

    def __init__(self, changed: set[str], lists: dict[str, list[list[ast.For]]], loops: list[ast.For]) -> None:
        self._changed, self._lists, self._inner = changed, lists, loops[1:]
        self._numbers = _Numbers(loops[0])
        self._computations: dict[Any, Callable[[], dict[str, Any]]] = {}

    def postpone(self, frame: Frame, items: Any, names: list[str], run: Run, key: Any) -> bool:
        """Postpone the loop, where it is long and nothing else refers to what it changes; False where it is not."""
        counts = {id(loop): self._count(frame, loop) for loop in self._inner}
        if None in counts.values():
            return False
        lengths = {
            name: sum(len(items) * math.prod(counts[id(loop)] or 0 for loop in around) for around in places)
            for name, places in self._lists.items()
        }
        if sum(lengths.values()) < _MIN_POSTPONED:
            return False
        variables: dict[str, Any] = {name: frame.vars[name] for name in names if name in frame.vars}
        for name in variables:
            is_single_owner = type(variables[name]) not in (list, dict) or _references(variables, name) <= _SINGLE_OWNER
            if name in self._changed | self._lists.keys() and not is_single_owner:
                return False
        if any(type(variables.get(name)) is not list for name in lengths):
            return False
        start = {name: value.copy() if type(value) in (list, dict) else value for name, value in variables.items()}
        computed = self._computations.get(key)
        if computed is None:
            separate_frame = Frame(start, frame.globals, frame.file, frame.parent, frame.function)
            separate_frame.line = frame.line
            computed = self._computations[key] = _once(lambda: run(separate_frame, iter(items), None), start)
        if type(frame.vars) is not PostponedVariables:
            frame.vars = PostponedVariables(frame.vars)
        frame.vars.postpone(self._changed - lengths.keys(), computed)
        for name, more in lengths.items():
            length = len(variables[name]) + more
            numbers = self._numbers.fill(name, variables)
            frame.vars[name] = LazyList(length, lambda name=name: computed()[name], numbers)  # type: ignore[misc]
        return True

    def _count(self, frame: Frame, loop: ast.For) -> int | None:
        """Return how many iterations an inner loop has; None where that is not known before it runs."""
        node = loop.iter
        if isinstance(node, ast.Name) and node.id not in self._changed and node.id not in self._lists:
            value = frame.vars.get(node.id)
            return len(value) if type(value) in (list, tuple, range) else None
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "range":
            ends = [self._end(frame, one) for one in node.args]
            return None if None in ends else len(range(*ends))  # type: ignore[arg-type]
        return None

    def _end(self, frame: Frame, node: ast.expr) -> int | None:
        if isinstance(node, ast.Name) and node.id not in self._changed:
            value = frame.vars.get(node.id)
        else:
            value = node.value if isinstance(node, ast.Constant) else None
        return value if type(value) is int else None


def _once(run: Callable[[], object], variables: dict[str, Any]) -> Callable[[], dict[str, Any]]:
    """Return a function that returns variables, and runs something the first time."""
    pending = [run]

    def computed() -> dict[str, Any]:
        if pending:
            pending.pop()()
        return variables

    return computed


def filling(node: ast.For) -> Filling | None:
    """Return what a numeric loop fills; None where its iterations alone do not determine how much."""
    changed: set[str] = set()
    lists: dict[str, list[list[ast.For]]] = {}
    loops = [node]
    pending: list[tuple[ast.AST, list[ast.For], bool]] = [(child, [], False) for child in (node.target, *node.body)]
    while pending:
        child, enclosing, is_open = pending.pop()
        if isinstance(child, (ast.Break, ast.Continue)):
            return None
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store):
            changed.add(child.id)
        elif isinstance(child, ast.Subscript) and isinstance(child.ctx, ast.Store):
            if not isinstance(child.value, ast.Name):
                return None
            changed.add(child.value.id)
        elif isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
            if is_open or not isinstance(child.func.value, ast.Name):
                return None
            lists.setdefault(child.func.value.id, []).append(enclosing)
        if isinstance(child, ast.For):
            loops.append(child)
            enclosing = [*enclosing, child]
        is_open = is_open or isinstance(child, (ast.If, ast.BoolOp, ast.Compare))
        pending += [(inner, enclosing, is_open) for inner in ast.iter_child_nodes(child)]
    return None if not lists or changed & lists.keys() else Filling(changed, lists, loops)


class _Numbers:
    """Which expressions of a loop are numbers, whatever its variables hold."""

    def __init__(self, node: ast.For) -> None:
        self._added: dict[str, list[ast.expr]] = {}
        self._stored: dict[str, list[ast.expr | None]] = {}
        for child in ast.walk(node):
            if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute):
                self._added.setdefault(ast.unparse(child.func.value), []).extend(child.args)
            elif isinstance(child, ast.Assign):
                for target in child.targets:
                    if isinstance(target, ast.Subscript):
                        self._stored.setdefault(ast.unparse(target.value), []).append(child.value)
            elif isinstance(child, ast.AugAssign) and isinstance(child.target, ast.Subscript):
                self._stored.setdefault(ast.unparse(child.target.value), []).append(None)

    def fill(self, name: str, variables: dict[str, Any]) -> bool:
        """Tell whether a list contains nothing but numbers, and nothing else is added to it."""
        return all(type(item) in _NUMBERS for item in variables[name]) and all(
            self._is_number(value, variables) for value in self._added[name]
        )

    def _is_number(self, node: ast.expr | None, variables: dict[str, Any]) -> bool:
        match node:
            case ast.Constant(value):
                return type(value) in _NUMBERS
            case ast.Call(ast.Name(name)):
                return name in ("abs", "len")
            case ast.BinOp(_, ast.Sub() | ast.FloorDiv() | ast.Div()):
                return True
            case ast.BinOp(left, ast.Add() | ast.Mult() | ast.Mod(), right):
                return self._is_number(left, variables) and self._is_number(right, variables)
            case ast.Subscript(ast.Name(name)):
                before = variables.get(name)
                stored = self._stored.get(name)
                if type(before) is not dict or stored is None or any(type(v) not in _NUMBERS for v in before.values()):
                    return False
                return all(self._is_number(value, variables) for value in stored)
        return False


def _ignored() -> None:
    pass


def _assign(frame: Frame, name: str, value: Any) -> None:
    """Set a variable, or the contents of the container that it holds: others may refer to the container."""
    if type(value) is list:
        frame.vars[name][:] = value
    elif type(value) is dict:
        frame.vars[name].clear()
        frame.vars[name].update(value)
    else:
        frame.vars[name] = value


def _frozen(value: Any) -> Any:
    """Return the key for a plain value; equal numbers of different types have different keys."""
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
    """Freeze an element of a container, which must not be mutable."""
    if type(value) in (list, dict):
        raise _Impure
    return _frozen(value)


def numeric_loop(node: ast.For, scope: Scope) -> NumericLoop | None:
    """Return the numeric loop of a statement, None where it may do more than compute with local variables."""
    if scope.kind != "function" or node.orelse or not is_on("numeric-loops"):
        return None
    names: set[str] = set()
    functions: set[str] = set()
    pending: list[ast.AST] = [node.target, *node.body]
    while pending:
        child = pending.pop()
        if isinstance(child, ast.Call):
            if not _is_computing(child, functions):
                return None
            pending += child.args
            if isinstance(child.func, ast.Attribute):
                pending.append(child.func.value)
        elif isinstance(child, ast.Name):
            if scope.depth_of(child.id) != 0:
                return None
            names.add(child.id)
        elif isinstance(child, (*_STATEMENTS, *_EXPRESSIONS)):
            if isinstance(child, ast.BinOp) and isinstance(child.op, (ast.Pow, ast.LShift, ast.MatMult)):
                return None
            if isinstance(child, ast.Subscript) and not isinstance(child.slice, (*_EXPRESSIONS, ast.Call)):
                return None
            pending.extend(ast.iter_child_nodes(child))
        elif not isinstance(child, _PARTS):
            return None
    return NumericLoop(names, functions, filling(node))


def _is_computing(node: ast.Call, functions: set[str]) -> bool:
    """Tell whether a call is of a function that computes, or adds to a list; record the function."""
    if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
        return False
    if isinstance(node.func, ast.Attribute):
        return node.func.attr == "append" and isinstance(node.func.value, ast.Name)
    if isinstance(node.func, ast.Name) and node.func.id in _FUNCTIONS:
        functions.add(node.func.id)
        return True
    return False
