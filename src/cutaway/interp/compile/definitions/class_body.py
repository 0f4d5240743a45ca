"""Classes of the target: real host classes whose methods are interpreted."""

from __future__ import annotations

import ast
import types
from typing import Any, Generic

from cutaway.core import session
from cutaway.core.unknown import Unknown
from cutaway.interp.boundary.attributes import FORBIDDEN_CLASS_ATTRIBUTES
from cutaway.interp.boundary.call import call
from cutaway.interp.compile.assignment import assign_target
from cutaway.interp.compile.definitions.type_params import parameter_frame, parameter_scope, parameters_of
from cutaway.interp.compile.statements.block import BlockCompiler
from cutaway.interp.run.frame import Execute, Frame, entered
from cutaway.interp.run.function import qualified_name
from cutaway.syntax import scope as scopes
from cutaway.syntax.lazy_parse import Body


def define_class(compiler: BlockCompiler, node: ast.ClassDef) -> Execute:
    """Return the closure that executes a `class` statement."""
    around = parameter_scope(compiler, node)
    enter = parameter_frame(compiler, node, around) if around is not None else None
    outer = compiler.inside(around) if around is not None else compiler
    scope = scopes.of_class(node, outer.scope)
    body = compiler.inside(scope, node.name).block(node.body)
    bases_of = outer.spread(node.bases)
    keywords = [(k.arg, outer.expression(k.value)) for k in node.keywords]
    decorators = [compiler.expression(d) for d in node.decorator_list]
    assign = assign_target(compiler, ast.Name(node.name, ast.Store()))
    documentation = ast.get_docstring(node, clean=False)
    line = node.lineno
    in_class = compiler.scope.kind == "class" and around is None
    is_global = compiler.scope.declared.get(node.name) == "global"
    needs_cell: bool | None = None

    def execute(frame: Frame) -> None:
        nonlocal needs_cell
        frame.line = line
        decorating = [decorator(frame) for decorator in decorators]
        outside = enter(frame) if enter is not None else frame
        bases = tuple(bases_of(outside))
        resolved = types.resolve_bases(bases)
        options: dict[str, Any] = {}
        for name, value in keywords:
            options.update(value(outside) if name is None else {name: value(outside)})
        if enter is not None:
            bases, resolved = _generic(bases, resolved, parameters_of(outside))
        if isinstance(options.get("metaclass"), Unknown):
            del options["metaclass"]
        metaclass, namespace, options = types.prepare_class(node.name, resolved, options)
        if in_class:
            parent = frame.parent
        else:
            parent = None if outside.vars is outside.globals else outside
        child = Frame(namespace, frame.globals, frame.file, parent, None)
        child.line = line
        cell = child.value = types.CellType()
        namespace["__module__"] = frame.globals.get("__name__", "")
        namespace["__qualname__"] = node.name if is_global else qualified_name(frame, node.name)
        if enter is not None:
            namespace["__type_params__"] = parameters_of(outside)
        if documentation is not None:
            namespace["__doc__"] = documentation
        with entered(child):
            body(child)
        for unwanted in FORBIDDEN_CLASS_ATTRIBUTES:
            namespace.pop(unwanted, None)
        if resolved is not bases:
            namespace["__orig_bases__"] = bases
        if metaclass is not type and needs_cell is None:
            needs_cell = _mentions_its_class(node)
        if metaclass is type or needs_cell:
            namespace["__classcell__"] = cell
        made = call(metaclass, [node.name, resolved, namespace], options)
        if not _is_filled(cell):
            cell.cell_contents = made
        for decorate in reversed(decorating):
            if isinstance(decorate, Unknown):
                session.current().assume(f"a decorator leaves {node.name} as it is: {decorate.reason}", frame.place)
                continue
            made = call(decorate, [made], {})
        assign(frame, made)

    return execute


def _generic(bases: tuple[Any, ...], resolved: Any, parameters: tuple[Any, ...]) -> tuple[Any, Any]:
    """Add the base class that type parameters imply."""
    implied = (*bases, Generic.__class_getitem__(parameters))  # type: ignore[attr-defined]
    return implied, types.resolve_bases(implied)


def _mentions_its_class(node: ast.ClassDef) -> bool:
    """Tell whether a method needs the class itself, by which a metaclass is handed its cell."""
    waiting: list[ast.AST] = [node]
    while waiting:
        child = waiting.pop()
        body = getattr(child, "body", None)
        if type(body) is Body:
            if body.mentions("super", "__class__"):
                return True
        elif isinstance(child, ast.Name) and child.id in ("super", "__class__"):
            return True
        else:
            waiting.extend(ast.iter_child_nodes(child))
    return False


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
