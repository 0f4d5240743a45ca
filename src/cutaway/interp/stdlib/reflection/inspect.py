"""What a target learns about its own functions and classes: annotations, files, source text."""

from __future__ import annotations

import ast
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown, other_than_truth
from cutaway.interp.modules import loader
from cutaway.interp.modules.module import SourceModule
from cutaway.interp.run.annotations import annotations_of, evaluate_annotation
from cutaway.interp.run.frame import Frame
from cutaway.interp.run.function import record_of


def type_hints(value: Any, *_args: Any, **_kwargs: Any) -> Any:
    """`typing.get_type_hints`."""
    if type(value) is Unknown:
        return other_than_truth(value)
    record = record_of(getattr(value, "__func__", value))
    if record is not None:
        found = annotations_of(record, evaluated=True)
        return {name: _hint(annotation, record.globals, record.parent) for name, annotation in found.items()}
    hints: dict[str, Any] = {}
    for cls in reversed(getattr(value, "__mro__", ())):
        home = loader.current().modules.get(cls.__module__)
        namespace = vars(home) if isinstance(home, SourceModule) else {}
        for name, annotation in vars(cls).get("__annotations__", {}).items():
            hints[name] = _hint(annotation, namespace, None)
    return hints


def _hint(annotation: Any, namespace: dict[str, Any], parent: Frame | None) -> Any:
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
        return other_than_truth(value)
    record = record_of(value)
    return annotations_of(record) if record else dict(vars(value).get("__annotations__", {}))


def file_of(value: Any) -> Any:
    """`inspect.getfile` and `inspect.getsourcefile`."""
    if type(value) is Unknown:
        return other_than_truth(value)
    record = record_of(getattr(value, "__func__", value))
    if record is not None:
        return record.globals.get("__file__", record.code.file)
    name = getattr(value, "__module__", None) or getattr(value, "__name__", None)
    home = loader.current().modules.get(name or "")
    if isinstance(home, SourceModule):
        return home.__dict__["__file__"]
    raise TypeError(f"{value!r} is a built-in class")


def text_of(value: Any) -> Any:
    """`inspect.getsource`: the text of a function, a class or a module of the target."""
    if type(value) is Unknown:
        return other_than_truth(value)
    if isinstance(value, SourceModule):
        return value.__dict__["__cutaway__"]._read().decode("utf-8", "replace")
    record = record_of(getattr(value, "__func__", value))
    name = getattr(value, "__module__", None)
    home = loader.current().modules.get(name or "")
    if not isinstance(home, SourceModule):
        raise OSError("could not get source code")
    text = home.__dict__["__cutaway__"]._read().decode("utf-8", "replace")
    node = record.code.node if record is not None else _class_node(text, value)
    if node is None:
        return session.current().unknown("the source text of a class is not found")
    first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", []))])
    last = node.body[-1] if isinstance(node.body, list) else node
    return "".join(text.splitlines(keepends=True)[first - 1 : last.end_lineno])


def _class_node(text: str, cls: Any) -> ast.ClassDef | None:
    found: ast.AST = ast.parse(text)
    for part in getattr(cls, "__qualname__", "").split("."):
        below = [n for n in ast.walk(found) if isinstance(n, ast.ClassDef) and n.name == part]
        if not below:
            return None
        found = below[0]
    return found if isinstance(found, ast.ClassDef) else None
