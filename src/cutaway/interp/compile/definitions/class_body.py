"""Class definitions: a class of the target is a host class whose methods are interpreted."""

from __future__ import annotations

import abc
import ast
import types
from typing import Any, Generic

from cutaway.core import session
from cutaway.core.admission import admit
from cutaway.core.place import Place
from cutaway.core.session import Note
from cutaway.core.unknown import Opaque, Unknown
from cutaway.interp.boundary.call import PRESUMES, call
from cutaway.interp.boundary.gate import FORBIDDEN_CLASS_ATTRIBUTES, is_abstract_of_host
from cutaway.interp.compile.assignment import assign_target
from cutaway.interp.compile.definitions.type_params import (
    type_parameter_frame,
    type_parameter_scope,
    type_parameters_of,
)
from cutaway.interp.compile.statements.block import BlockCompiler
from cutaway.interp.run.frame import Execute, Frame, entered
from cutaway.interp.run.function import qualified_name
from cutaway.knowledge.base.framework import FRAMEWORKS
from cutaway.syntax import scope as scopes
from cutaway.syntax.lazy_parse import Body


def define_class(compiler: BlockCompiler, node: ast.ClassDef) -> Execute:
    """Return the closure that executes a `class` statement."""
    parameter_scope = type_parameter_scope(compiler, node)
    enter_parameters = type_parameter_frame(compiler, node, parameter_scope) if parameter_scope is not None else None
    outer_compiler = compiler.inside(parameter_scope) if parameter_scope is not None else compiler
    scope = scopes.of_class(node, outer_compiler.scope)
    body = compiler.inside(scope, node.name).block(node.body)
    bases_of = outer_compiler.spread(node.bases)
    keywords = [(k.arg, outer_compiler.expression(k.value)) for k in node.keywords]
    decorator_expressions = [compiler.expression(d) for d in node.decorator_list]
    assign = assign_target(compiler, ast.Name(node.name, ast.Store()))
    documentation = ast.get_docstring(node, clean=False)
    line = node.lineno
    in_class = compiler.scope.kind == "class" and parameter_scope is None
    is_global = compiler.scope.declared.get(node.name) == "global"
    needs_cell: bool | None = None

    def execute(frame: Frame) -> None:
        nonlocal needs_cell
        frame.line = line
        decorators = [expression(frame) for expression in decorator_expressions]
        outer_frame = enter_parameters(frame) if enter_parameters is not None else frame
        bases = tuple(bases_of(outer_frame))
        resolved = types.resolve_bases(bases)
        presumed = _presumed_bases(resolved, node)
        resolved = (*presumed, *resolved) if presumed else resolved
        options: dict[str, Any] = {}
        for name, value in keywords:
            options.update(value(outer_frame) if name is None else {name: value(outer_frame)})
        if enter_parameters is not None:
            bases, resolved = _add_generic_base(bases, resolved, type_parameters_of(outer_frame))
        if isinstance(options.get("metaclass"), Unknown):
            del options["metaclass"]
        metaclass, namespace, options = types.prepare_class(node.name, resolved, options)
        if in_class:
            parent = frame.parent
        else:
            parent = None if outer_frame.vars is outer_frame.globals else outer_frame
        child = Frame(namespace, frame.globals, frame.file, parent, None)
        child.line = line
        cell = child.value = types.CellType()
        namespace["__module__"] = frame.globals.get("__name__", "")
        namespace["__qualname__"] = node.name if is_global else qualified_name(frame, node.name)
        if enter_parameters is not None:
            namespace["__type_params__"] = type_parameters_of(outer_frame)
        if documentation is not None:
            namespace["__doc__"] = documentation
        with entered(child):
            body(child)
        note = _forbid(namespace, resolved, node.name, child.place)
        if resolved is not bases:
            namespace["__orig_bases__"] = bases
        if metaclass is not type and needs_cell is None:
            needs_cell = _refers_to_class(node)
        if metaclass is type or needs_cell:
            namespace["__classcell__"] = cell
        cls = admit(call(metaclass, [node.name, resolved, namespace], options))
        if not _is_filled(cell):
            cell.cell_contents = cls
        _presume(cls, presumed, note, frame.place)
        _make_concrete(cls)
        assign(frame, _decorated(cls, decorators, node.name, frame.place))

    return execute


def _forbid(namespace: dict[str, Any], bases: tuple[Any, ...], name: str, place: Place) -> Note | None:
    """Take from a class what the host would call at any time; return what has to be presumed for that."""
    note = None
    if "__del__" in namespace and session.current().in_own_code():
        note = Note(f"{name}.__del__ changes nothing", place)
    for attribute in FORBIDDEN_CLASS_ATTRIBUTES:
        namespace.pop(attribute, None)
    if "__subclasshook__" in namespace and any(map(is_abstract_of_host, bases)):
        # A class of the host would ask it whether anything is its subclass, and remember the answer.
        del namespace["__subclasshook__"]
        session.current().unknown(f"{name}.__subclasshook__ would change classes of the host: it is not called")
    return note


def _presumed_bases(bases: tuple[Any, ...], node: ast.ClassDef) -> tuple[type, ...]:
    """Return the class of a framework that is taken for a base of a class with unknown bases only, by its methods."""
    if not bases or not all(isinstance(base, type) and "_opaque_reason" in vars(base) for base in bases):
        return ()
    methods = [part.name for part in node.body if isinstance(part, ast.FunctionDef)]
    return tuple(base for each in FRAMEWORKS if (base := each.presumed_base(methods)) is not None)[:1]


def _presume(cls: Any, bases: tuple[type, ...], note: Note | None, place: Place) -> None:
    """Note what is presumed where a class is called: which class an unknown base is taken for, among other things."""
    texts = [] if note is None else [note.text]
    for base in bases:
        reason = cls._opaque_reason.reason
        texts.append(f"the base class of {cls.__name__} is a {base.__name__}, as it defines forward: {reason}")
    if texts and isinstance(cls, type):
        type.__setattr__(cls, PRESUMES, Note("; ".join(texts), place))


def _make_concrete(cls: Any) -> None:
    """Let a class with an unknown base have instances: that base may define what is abstract in another."""
    if isinstance(cls, abc.ABCMeta) and issubclass(cls, Opaque):
        type.__setattr__(cls, "__abstractmethods__", frozenset())


def _decorated(cls: Any, decorators: list[Any], name: str, place: Place) -> Any:
    """Apply decorators to a class; unknown ones are assumed to leave it unchanged."""
    for decorator in reversed(decorators):
        if isinstance(decorator, Unknown):
            note = Note(f"a decorator leaves {name} unchanged: {decorator.reason}", place)
            session.current().assume(note.text, note.place, doubt="what a decorator does")
            if isinstance(cls, type):
                type.__setattr__(cls, PRESUMES, note)
        else:
            cls = call(decorator, [cls], {})
    return cls


def _add_generic_base(bases: tuple[Any, ...], resolved: Any, parameters: tuple[Any, ...]) -> tuple[Any, Any]:
    """Add the base class `Generic[...]` that type parameters imply."""
    implied = (*bases, Generic.__class_getitem__(parameters))  # type: ignore[attr-defined]
    return implied, types.resolve_bases(implied)


def _refers_to_class(node: ast.ClassDef) -> bool:
    """Tell whether a method refers to the class itself, so that the metaclass gets the `__class__` cell."""
    nodes: list[ast.AST] = [node]
    while nodes:
        current = nodes.pop()
        body = getattr(current, "body", None)
        if type(body) is Body:
            if body.mentions("super", "__class__"):
                return True
        elif isinstance(current, ast.Name) and current.id in ("super", "__class__"):
            return True
        else:
            nodes.extend(ast.iter_child_nodes(current))
    return False


def _is_filled(cell: types.CellType) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
