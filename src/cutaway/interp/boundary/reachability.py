"""What the source alone says: which statements a program always reaches, and which names nothing in it sets."""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cutaway.core.protocols import is_module
from cutaway.interp.run.frame import MODULE_STATE, Frame
from cutaway.syntax import source

_CONDITIONAL = (ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_LEAVING = (ast.Return, ast.Raise, ast.Break, ast.Continue, ast.Yield, ast.YieldFrom, ast.Await)
_COMPUTED = frozenset("exec eval globals locals vars __dict__ __setattr__ __getattr__ __getattribute__".split())
_REGISTERING = frozenset("add_module register_module register_buffer register_parameter setattr".split())


def is_always_reached(path: Sequence[tuple[Frame, int]]) -> bool:
    """Tell whether each call on a way is made, and its end is reached, whatever conditions hold in it."""
    return all(_reaches(frame, line) for frame, line in path)


def _reaches(frame: Frame, line: int) -> bool:
    if frame.function is not None:
        node = frame.function.code.node
        if isinstance(node, ast.Lambda):
            return not _has_condition(node.body)
        return _reached_in(node.body, line)
    state = frame.globals.get(MODULE_STATE)
    if state is None or not line:
        return True  # an expression of the command line, or a call that Cutaway makes itself
    if frame.vars is not frame.globals:
        return False  # the body of a class
    return _reached_in(_tree(state).body, line)


def _reached_in(body: Sequence[ast.stmt], line: int) -> bool:
    """Tell whether a line of a block is reached if the block is entered."""
    for node in body:
        if node.lineno <= line <= (node.end_lineno or node.lineno):
            if isinstance(node, (ast.With, ast.AsyncWith)):
                return any(_within(item.context_expr, line) for item in node.items) or _reached_in(node.body, line)
            if isinstance(node, ast.Try):
                return _reached_in(node.body, line)
            if isinstance(node, ast.If):
                is_main = _is_main_test(node.test) and _reached_in(node.body, line)
                return is_main or (_is_header(node.test, node, line) and not _has_condition(node.test))
            if isinstance(node, ast.For):
                return _is_header(node.iter, node, line) and not _has_condition(node.iter)
            if isinstance(node, (ast.While, ast.Match, *_SCOPES)):
                return False
            return not _has_condition(node)
        if node.lineno < line and _may_leave(node):
            return False
    return False


def _within(node: ast.expr | ast.stmt, line: int) -> bool:
    return node.lineno <= line <= (node.end_lineno or node.lineno)


def _is_header(node: ast.expr, statement: ast.If | ast.For, line: int) -> bool:
    """Tell whether a line has this part of a statement, and nothing of its body."""
    return _within(node, line) and statement.body[0].lineno > line


def _is_main_test(test: ast.expr) -> bool:
    return "__name__" in {node.id for node in ast.walk(test) if isinstance(node, ast.Name)}


def _has_condition(node: ast.AST) -> bool:
    return any(isinstance(child, _CONDITIONAL) for child in ast.walk(node))


def _may_leave(node: ast.stmt) -> bool:
    """Tell whether a statement may end the block that it is in."""
    waiting: list[ast.AST] = [node]
    while waiting:
        child = waiting.pop()
        if isinstance(child, _LEAVING):
            return True
        if not isinstance(child, _SCOPES):
            waiting.extend(ast.iter_child_nodes(child))
    return False


def never_binds(frame: Frame, name: str) -> bool:
    """Tell whether nothing in a module's source binds a variable of this name, or computes names of variables."""
    state = frame.globals.get(MODULE_STATE)
    return state is not None and name not in _bound(state) and not _computes_names(state) and not state.stars


def never_sets(frame: Frame, name: str) -> bool:
    """Tell whether no source of the user's project sets an attribute of this name, or computes names of attributes."""
    state = frame.globals.get(MODULE_STATE)
    if state is None:
        return False
    own = [each for each in state.loader.states.values() if each.is_own and each.started]
    return not any(name in _set(each) or _computes_names(each) for each in own)


def compares_numbers(frame: Frame, line: int) -> bool:
    """Tell whether a line of a function is reached because of numbers and strings that it is called with.

    What a library does without a package that it does not find is decided by flags and by what is None, not by these.
    """
    if frame.function is None or isinstance(frame.function.code.node, ast.Lambda):
        return False
    tests = [
        node.test
        for node in ast.walk(frame.function.code.node)
        if isinstance(node, ast.If) and any(_within(each, line) for each in (*node.body, *node.orelse))
    ]
    operands = [each for test in tests for each in _operands(test)]
    return bool(operands) and all(_is_number(frame, each) for each in operands)


def _operands(node: ast.AST) -> Iterator[ast.expr]:
    """Yield the variables and attributes that an expression reads; functions that it calls are left out."""
    if isinstance(node, (ast.Name, ast.Attribute)):
        yield node
        return
    children = (*node.args, *node.keywords) if isinstance(node, ast.Call) else ast.iter_child_nodes(node)
    for child in children:
        yield from _operands(child)


def _is_number(frame: Frame, node: ast.expr) -> bool:
    """Tell whether a variable of a call, or an attribute of one, is a number, a string, or a sequence of these."""
    value = None
    if isinstance(node, ast.Name):
        value = frame.vars.get(node.id)
    elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        owner = frame.vars.get(node.value.id)
        value = object.__getattribute__(owner, "__dict__").get(node.attr) if is_module(owner) else None
    items: Sequence[Any] = value if isinstance(value, (list, tuple)) else (value,)
    return bool(items) and all(type(item) in (int, float, str) for item in items)


def is_called_none(frame: Frame, line: int) -> bool:
    """Tell whether a line calls only attributes that the user's project sets to None, and to nothing else."""
    state = frame.globals.get(MODULE_STATE)
    if state is None:
        return False
    calls = [node for node in ast.walk(_tree(state)) if isinstance(node, ast.Call) and _within(node, line)]
    names = {call.func.attr if isinstance(call.func, ast.Attribute) else "" for call in calls}
    own = [each for each in state.loader.states.values() if each.is_own and each.started]
    return len(names) == 1 and not any(_computes_names(each) for each in own) and _is_only_none(names.pop(), own)


def _is_only_none(name: str, states: list[Any]) -> bool:
    """Tell whether every assignment to attributes of a name in the source of modules is of None."""
    sets = 0
    for state in states:
        nones = 0
        for node in ast.walk(_tree(state)):
            match node:
                case ast.Assign([ast.Attribute(_, attribute)], ast.Constant(None)) if attribute == name:
                    nones += 1
                case ast.Attribute(_, attribute, ast.Store()) if attribute == name:
                    sets += 1
                case ast.Constant(str(text)) if text == name:
                    return False
                case ast.keyword(str(argument)) if argument == name:
                    return False
        if name in _names(ast.walk(_tree(state))):
            return False
        sets -= nones
    return sets == 0


@functools.lru_cache(maxsize=16)
def _parsed(text: bytes, file: str) -> ast.Module:
    return source.parse(text, file, whole=True)


def _tree(state: Any) -> ast.Module:
    return _parsed(state._read(), state.file)


def _computes_names(state: Any) -> bool:
    """Tell whether a module's source may set variables or attributes whose names are not written in it."""
    for node in ast.walk(_tree(state)):
        match node:
            case ast.Name(name) | ast.Attribute(_, name) if name in _COMPUTED:
                return True
            case ast.Call(ast.Name(name) | ast.Attribute(_, name), args) if name in _REGISTERING:
                if not any(isinstance(arg, ast.Constant) and isinstance(arg.value, str) for arg in args[:2]):
                    return True
    return False


def _bound(state: Any) -> set[str]:
    """Return the names that a module's source binds anywhere."""
    return set(_names(ast.walk(_tree(state))))


def _names(nodes: Iterable[ast.AST]) -> Iterable[str]:
    for node in nodes:
        match node:
            case ast.Name(name, ast.Store() | ast.Del()) | ast.arg(name):
                yield name
            case ast.FunctionDef(name) | ast.AsyncFunctionDef(name) | ast.ClassDef(name):
                yield name
            case ast.Import(aliases) | ast.ImportFrom(_, aliases):
                yield from ((alias.asname or alias.name).partition(".")[0] for alias in aliases)
            case ast.Global(names) | ast.Nonlocal(names):
                yield from names
            case ast.ExceptHandler(_, str(name)) | ast.MatchAs(_, str(name)) | ast.MatchStar(str(name)):
                yield name


def _set(state: Any) -> set[str]:
    """Return the attributes that a module's source sets, defines in a class, or names in a string."""
    nodes = list(ast.walk(_tree(state)))
    names = {node.attr for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store)}
    names |= {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    return names | set(_names(nodes)) | {str(node.arg) for node in nodes if isinstance(node, ast.keyword)}
