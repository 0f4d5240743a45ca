"""What the project gives a class or function in a call: the arguments are evaluated with the statements that lead to them.

Of a script, only what an argument depends on is run: the assignments of its names, what changes them, their imports. So
neither data nor other networks are needed. A call is turned into a module with a function for each argument.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from cutaway.core.record import dataclass
from cutaway.core.session import current as current_session
from cutaway.core.unknown import Exhausted, Undecidable, Unknown
from cutaway.interp.analysis.project.unrecorded import unrecorded
from cutaway.interp.boundary.call import call
from cutaway.interp.modules import loader
from cutaway.interp.modules.main_block import is_main_test
from cutaway.interp.modules.module import ModuleState
from cutaway.interp.run import budget
from cutaway.syntax import project, resolve, source
from cutaway.syntax.scope import assigned

_SECONDS = 1.0
"""Processor time for the arguments of one call."""
_MOST_STATEMENTS = 60
_MAX_DEPTH = 3
_OF_WEIGHTS = frozenset("load_state_dict load_weights to cuda cpu half eval train".split())
"""Methods that change the numbers of a network, or where they are: the arguments of others don't depend on that."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def evaluated(tree: ast.Module, path: str, node: ast.Call, arguments: dict[str, ast.expr]) -> dict[str, Any]:
    """Return the values of some arguments of a call, as far as they can be determined."""
    builder = _Builder(tree)
    names = {name: builder.function_for(argument, node, 0) for name, argument in arguments.items()}
    program = builder.program()
    if program is None:
        return {}
    values: dict[str, Any] = {}
    session = current_session()
    with unrecorded(session), budget.separate_budget(_SECONDS, within=True), suppress(Exhausted):
        state = _module(path, node.lineno, program)
        for name, function in names.items():
            with suppress(Exception, SystemExit, Undecidable):
                value = call(state.lookup(function), [], {})
                if type(value) is not Unknown:
                    values[name] = value
    return values


def _module(path: str, line: int, program: ast.Module) -> ModuleState:
    """Return a module with a program of our own, in place of a file of the project."""
    modules = loader.current()
    _, name = resolve.package_root(path, source.relative_levels(source.content(path)))
    modules.add_project(project.import_folders(os.path.dirname(path)), [])
    text = ast.unparse(ast.fix_missing_locations(program)).encode()
    return modules.add(f"{name}__call_{line}", resolve.Location(path, ()), text)


@dataclass(frozen=True, slots=True)
class _Surroundings:
    """What is run before an expression: statements of the module, and of the function and class that it is in."""

    module: Sequence[ast.stmt]
    own: Sequence[ast.stmt]
    function: ast.FunctionDef | ast.AsyncFunctionDef | None
    owner: ast.ClassDef | None


class _Builder:
    """Collects the functions that evaluate expressions of a file, and the statements of the module that these need."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._functions: list[ast.stmt] = []
        self._needed: set[str] = set()
        self._limit = len(tree.body)
        self._before: dict[int, ast.stmt] = {}

    def program(self) -> ast.Module | None:
        """Return the module, None where too much would have to be run."""
        statements = _slice(list(self._before.values()), set(self._needed))
        if len(statements) > _MOST_STATEMENTS:
            return None
        placeholder = ast.parse(f"class {_SELF}: pass").body
        return ast.Module([*statements, *placeholder, *self._functions], [])

    def function_for(self, expression: ast.expr, node: ast.AST, depth: int) -> str:
        """Add a function that returns what an expression in a call is, and return its name."""
        around = _surroundings(self._tree, node)
        self._before.update((id(statement), statement) for statement in around.module)
        needed = set(_loaded(expression))
        own = _slice(around.own, needed) if around.function is not None else []
        body = [*self._parameters(around, needed, depth), *own, ast.Return(expression)]
        self._needed |= needed
        name = f"__value_{len(self._functions)}__"
        function = ast.parse(f"def {name}(): pass").body[0]
        assert isinstance(function, ast.FunctionDef)
        function.body = body
        self._functions.append(function)
        return name

    def _parameters(self, around: _Surroundings, needed: set[str], depth: int) -> Iterator[ast.stmt]:
        """Yield assignments of the parameters of the function that an expression is in: as it is called, or its defaults."""
        function = around.function
        if function is None:
            return
        names = [argument.arg for argument in (*function.args.posonlyargs, *function.args.args)]
        if around.owner is not None and names:
            yield _assignment(names.pop(0), ast.Call(ast.Name(_SELF, ast.Load()), [], []))
        given = dict(_given_by_caller(self._tree, around, names)) if depth < _MAX_DEPTH else {}
        defaults = dict(zip(reversed(names), reversed(function.args.defaults)))
        defaults |= {
            argument.arg: default
            for argument, default in zip(function.args.kwonlyargs, function.args.kw_defaults)
            if default is not None
        }
        for name in {*names, *defaults} & needed:
            if name in given:
                value, caller = given[name]
                yield _assignment(
                    name, ast.Call(ast.Name(self.function_for(value, caller, depth + 1), ast.Load()), [], [])
                )
            elif name in defaults:
                yield _assignment(name, defaults[name])


_SELF = "__Self__"


def _assignment(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], value, lineno=1)


def _surroundings(tree: ast.Module, node: ast.AST) -> _Surroundings:
    """Return what is run before an expression, at each level: in blocks that are taken, as far as the expression."""
    levels: list[list[ast.stmt]] = [[]]
    function: ast.FunctionDef | ast.AsyncFunctionDef | None = None
    owner: ast.ClassDef | None = None
    body: Sequence[ast.stmt] = tree.body
    while body:
        at = next((at for at, statement in enumerate(body) if any(each is node for each in ast.walk(statement))), None)
        if at is None:
            break
        statement = body[at]
        levels[-1] += body[:at]
        if isinstance(statement, ast.ClassDef):
            owner, body = statement, statement.body
            levels.append([])
        elif isinstance(statement, _FUNCTIONS):
            function, body = statement, statement.body
            if levels[-1] is not levels[0] and owner is not None:
                levels.pop()  # the body of the class
            levels.append([])
        else:
            body = _block_with(statement, node)
    if function is None:
        return _Surroundings(levels[0], [], None, None)
    own_calls = {function.name} if owner is None else {function.name, owner.name}
    whole = [
        inner for statement in tree.body for inner in _flattened(statement) if _called_alone(inner) not in own_calls
    ]
    own = [statement for level in levels[1:] for statement in level]
    return _Surroundings(whole, own, function, owner)


def _block_with(statement: ast.stmt, node: ast.AST) -> Sequence[ast.stmt]:
    """Return the block of a compound statement that a node is in."""
    for name in ("body", "orelse", "finalbody"):
        block: Sequence[ast.stmt] = getattr(statement, name, ())
        if any(each is node for inner in block for each in ast.walk(inner)):
            return block
    return ()


def _called_alone(statement: ast.stmt) -> str | None:
    """Return the name of the function that a statement calls, and does nothing else."""
    match statement:
        case ast.Expr(ast.Call(ast.Name(name))):
            return name
    return None


def _flattened(statement: ast.stmt) -> Iterable[ast.stmt]:
    """Return the statements of a main block, or the statement itself."""
    return statement.body if isinstance(statement, ast.If) and is_main_test(statement.test) else (statement,)


def _slice(statements: Sequence[ast.stmt], needed: set[str]) -> list[ast.stmt]:
    """Return the statements that some names depend on; `needed` gets the names that these use in turn."""
    included: set[int] = set()
    while True:
        count = len(included)
        for statement in reversed(statements):
            if id(statement) not in included and _provided(statement) & (needed | {"*"}):
                included.add(id(statement))
                needed |= _loaded(statement)
        if len(included) == count:
            return [statement for statement in statements if id(statement) in included]


def _provided(statement: ast.stmt) -> set[str]:
    """Return the names that a statement binds, or whose values it may change."""
    names = assigned([statement])
    if isinstance(statement, ast.ImportFrom) and any(alias.name == "*" for alias in statement.names):
        names.add("*")
    if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
        return {statement.name}
    for node in ast.walk(statement):
        match node:
            case ast.Attribute(value, attribute, ast.Store()):
                names.add(_root(ast.Attribute(value, attribute)))
            case ast.Subscript(value, _, ast.Store()):
                names.add(_root(value))
            case ast.Expr(ast.Call(function, arguments)):
                if isinstance(function, ast.Attribute):
                    if function.attr in _OF_WEIGHTS:
                        return set()
                    names.add(_root(function.value))
                names.update(argument.id for argument in arguments if isinstance(argument, ast.Name))
    return names - {""}


def _root(node: ast.expr) -> str:
    """Return the name that an expression starts from; of `self`, with the attribute."""
    while isinstance(node, (ast.Attribute, ast.Subscript, ast.Call)):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "self":
            return f"self.{node.attr}"
        node = node.func if isinstance(node, ast.Call) else node.value
    return node.id if isinstance(node, ast.Name) else ""


def _loaded(node: ast.AST) -> set[str]:
    """Return the names that a part of a program reads; of `self`, with the attribute."""
    names = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Load) and each.id != "self":
            names.add(each.id)
        elif isinstance(each, ast.Attribute) and isinstance(each.value, ast.Name) and each.value.id == "self":
            names.add(f"self.{each.attr}")
    return names


def _given_by_caller(
    tree: ast.Module, around: _Surroundings, parameters: Collection[str]
) -> Iterator[tuple[str, tuple[ast.expr, ast.Call]]]:
    """Yield the arguments that the file itself calls a function with, and where."""
    assert around.function is not None
    is_constructor = around.function.name == "__init__" and around.owner is not None
    name = around.owner.name if is_constructor and around.owner is not None else around.function.name
    inside = {id(each) for each in ast.walk(around.function)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call) or id(node) in inside:
            continue
        called = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if called != name or any(isinstance(argument, ast.Starred) for argument in node.args):
            continue
        yield from ((parameter, (argument, node)) for parameter, argument in zip(parameters, node.args))
        yield from ((str(each.arg), (each.value, node)) for each in node.keywords if each.arg in parameters)
        return
