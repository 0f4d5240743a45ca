"""Classes of the target: real host classes whose methods are interpreted."""

from __future__ import annotations

import ast
import types
from typing import TYPE_CHECKING, Any

from cutaway.core import session
from cutaway.core.unknown import Unknown
from cutaway.interp import scope as scopes
from cutaway.interp.expression import assign_target
from cutaway.interp.frame import Execute, Frame

if TYPE_CHECKING:
    from cutaway.interp.statement import StatementCompiler


def define_class(compiler: StatementCompiler, node: ast.ClassDef) -> Execute:
    """Return the closure that executes a `class` statement."""
    scope = scopes.of_class(node, compiler.scope)
    body = type(compiler)(scope, compiler.file, node.name).block(node.body)
    bases_of = compiler._spread(node.bases)
    keywords = [(k.arg, compiler.expression(k.value)) for k in node.keywords]
    decorators = [compiler.expression(d) for d in reversed(node.decorator_list)]
    assign = assign_target(compiler, ast.Name(node.name, ast.Store()))
    documentation = ast.get_docstring(node, clean=False)
    line = node.lineno
    in_class = compiler.scope.kind == "class"

    def execute(frame: Frame) -> None:
        frame.line = line
        bases = tuple(bases_of(frame))
        resolved = types.resolve_bases(bases)
        options: dict[str, Any] = {}
        for name, value in keywords:
            options.update(value(frame) if name is None else {name: value(frame)})
        if isinstance(options.get("metaclass"), Unknown):
            del options["metaclass"]
        metaclass, namespace, options = types.prepare_class(node.name, resolved, options)
        if in_class:
            parent, qualified = frame.parent, f"{frame.vars['__qualname__']}.{node.name}"
        else:
            parent = None if frame.vars is frame.globals else frame
            qualified = node.name
        child = Frame(namespace, frame.globals, frame.file, parent, None)
        cell = child.value = [None]
        namespace["__module__"] = frame.globals.get("__name__", "")
        namespace["__qualname__"] = qualified
        if documentation is not None:
            namespace["__doc__"] = documentation
        body(child)
        namespace.pop("__del__", None)
        if resolved is not bases:
            namespace["__orig_bases__"] = bases
        made = metaclass(node.name, resolved, namespace, **options)
        cell[0] = made
        for decorator in decorators:
            decorate = decorator(frame)
            if isinstance(decorate, Unknown):
                session.current().assume(f"a decorator leaves {node.name} as it is: {decorate.reason}", frame.place)
                continue
            made = decorate(made)
        if isinstance(made, type):
            cell[0] = made
        assign(frame, made)

    return execute
