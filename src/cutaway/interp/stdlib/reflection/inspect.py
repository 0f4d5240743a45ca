"""Introspection of the target's functions and classes: annotations, files, source."""

from __future__ import annotations

import ast
import types
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown, derived_unknown
from cutaway.interp.boundary.gate import is_host_class
from cutaway.interp.modules import loader
from cutaway.interp.modules.module import SourceModule
from cutaway.interp.run.annotations import annotations_of, evaluate_annotation
from cutaway.interp.run.frame import Frame
from cutaway.interp.run.function import record_of
from cutaway.knowledge.base import registry


def type_hints(value: Any, *_args: Any, **_kwargs: Any) -> Any:
    """`typing.get_type_hints`."""
    if type(value) is Unknown:
        return derived_unknown(value)
    record = record_of(getattr(value, "__func__", value))
    if record is not None:
        annotations = annotations_of(record, evaluated=True)
        return {
            name: _evaluate_hint(annotation, record.globals, record.parent) for name, annotation in annotations.items()
        }
    hints: dict[str, Any] = {}
    for cls in reversed(getattr(value, "__mro__", ())):
        module = loader.current().modules.get(cls.__module__)
        namespace = vars(module) if isinstance(module, SourceModule) else {}
        for name, annotation in vars(cls).get("__annotations__", {}).items():
            hints[name] = _evaluate_hint(annotation, namespace, None)
    return hints


def _evaluate_hint(annotation: Any, namespace: dict[str, Any], parent: Frame | None) -> Any:
    if annotation is None:
        return type(None)
    return (
        evaluate_annotation(loader.current().language, annotation, namespace, parent)
        if isinstance(annotation, str)
        else annotation
    )


def own_annotations(value: Any, **_kwargs: Any) -> Any:
    """`inspect.get_annotations`."""
    if type(value) is Unknown:
        return derived_unknown(value)
    record = record_of(value)
    return annotations_of(record) if record else dict(vars(value).get("__annotations__", {}))


def file_of(value: Any) -> Any:
    """`inspect.getfile` and `inspect.getsourcefile`."""
    if type(value) is Unknown:
        return derived_unknown(value)
    record = record_of(getattr(value, "__func__", value))
    if record is not None:
        return record.globals.get("__file__", record.code.file)
    name = getattr(value, "__module__", None) or getattr(value, "__name__", None)
    module = loader.current().modules.get(name or "")
    if isinstance(module, SourceModule):
        return module.__dict__["__file__"]
    if not isinstance(value, type) or is_host_class(value) or registry.is_shared(value):
        return Unknown("where Python and its packages are installed is not known", session.current().place())
    raise TypeError(f"<class '{value.__module__}.{value.__qualname__}'> is a built-in class")


def source_of(value: Any) -> Any:
    """`inspect.getsource`: the source of a function, a class or a module of the target."""
    if type(value) is Unknown:
        return derived_unknown(value)
    if isinstance(value, SourceModule):
        return value.__dict__["__cutaway__"]._read().decode("utf-8", "replace")
    record = record_of(getattr(value, "__func__", value))
    name = getattr(value, "__module__", None)
    module = loader.current().modules.get(name or "")
    if record is None and (type(value) is types.FunctionType or registry.is_shared(value)):
        return Unknown("the source of something that is modelled is not read", session.current().place())
    if not isinstance(module, SourceModule):
        raise OSError("could not get source code")
    source = module.__dict__["__cutaway__"]._read().decode("utf-8", "replace")
    node = record.code.node if record is not None else _class_node(source, value)
    if node is None:
        return session.current().unknown("the source of a class is not found")
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    last = node.body[-1] if isinstance(node.body, list) else node
    return "".join(source.splitlines(keepends=True)[first - 1 : last.end_lineno])


def _class_node(source: str, cls: Any) -> ast.ClassDef | None:
    node: ast.AST = ast.parse(source)
    for part in getattr(cls, "__qualname__", "").split("."):
        classes = [n for n in ast.walk(node) if isinstance(n, ast.ClassDef) and n.name == part]
        if not classes:
            return None
        node = classes[0]
    return node if isinstance(node, ast.ClassDef) else None
