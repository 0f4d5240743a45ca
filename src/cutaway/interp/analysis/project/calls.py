"""How the project itself calls a class or function: the arguments that it writes there, as far as they can be evaluated.

A call counts if its file imports the name from the module that defines it. One call is taken, the one that says the most.
"""

from __future__ import annotations

import ast
import os
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Any

from cutaway.core.place import Place
from cutaway.core.record import dataclass, field
from cutaway.interp.analysis.project.call_slices import evaluated
from cutaway.interp.analysis.project.files import project_files
from cutaway.interp.run.frame import MODULE_STATE
from cutaway.interp.run.function import record_of
from cutaway.syntax import source
from cutaway.syntax.scope import dotted_name, walk
from cutaway.syntax.source import SourceError

FIRST = ("train", "main", "run")
"""How the names of files begin that say best how a network is made."""
_MAX_FILES = 20
"""Files with the name in them that are parsed."""


@dataclass(frozen=True, slots=True)
class ProjectCall:
    """The arguments of a call that are known, by name, how they are written, and where it is."""

    arguments: Mapping[str, Any]
    place: Place
    written: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Written:
    """A call as it is written; some arguments are literals."""

    tree: ast.Module
    path: str
    node: ast.Call
    literals: Mapping[str, Any]
    others: Mapping[str, ast.expr]
    is_own: bool


def project_call(value: Any, parameters: Collection[str], wanted: Collection[str]) -> ProjectCall | None:
    """Return the call of the project that gives the most of the wanted arguments; None if no call gives one of them."""

    names = set(wanted)

    def order(one: _Written) -> tuple[int, int, bool, bool]:
        is_program = os.path.basename(one.path).startswith(FIRST)
        return len(one.literals.keys() & names), len(one.others.keys() & names), is_program, one.is_own

    best: ProjectCall | None = None
    written = sorted(_calls(value, list(parameters)), key=order, reverse=True)
    most_literals = len(written[0].literals.keys() & names) if written else 0
    for one in written if most_literals == len(names) else sorted(written, key=_is_likely, reverse=True)[:_MOST_CALLS]:
        known = dict(one.literals)
        if not known.keys() >= names and one.others:
            known |= evaluated(one.tree, one.path, one.node, dict(one.others))
        if best is None or len(known.keys() & names) > len(best.arguments.keys() & names):
            text = {name: ast.unparse(node) for name, node in one.others.items()}
            best = ProjectCall(known, Place(os.path.relpath(one.path), one.node.lineno), text)
        if best.arguments.keys() >= names:
            break
    return best if best is not None and best.arguments.keys() & names else None


_MOST_CALLS = 3
"""Calls whose arguments are evaluated."""


def _is_likely(one: _Written) -> tuple[int, bool, bool]:
    """Return how well a call says how a network is made."""
    count = len(one.literals) + len(one.others)
    return count, os.path.basename(one.path).startswith(FIRST), one.is_own


def _calls(value: Any, parameters: list[str]) -> Iterator[_Written]:
    name = getattr(value, "__name__", "")
    record = record_of(getattr(value, "__init__", None) if isinstance(value, type) else value)
    state = record.globals.get(MODULE_STATE) if record is not None else None
    if record is None or state is None or not name:
        return
    modules = {part for part in state.name.split(".")[-2:] if part}
    modules.add(os.path.basename(state.file).removesuffix(".py"))
    count = 0
    for path in project_files(record, ".py"):
        with suppress(SourceError, OSError):
            text = source.content(path)
            if count >= _MAX_FILES or f"{name}(".encode() not in text:
                continue
            count += 1
            tree = source.parse(text, path)
            is_own = os.path.abspath(path) == os.path.abspath(state.file)
            names = {name} if is_own else set(imported_as(tree, name, modules))
            if names:
                yield from _calls_in(tree, path, names, parameters, is_own)


def imported_as(tree: ast.Module, name: str, modules: Collection[str]) -> Iterator[str]:
    """Yield what a file calls a name that another module defines."""
    for node in walk(tree):
        match node:
            case ast.ImportFrom(module, aliases):
                home = (module or "").rpartition(".")[2]
                for alias in aliases:
                    if alias.name in (name, "*") and (home in modules or not module):
                        yield (alias.asname or name) if alias.name == name else name
                    elif alias.name in modules:
                        yield f"{alias.asname or alias.name}.{name}"
            case ast.Import(aliases):
                for alias in aliases:
                    if alias.name.rpartition(".")[2] in modules:
                        yield f"{alias.asname or alias.name}.{name}"


def _calls_in(
    tree: ast.Module, path: str, names: Collection[str], parameters: list[str], is_own: bool
) -> Iterator[_Written]:
    nodes = walk(tree)
    constants = constants_of(nodes)
    for node in nodes:
        if not isinstance(node, ast.Call) or dotted_name(node.func) not in names:
            continue
        plain = [arg for arg in node.args if not isinstance(arg, ast.Starred)]
        positional = zip(parameters, plain if len(plain) == len(node.args) else [])
        named = ((keyword.arg, keyword.value) for keyword in node.keywords if keyword.arg in parameters)
        literals: dict[str, Any] = {}
        others: dict[str, ast.expr] = {}
        for parameter, argument in (*positional, *named):
            try:
                literals[str(parameter)] = literal_of(argument, constants)
            except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                others[str(parameter)] = argument
        yield _Written(tree, path, node, literals, others, is_own)


def constants_of(nodes: Iterable[ast.AST]) -> dict[str, ast.expr]:
    """Return the names of a file that are assigned once, with what they are assigned."""
    values: dict[str, list[ast.expr]] = {}
    others: set[str] = set()
    for node in nodes:
        if type(node) in _BINDING:
            match node:
                case ast.Assign([ast.Name(name)], value):
                    values.setdefault(name, []).append(value)
                case ast.AugAssign(ast.Name(name)) | ast.For(ast.Name(name)) | ast.arg(name):
                    others.add(name)
    return {name: items[0] for name, items in values.items() if len(items) == 1 and name not in others}


_BINDING = (ast.Assign, ast.AugAssign, ast.For, ast.arg)


def literal_of(node: ast.expr, constants: Mapping[str, ast.expr]) -> Any:
    """Return the value of a literal, or of a name that is assigned one; raise as `ast.literal_eval` does for others."""
    return ast.literal_eval(constants.get(node.id, node) if isinstance(node, ast.Name) else node)
