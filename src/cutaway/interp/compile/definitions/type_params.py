"""Type parameters of functions and classes, and `type` statements."""

from __future__ import annotations

import ast
import typing
from collections.abc import Callable
from typing import Any

from cutaway.core.unknown import Undecidable
from cutaway.interp.compile.scope_compiler import ScopeCompiler
from cutaway.interp.run.frame import Evaluate, Frame
from cutaway.syntax.scope import Scope

_KINDS = {"TypeVar": "TypeVar", "TypeVarTuple": "TypeVarTuple", "ParamSpec": "ParamSpec"}


def parameter_scope(compiler: ScopeCompiler, node: Any) -> Scope | None:
    """Return the scope that type parameters make around a definition, None where it has none."""
    parameters = getattr(node, "type_params", None)
    return Scope("function", compiler.scope, {p.name for p in parameters}, {}) if parameters else None


def parameter_frame(compiler: ScopeCompiler, node: Any, scope: Scope) -> Callable[[Frame], Frame]:
    """Return the closure that makes the activation of such a scope: its variables are the parameters."""
    inside = compiler.inside(scope)
    parts = [(p.name, type(p).__name__, _optional(inside, p, "bound")) for p in node.type_params]
    in_class = compiler.scope.kind == "class"

    def make(frame: Frame) -> Frame:
        parent = frame.parent if in_class else (None if frame.vars is frame.globals else frame)
        made = Frame({}, frame.globals, frame.file, parent, None)
        made.line = frame.line
        for name, kind, bound in parts:
            made.vars[name] = getattr(typing, _KINDS[kind])(name)
            limit = bound(made) if bound else None
            if limit is not None and not isinstance(limit, tuple):
                made.vars[name] = typing.TypeVar(name, bound=limit)  # type: ignore[misc]
        return made

    return make


def _optional(compiler: ScopeCompiler, node: Any, field: str) -> Evaluate | None:
    expression = getattr(node, field, None)
    return lenient(compiler.expression(expression), None) if expression is not None else None


def lenient(evaluate: Evaluate, otherwise: Any) -> Evaluate:
    """Evaluate what Python evaluates only if it is asked for: names in it may never be bound."""

    def attempt(frame: Frame) -> Any:
        try:
            return evaluate(frame)
        except Undecidable:
            return otherwise
        except Exception:
            return otherwise

    return attempt


def parameters_of(frame: Frame) -> tuple[Any, ...]:
    """Return the type parameters that an activation holds."""
    return tuple(frame.vars.values())


def alias(compiler: ScopeCompiler, node: Any) -> Evaluate:
    """Return the closure that evaluates the right side of a `type` statement to the alias."""
    name = node.name.id
    scope = parameter_scope(compiler, node)
    around = parameter_frame(compiler, node, scope) if scope is not None else None
    inside = compiler.inside(scope) if scope is not None else compiler
    value = lenient(inside.expression(node.value), ast.unparse(node.value))
    make = getattr(typing, "TypeAliasType", None)

    def evaluate(frame: Frame) -> Any:
        inner = around(frame) if around is not None else frame
        meaning = value(inner)
        if make is None:
            return meaning
        return make(name, meaning, type_params=parameters_of(inner) if around is not None else ())

    return evaluate
