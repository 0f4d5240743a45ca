"""What a target learns about its own functions and classes: annotations, files, source text."""

from __future__ import annotations
import __future__

import ast
from typing import Any

from cutaway.core import session
from cutaway.core.error import in_words
from cutaway.core.unknown import Undecidable, Unknown, other_than_truth
from cutaway.interp.compile.scope import Scope
from cutaway.interp.modules import loader
from cutaway.interp.run.frame import STACK, Frame
from cutaway.interp.run.function import Record, record_of


def function_attribute(record: Record, name: str) -> Any:
    """Return an attribute that Python computes from a function's definition."""
    if name == "__annotations__":
        return annotations_of(record)
    if name == "__defaults__":
        return record.defaults or None
    return record.keyword_defaults or None


FUNCTION_ATTRIBUTES = frozenset(("__annotations__", "__defaults__", "__kwdefaults__"))


def annotations_of(record: Record, evaluated: bool = False) -> dict[str, Any]:
    """Return a function's annotations, as text where its file postpones their evaluation."""
    record = record.annotated_as or record
    node = record.code.node
    arguments = node.args
    every = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    found = {a.arg: a.annotation for a in every if a is not None and a.annotation is not None}
    if getattr(node, "returns", None) is not None:
        found["return"] = node.returns
    if record.globals.get("annotations") is __future__.annotations and not evaluated:
        return {name: ast.unparse(annotation) for name, annotation in found.items()}
    return {name: _meaning(annotation, record.globals, record.parent) for name, annotation in found.items()}


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
        namespace = vars(home) if isinstance(home, loader.SourceModule) else {}
        for name, annotation in vars(cls).get("__annotations__", {}).items():
            hints[name] = _hint(annotation, namespace, None)
    return hints


def _hint(annotation: Any, namespace: dict[str, Any], parent: Frame | None) -> Any:
    if annotation is None:
        return type(None)
    return _meaning(annotation, namespace, parent) if isinstance(annotation, str) else annotation


def _meaning(annotation: Any, namespace: dict[str, Any], parent: Frame | None) -> Any:
    from cutaway.interp.compile.expression import ExpressionCompiler

    try:
        node = ast.parse(annotation, mode="eval").body if isinstance(annotation, str) else annotation
        frame = Frame({}, namespace, STACK[-1].file if STACK else "", parent, None)
        scope = Scope("function", None, set(), {})
        return ExpressionCompiler(scope, frame.file).expression(node)(frame)
    except Undecidable as undecidable:
        if type(undecidable) is not Undecidable:
            raise
        return undecidable.unknown
    except Exception as error:
        return Unknown(f"the annotation is not understood: {in_words(error)}")


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
    if isinstance(home, loader.SourceModule):
        return home.__dict__["__file__"]
    raise TypeError(f"{value!r} is a built-in class")


def text_of(value: Any) -> Any:
    """`inspect.getsource`: the text of a function, a class or a module of the target."""
    if type(value) is Unknown:
        return other_than_truth(value)
    if isinstance(value, loader.SourceModule):
        return value.__dict__["__cutaway__"]._read().decode("utf-8", "replace")
    record = record_of(getattr(value, "__func__", value))
    name = getattr(value, "__module__", None)
    home = loader.current().modules.get(name or "")
    if not isinstance(home, loader.SourceModule):
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
