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


def type_parameter_scope(compiler: ScopeCompiler, node: Any) -> Scope | None:
    """Return the scope of the type parameters of a definition, None if it has none."""
    parameters = getattr(node, "type_params", None)
    return Scope("function", compiler.scope, {p.name for p in parameters}, {}) if parameters else None


def type_parameter_frame(compiler: ScopeCompiler, node: Any, scope: Scope) -> Callable[[Frame], Frame]:
    """Return the closure that creates the frame of such a scope: its variables are the type parameters."""
    inside = compiler.inside(scope)
    parameters = [(p.name, type(p).__name__, _optional(inside, p, "bound")) for p in node.type_params]
    in_class = compiler.scope.kind == "class"

    def make(frame: Frame) -> Frame:
        parent = frame.parent if in_class else (None if frame.vars is frame.globals else frame)
        child = Frame({}, frame.globals, frame.file, parent, None)
        child.line = frame.line
        for name, kind, evaluate_bound in parameters:
            child.vars[name] = getattr(typing, _KINDS[kind])(name)
            bound = evaluate_bound(child) if evaluate_bound else None
            if bound is not None and not isinstance(bound, tuple):
                child.vars[name] = typing.TypeVar(name, bound=bound)  # type: ignore[misc]
        return child

    return make


def _optional(compiler: ScopeCompiler, node: Any, field: str) -> Evaluate | None:
    expression = getattr(node, field, None)
    return with_default(compiler.expression(expression), None) if expression is not None else None


def with_default(evaluate: Evaluate, default: Any) -> Evaluate:
    """Return a closure that returns a default if an expression can't be evaluated.

    Python evaluates these expressions only on demand, so names in them may never be bound.
    """

    def attempt(frame: Frame) -> Any:
        try:
            return evaluate(frame)
        except Undecidable:
            return default
        except Exception:
            return default

    return attempt


def type_parameters_of(frame: Frame) -> tuple[Any, ...]:
    """Return the type parameters in a frame."""
    return tuple(frame.vars.values())


def type_alias(compiler: ScopeCompiler, node: Any) -> Evaluate:
    """Return the closure that evaluates the right side of a `type` statement to the alias."""
    name = node.name.id
    scope = type_parameter_scope(compiler, node)
    enter_parameters = type_parameter_frame(compiler, node, scope) if scope is not None else None
    inside = compiler.inside(scope) if scope is not None else compiler
    value = with_default(inside.expression(node.value), ast.unparse(node.value))
    alias_type = getattr(typing, "TypeAliasType", None)

    def evaluate(frame: Frame) -> Any:
        inner = enter_parameters(frame) if enter_parameters is not None else frame
        result = value(inner)
        if alias_type is None:
            return result
        return alias_type(name, result, type_params=type_parameters_of(inner) if enter_parameters is not None else ())

    return evaluate
