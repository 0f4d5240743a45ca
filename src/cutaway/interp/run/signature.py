"""Signatures of callables, interpreted or not."""

from __future__ import annotations

import ast
import inspect
import types
from typing import Any

from cutaway.interp.run.function import Record, record_of
from cutaway.syntax.scope import mangle

_signatures: dict[Any, inspect.Signature] = {}


def attributes_assigned_by(cls: type, method: str, seen: frozenset[str] = frozenset()) -> set[str]:
    """Return the attributes that a method of the target assigns, directly or through other methods of `self`."""
    record = record_of(getattr(cls, method, None))
    if record is None or method in seen or not record.code.positional:
        return set()
    self_name, attributes = record.code.positional[0], set()
    for child in ast.walk(record.code.node):
        if isinstance(child, ast.Attribute) and isinstance(child.value, ast.Name) and child.value.id == self_name:
            if isinstance(child.ctx, (ast.Store, ast.Del)):
                attributes.add(mangle(record.code.owner, child.attr))
            else:
                attributes |= attributes_assigned_by(cls, child.attr, seen | {method})
    return attributes


def signature(function: Any) -> inspect.Signature:
    """Return the signature of any callable, interpreted or not."""
    if isinstance(function, types.FunctionType) and record_of(function) is None:
        # A function of the knowledge base outlives the analysis, and its signature is needed for each module.
        if not function.__globals__.get("__name__", "").startswith("cutaway.knowledge."):
            return inspect.signature(function)  # such as the `__init__` of a data class of the target
        if function not in _signatures:
            _signatures[function] = inspect.signature(function)
        return _signatures[function]
    if isinstance(function, types.MethodType):
        unbound = signature(function.__func__)
        return unbound.replace(parameters=list(unbound.parameters.values())[1:])
    record = record_of(function)
    if record is None and isinstance(function, type):
        declared = vars(function).get("__signature__")
        if isinstance(declared, inspect.Signature):
            return declared
        constructor = signature(function.__init__)  # type: ignore[misc]
        return constructor.replace(parameters=list(constructor.parameters.values())[1:])
    if record is None:
        return inspect.signature(function)
    wrapped = getattr(function, "__wrapped__", None)
    if wrapped is not None:
        return signature(wrapped)
    if record.signature is None:
        record.signature = _signature_of(record)
    return record.signature


def _signature_of(record: Record) -> inspect.Signature:
    code, kinds = record.code, inspect.Parameter
    first_default = len(code.positional) - len(record.defaults)
    annotations = _annotations(code.node)
    parameters = []

    def parameter(name: str, kind: Any, default: Any = kinds.empty) -> None:
        parameters.append(kinds(name, kind, default=default, annotation=annotations.get(name, kinds.empty)))

    for index, name in enumerate(code.positional):
        default = record.defaults[index - first_default] if index >= first_default else kinds.empty
        kind = kinds.POSITIONAL_ONLY if index < code.positional_only else kinds.POSITIONAL_OR_KEYWORD
        parameter(name, kind, default)
    if code.vararg:
        parameter(code.vararg, kinds.VAR_POSITIONAL)
    for name in code.keyword_only:
        parameter(name, kinds.KEYWORD_ONLY, record.keyword_defaults.get(name, kinds.empty))
    if code.kwarg:
        parameter(code.kwarg, kinds.VAR_KEYWORD)
    return inspect.Signature(parameters)


def _annotations(node: Any) -> dict[str, str]:
    arguments = node.args
    parameters = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return {a.arg: ast.unparse(a.annotation) for a in parameters if a is not None and a.annotation is not None}
