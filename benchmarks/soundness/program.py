"""A program with open decisions, as Cutaway reads it and as the real torch runs it.

There is one source. Cutaway reads it as it is. For the truth, each expression that is a decision is replaced by a call
of `_decide`, which answers in the way that is being tried.
"""

from __future__ import annotations

import ast
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import PurePosixPath
from typing import TypeAlias

CONSTANT, FRESH, DATA = "constant", "fresh", "data"
"""How a decision behaves when it is met again: the same answer, another one, another one if the tensor is another."""


@dataclass(frozen=True)
class Raises:
    """A way in which the expression raises an exception of a built-in class."""

    exception: str


@dataclass(frozen=True)
class Effect:
    """A way in which a function of an unseen package acts: the source of a function of the same arguments."""

    source: str


@dataclass(frozen=True)
class Stub:
    """A way in which a module can be imported; every name of it is a function that returns its first argument."""


Way: TypeAlias = "bool | int | float | str | Raises | Effect | Stub | None"


@dataclass(frozen=True)
class Decision:
    """An expression, or an `import`, that the source does not decide, and what it may turn out to be."""

    text: str
    ways: tuple[Way, ...] = (False, True)
    nature: str = CONSTANT
    kind: str = ""


@dataclass(frozen=True)
class Program:
    """Files by path, what is shown of them, and the decisions in them.

    `installed` is the folder whose packages are found as if they were installed. `built` are
    expressions of which each makes a network for a run, where the target needs arguments. `parts` are the constructs that each
    part of the program was made from; names that belong to a part end in its number, counted from 1.
    """

    files: Mapping[str, str]
    decisions: tuple[Decision, ...]
    target: str = "model.py::Net"
    input: str = "2x4"
    installed: str = ""
    built: tuple[str, ...] = ()
    parts: tuple[tuple[str, ...], ...] = ()

    def modules(self) -> Iterator[tuple[str, str, bool]]:
        """Yield each file as a module: its name, its source, and whether it is a package."""
        for path, source in self.files.items():
            pure = PurePosixPath(path)
            if self.installed and pure.is_relative_to(self.installed):
                pure = pure.relative_to(self.installed)
            parts = pure.with_suffix("").parts
            is_package = parts[-1] == "__init__"
            yield ".".join(parts[:-1] if is_package else parts), source, is_package

    def pruned(self) -> Program:
        """Return the program without decisions that no longer occur in it."""
        trees = [ast.parse(source) for source in self.files.values()]
        kept = tuple(one for one in self.decisions if any(_occurs(one, tree) for tree in trees))
        return replace(self, decisions=kept)

    def text(self) -> str:
        """Return all files as one text, and the ways of the decisions."""
        files = [source if len(self.files) == 1 else f"# {path}\n{source}" for path, source in self.files.items()]
        ways = [f"# decision {one.text}: {', '.join(map(str, one.ways))}" for one in self.decisions]
        return "\n".join([*ways, *files])


@functools.lru_cache(maxsize=4096)
def _pattern(text: str) -> tuple[type, str]:
    """Return the kind of node that a decision is, and its dump."""
    statement = ast.parse(text).body[0]
    node: ast.AST = statement.value if isinstance(statement, ast.Expr) else statement
    return type(node), ast.dump(node)


def is_decision(node: ast.AST, decision: Decision) -> bool:
    """Tell whether a node of a syntax tree is a decision."""
    kind, dump = _pattern(decision.text)
    return type(node) is kind and ast.dump(node) == dump


def _occurs(decision: Decision, tree: ast.AST) -> bool:
    return any(is_decision(node, decision) for node in ast.walk(tree))


class Deciding(ast.NodeTransformer):
    """Replaces decisions by what answers them in a run."""

    def __init__(self, decisions: tuple[Decision, ...]) -> None:
        self.decisions = decisions

    def visit(self, node: ast.AST) -> ast.AST:
        """Replace a node that is a decision; look for decisions in any other."""
        for number, decision in enumerate(self.decisions):
            if is_decision(node, decision):
                return ast.copy_location(_answered(node, number, decision), node)
        return super().generic_visit(node)


def _answered(node: ast.AST, number: int, decision: Decision) -> ast.AST:
    answer = ast.Call(ast.Name("_decide", ast.Load()), [ast.Constant(number)], [])
    if isinstance(node, ast.Import):
        name = node.names[0].asname or node.names[0].name
        return ast.Assign([ast.Name(name, ast.Store())], answer)
    if isinstance(node, ast.ImportFrom):
        name = node.names[0].asname or node.names[0].name
        value = ast.Attribute(answer, node.names[0].name, ast.Load())
        return ast.Assign([ast.Name(name, ast.Store())], value)
    if isinstance(node, ast.Call) and any(isinstance(way, Effect) for way in decision.ways):
        return ast.Call(answer, node.args, node.keywords)
    if decision.nature == DATA:
        tensor = next(inner for inner in ast.walk(node) if isinstance(inner, ast.Name))
        answer.args.append(ast.Name(tensor.id, ast.Load()))
    return answer


def deciding_tree(source: str, decisions: tuple[Decision, ...]) -> ast.Module:
    """Return the syntax tree of a file in which decisions are answered."""
    tree = Deciding(decisions).visit(ast.parse(source))
    assert isinstance(tree, ast.Module)
    return ast.fix_missing_locations(tree)
