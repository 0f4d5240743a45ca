"""The base of all compilers of Python code: the scope of names, and dispatch on the kind of node."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, TypeVar

from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp.compile.variables import (
    load_class,
    load_class_variable,
    load_enclosing,
    load_global,
    load_local,
)
from cutaway.interp.run.frame import Evaluate, Frame
from cutaway.interp.run.function import FunctionCompiler
from cutaway.syntax import scope as scopes
from cutaway.syntax.scope import Scope

Compiler = TypeVar("Compiler", bound="ScopeCompiler")


class ScopeCompiler:
    """Compiles the code of one scope of one file; each kind of node has its own method."""

    in_condition = False  # the expression is part of a condition
    in_chain = False  # the expression is called, or converted, by the one that it is part of

    def __init__(self, scope: Scope, file: str, function_compiler: FunctionCompiler, owner: str = "") -> None:
        self.scope = scope
        self.file = file
        self.function_compiler = function_compiler  # compiles the bodies of functions that are defined in this scope
        self.owner = owner  # the enclosing class, for private names

    def inside(self: Compiler, scope: Scope, owner: str | None = None) -> Compiler:
        """Return the compiler of a nested scope."""
        return type(self)(scope, self.file, self.function_compiler, self.owner if owner is None else owner)

    def expression(self, node: ast.expr) -> Evaluate:
        """Return the closure that evaluates `node`."""
        compile_node: Callable[[Any], Evaluate] | None = getattr(self, f"_{type(node).__name__}", None)
        if compile_node is None:
            return _unsupported(f"{type(node).__name__.lower()} expressions are not interpreted")
        return compile_node(node)

    def test(self, node: ast.expr) -> Evaluate:
        """Return the closure that evaluates a condition, in which reading the mode of a network is noted."""
        outer, self.in_condition = self.in_condition, True
        try:
            return self.expression(node)
        finally:
            self.in_condition = outer

    def part_of_chain(self, node: ast.expr) -> Evaluate:
        """Compile what is called, or converted: where it is unknown it raises with the whole expression or not at all."""
        outer, self.in_chain = self.in_chain, isinstance(node, (ast.Call, ast.Attribute))
        try:
            return self.expression(node)
        finally:
            self.in_chain = outer

    def skip(self, frame: Frame, node: ast.expr, unknown: Unknown) -> None:
        """Make unknown what a part of an expression that may or may not be evaluated would have changed."""

    def mangle(self, name: str) -> str:
        """Return a name as it is bound in this scope: private names contain the name of their class."""
        return scopes.mangle(self.owner, name) if self.owner else name

    def load(self, name: str) -> Evaluate:
        """Return the closure that reads a variable."""
        depth = self.scope.depth_of(name) if self.scope.kind != "module" else None
        if name == "__class__" and depth is None and self.owner:
            return load_class
        if self.scope.kind == "class" and self.scope.declared.get(name) is None:
            return load_class_variable(name, load_enclosing(name, depth) if depth else load_global(name))
        if depth is None:
            return load_global(name)
        return load_local(name) if depth == 0 else load_enclosing(name, depth)


def _unsupported(reason: str) -> Evaluate:
    def evaluate(frame: Frame) -> Any:
        raise Undecidable(Unknown(reason, frame.place))

    return evaluate
