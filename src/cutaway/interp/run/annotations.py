"""Annotations of the target's functions."""

from __future__ import annotations
import __future__

import ast
from typing import Any

from cutaway.core.error import describe_error
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp.run.frame import Frame
from cutaway.interp.run.function import FunctionCompiler, Record
from cutaway.interp.run.interpreter import interpreter
from cutaway.syntax.scope import Scope


def function_attribute(record: Record, name: str) -> Any:
    """Return an attribute that Python computes from a function's definition."""
    if name == "__annotations__":
        return annotations_of(record)
    if name == "__defaults__":
        return record.defaults or None
    return record.keyword_defaults or None


def annotations_of(record: Record, evaluated: bool = False) -> dict[str, Any]:
    """Return the annotations of a function, as strings where its file postpones their evaluation."""
    record = record.annotations_from or record
    node = record.code.node
    arguments = node.args
    parameters = [*arguments.posonlyargs, *arguments.args, arguments.vararg, *arguments.kwonlyargs, arguments.kwarg]
    annotations = {a.arg: a.annotation for a in parameters if a is not None and a.annotation is not None}
    if getattr(node, "returns", None) is not None:
        annotations["return"] = node.returns
    if record.globals.get("annotations") is __future__.annotations and not evaluated:
        return {name: ast.unparse(annotation) for name, annotation in annotations.items()}
    return {
        name: evaluate_annotation(record.code.compiler, annotation, record.globals, record.parent)
        for name, annotation in annotations.items()
    }


def evaluate_annotation(
    compiler: FunctionCompiler, annotation: Any, namespace: dict[str, Any], parent: Frame | None
) -> Any:
    """Return the value of an annotation; an unknown if it can't be evaluated."""
    try:
        node = ast.parse(annotation, mode="eval").body if isinstance(annotation, str) else annotation
        frame = Frame({}, namespace, interpreter().stack[-1].file if interpreter().stack else "", parent, None)
        scope = Scope("function", None, set(), {})
        return compiler.expression(node, scope, frame.file)(frame)
    except Undecidable as undecidable:
        return undecidable.unknown
    except Exception as error:
        return Unknown(f"the annotation can't be evaluated: {describe_error(error)}")
