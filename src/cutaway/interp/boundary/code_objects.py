"""Code objects as a target sees them, and the functions that it makes of them."""

from __future__ import annotations

import ast
import types
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown, other_than_truth
from cutaway.interp.boundary.namespace import Namespace
from cutaway.interp.run.function import Record, record_of, wrap
from cutaway.interp.run.interpreter import interpreter
from cutaway.knowledge.base.registry import CONSTRUCTORS


class Description(types.SimpleNamespace):
    """The harmless parts of a code object that programs look at; the rest of it is out of their reach."""

    __slots__ = ("__cutaway__",)

    def replace(self, **changes: Any) -> Any:
        """Return the code under other names; what it does stays."""
        if other := next((name for name in changes if name not in _NAMES), None):
            return session.current().unknown(f"code is not made with another {other}")
        made = Description(**{**vars(self), **changes})
        object.__setattr__(made, "__cutaway__", object.__getattribute__(self, "__cutaway__"))
        return made


_NAMES = ("co_name", "co_qualname", "co_filename", "co_firstlineno")


def described(record: Record) -> Description:
    """Return the code object of a function of the target."""
    code = record.code
    names = (*code.positional, *code.keyword_only)
    made = Description(
        co_varnames=(*names, *(n for n in (code.vararg, code.kwarg) if n)),
        co_argcount=len(code.positional),
        co_kwonlyargcount=len(code.keyword_only),
        co_name=code.name,
        co_filename=code.file,
        co_firstlineno=code.line,
        co_qualname=record.qualname,
    )
    object.__setattr__(made, "__cutaway__", record)
    return made


class Activation(types.SimpleNamespace):
    """What a program sees of a call in progress: copies of its variables, and where it is."""


_MOST_FRAMES = 8


def activation(depth: Any = 0) -> Any:
    """`sys._getframe`: what a program sees of a call in progress, and of those around it."""
    if type(depth) is Unknown:
        return other_than_truth(depth)
    if not 0 <= depth < len(interpreter().stack):
        raise ValueError("call stack is not deep enough")
    around = interpreter().stack[: len(interpreter().stack) - depth]
    view: Any = Unknown("the calls far around the one in progress are not shown to it")
    for frame in around[-_MOST_FRAMES:]:
        state = frame.globals.get("__cutaway__")
        view = Activation(
            f_locals={name: value for name, value in frame.vars.items() if name != "__cutaway__"},
            f_globals=frame.globals if state is None else Namespace(state),
            f_lineno=frame.line,
            f_code=Description(
                co_name="<module>", co_filename=frame.file, co_varnames=(), co_argcount=0, co_kwonlyargcount=0
            )
            if frame.function is None
            else described(frame.function),
            f_back=None if frame is interpreter().stack[0] else view,
        )
    return view


def encloses(record: Record) -> bool:
    """Tell whether a function may have a closure."""
    if record.parent is not None:
        return True
    names = (node.id for node in ast.walk(record.code.node) if isinstance(node, ast.Name))
    return record.cell is not None and any(name in ("super", "__class__") for name in names)


def make_function(
    code: Any, globals: Any, name: Any = None, argdefs: Any = None, closure: Any = None, kwdefaults: Any = None
) -> Any:
    """`types.FunctionType`: a function of the code of another one of the target."""
    for value in (code, globals, name, argdefs, closure, kwdefaults):
        if type(value) is Unknown:
            return other_than_truth(value)
    if type(code) is not Description or not isinstance(globals, dict):
        return Unknown("a function is made of what is no code of the target")
    record: Record = object.__getattribute__(code, "__cutaway__")
    names = globals.state.namespace if isinstance(globals, Namespace) else globals
    given = tuple(argdefs or ())
    made = Record(record.code, names, record.parent, given, dict(kwdefaults or {}), record.cell, record.qualname)
    function = wrap(made)
    function.__name__ = name or record.code.name
    function.__qualname__ = record.qualname
    function.__module__ = names.get("__name__", "")
    function.__doc__ = (
        None if isinstance(record.code.node, ast.Lambda) else ast.get_docstring(record.code.node, clean=False)
    )
    return function


def set_defaults(function: Any, name: str, value: Any) -> None:
    """Give a function of the target other defaults."""
    record = record_of(function)
    assert record is not None
    record.signature = None
    if type(value) is Unknown:
        record.defaults = (value,) * len(record.defaults)
        record.keyword_defaults = dict.fromkeys(record.keyword_defaults, value)
    elif name == "__defaults__":
        record.defaults = tuple(value or ())
    else:
        record.keyword_defaults = dict(value or {})


CONSTRUCTORS[types.FunctionType] = make_function
