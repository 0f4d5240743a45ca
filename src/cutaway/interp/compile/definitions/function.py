"""Compilation of function definitions and lambdas to closures."""

from __future__ import annotations

import ast
from typing import Any

from cutaway.interp.compile.definitions.type_params import (
    type_parameter_frame,
    type_parameter_scope,
    type_parameters_of,
)
from cutaway.interp.compile.scope_compiler import ScopeCompiler
from cutaway.interp.run.frame import Evaluate, Frame
from cutaway.interp.run.function import Code, Record, qualified_name, wrap
from cutaway.syntax.lazy_parse import documentation
from cutaway.syntax.scope import mangle


def define_function(compiler: ScopeCompiler, node: Any) -> Evaluate:
    """Return the closure that evaluates a `def` or a `lambda` to a function."""
    parameter_scope = type_parameter_scope(compiler, node)
    enter_parameters = type_parameter_frame(compiler, node, parameter_scope) if parameter_scope is not None else None
    code = Code(node, parameter_scope or compiler.scope, compiler.file, compiler.owner, compiler.function_compiler)
    defaults = [compiler.expression(d) for d in node.args.defaults]
    keyword_defaults = [
        (name, compiler.expression(d)) for name, d in zip(code.keyword_only, node.args.kw_defaults) if d is not None
    ]
    docstring = None if isinstance(node, ast.Lambda) else documentation(node)
    in_class = compiler.scope.kind == "class"
    is_global = compiler.scope.declared.get(mangle(compiler.owner, code.name)) == "global"

    def evaluate(frame: Frame) -> Any:
        if in_class:
            parent, cell = frame.parent, frame.value
        else:
            parent = None if frame.vars is frame.globals else frame
            cell = None
        if enter_parameters is not None:
            parent = enter_parameters(frame)
        record = Record(
            code,
            frame.globals,
            parent,
            tuple([d(frame) for d in defaults]),
            {name: d(frame) for name, d in keyword_defaults},
            cell,
            code.name if is_global else qualified_name(frame, code.name),
        )
        function = wrap(record)
        function.__name__ = code.name
        function.__doc__ = docstring
        function.__module__ = frame.globals.get("__name__", "")
        function.__qualname__ = record.qualname
        if enter_parameters is not None and parent is not None:
            function.__type_params__ = type_parameters_of(parent)
        return function

    return evaluate
