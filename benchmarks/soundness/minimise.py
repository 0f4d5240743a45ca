"""Making a wrong program small: statements, branches, decisions and files are taken away while it remains wrong."""

from __future__ import annotations

import ast
import copy
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from benchmarks.soundness.program import Decision, Program, Way, is_decision

Check = Callable[[Program], bool]
"""Whether a program still shows what was wrong."""

_BLOCKS = ("body", "orelse", "finalbody")
_SECONDS = 90.0


def minimised(program: Program, is_wrong: Check) -> Program:
    """Return a smaller program that is still wrong."""
    started = time.monotonic()
    changed = True
    while changed:
        changed = False
        for candidate in _smaller(program):
            if time.monotonic() - started > _SECONDS:
                return program
            if _size(candidate) < _size(program) and is_wrong(candidate):
                program = candidate
                changed = True
                break
    return program


def _size(program: Program) -> tuple[int, int]:
    nodes = sum(1 for source in program.files.values() for _ in ast.walk(ast.parse(source)))
    return len(program.decisions), nodes


def _smaller(program: Program) -> Iterator[Program]:
    """Yield programs with something taken away: the largest pieces first."""
    for number, decision in enumerate(program.decisions):
        for way in decision.ways:
            if is_literal(way):
                yield settled(program, number, way)
    for path in program.files:
        if path != "model.py":
            files = {other: source for other, source in program.files.items() if other != path}
            yield replace(program, files=files).pruned()
    for path, source in program.files.items():
        tree = ast.parse(source)
        for smaller in _edits(tree, program.decisions):
            try:
                text = ast.unparse(ast.fix_missing_locations(smaller)) + "\n"
                compile(text, path, "exec")
            except (SyntaxError, ValueError):
                continue
            if _lacks_import(text):
                continue
            yield replace(program, files={**program.files, path: text}).pruned()


def is_literal(way: Way) -> bool:
    """Tell whether a way is a value that can stand in the source."""
    return way is None or isinstance(way, (bool, int, str, float))


class _Settling(ast.NodeTransformer):
    def __init__(self, decision: Decision, way: Way) -> None:
        self.decision, self.way = decision, way

    def visit(self, node: ast.AST) -> ast.AST:
        if is_decision(node, self.decision):
            return ast.Constant(self.way)  # type: ignore[arg-type]
        return super().generic_visit(node)


def settled(program: Program, number: int, way: Way) -> Program:
    """Return a program in which one decision is a constant."""
    decision = program.decisions[number]
    files = {}
    for path, source in program.files.items():
        tree = ast.fix_missing_locations(_Settling(decision, way).visit(ast.parse(source)))
        files[path] = ast.unparse(tree) + "\n"
    kept = tuple(one for at, one in enumerate(program.decisions) if at != number)
    return replace(program, files=files, decisions=kept)


def _lacks_import(text: str) -> bool:
    """Tell whether a module is used that is not imported: the runs, in which decisions are replaced, would not notice."""
    tree = ast.parse(text)
    imported = {
        (alias.asname or alias.name).partition(".")[0]
        for node in ast.walk(tree)
        if isinstance(node, (ast.Import, ast.ImportFrom))
        for alias in node.names
    }
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    return bool(used & {"torch", "nn", *sys.stdlib_module_names} - imported)


def _edits(tree: ast.Module, decisions: tuple[Decision, ...]) -> Iterator[ast.Module]:
    """Yield copies of a tree with one statement taken away, or replaced by what is in it."""
    places = [
        (number, name, at)
        for number, node in enumerate(ast.walk(tree))
        for name in _BLOCKS
        if isinstance(getattr(node, name, None), list)
        for at in range(len(getattr(node, name)))
    ]
    sized = sorted(places, key=lambda place: -_weight(tree, place))
    for place in sized:
        yield _edited(tree, place, [])
        statement = _statement(tree, place)
        for name in (*_BLOCKS, "handlers"):
            inner = getattr(statement, name, None)
            if not inner or isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
                continue
            if name == "handlers":
                yield _edited(tree, place, inner[0].body)
            else:
                yield _edited(tree, place, inner)
    within = {
        id(inner) for node in ast.walk(tree) for one in decisions if is_decision(node, one) for inner in ast.walk(node)
    }
    for number, node in enumerate(ast.walk(tree)):
        if id(node) in within:
            continue
        if getattr(node, "decorator_list", None):
            smaller = copy.deepcopy(tree)
            _nth(smaller, number).decorator_list = []  # type: ignore[attr-defined]
            yield smaller
        if isinstance(node, (ast.List, ast.Tuple)) and len(node.elts) > 1:
            for at in range(len(node.elts)):
                smaller = copy.deepcopy(tree)
                del _nth(smaller, number).elts[at]  # type: ignore[attr-defined]
                yield smaller
        if isinstance(node, ast.Dict) and len(node.keys) > 1:
            smaller = copy.deepcopy(tree)
            del _nth(smaller, number).keys[-1], _nth(smaller, number).values[-1]  # type: ignore[attr-defined]
            yield smaller


def _nth(tree: ast.AST, number: int) -> ast.AST:
    return next(node for at, node in enumerate(ast.walk(tree)) if at == number)


Place = tuple[int, str, int]


def _statement(tree: ast.Module, place: Place) -> ast.stmt:
    number, name, at = place
    statement: ast.stmt = getattr(_nth(tree, number), name)[at]
    return statement


def _weight(tree: ast.Module, place: Place) -> int:
    return sum(1 for _ in ast.walk(_statement(tree, place)))


def _edited(tree: ast.Module, place: Place, instead: list[ast.stmt]) -> ast.Module:
    number, name, at = place
    smaller = copy.deepcopy(tree)
    statements = getattr(_nth(smaller, number), name)
    statements[at : at + 1] = copy.deepcopy(instead)
    if not statements and name == "body":
        statements.append(ast.Pass())
    return smaller
