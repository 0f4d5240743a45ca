"""Code objects and frames as the target sees them, and functions that it creates from code objects."""

from __future__ import annotations

import ast
import types
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown, derived_unknown
from cutaway.interp.boundary.namespace import Namespace, SimpleNamespace
from cutaway.interp.run.function import Record, record_of, wrap
from cutaway.interp.run.interpreter import interpreter
from cutaway.knowledge.base.registry import CONSTRUCTORS


class CodeView(SimpleNamespace):
    """The harmless attributes of a code object; the target can't see the others."""

    __slots__ = ("__cutaway__",)

    def __getattr__(self, name: str) -> Any:
        if name in _OF_BYTECODE:
            return Unknown(f"{name} of a code object is unknown", session.current().place())
        raise AttributeError(f"'code' object has no attribute '{name}'", name=name, obj=self)

    def replace(self, **changes: Any) -> Any:
        """Return the same code under other names."""
        if attribute := next((name for name in changes if name not in _REPLACEABLE), None):
            return session.current().unknown(f"code.replace() with another {attribute} is not supported")
        view = CodeView(**{**vars(self), **changes})
        object.__setattr__(view, "__cutaway__", object.__getattribute__(self, "__cutaway__"))
        return view


_OF_BYTECODE = frozenset(
    """co_cellvars co_exceptiontable co_flags co_freevars co_lines co_linetable co_lnotab co_names co_nlocals co_positions
    co_posonlyargcount co_stacksize""".split()
)
_REPLACEABLE = ("co_name", "co_qualname", "co_filename", "co_firstlineno")


def code_view(record: Record) -> CodeView:
    """Return the code object of a function of the target."""
    code = record.code
    names = (*code.positional, *code.keyword_only)
    view = CodeView(
        co_varnames=(*names, *(n for n in (code.vararg, code.kwarg) if n)),
        co_argcount=len(code.positional),
        co_kwonlyargcount=len(code.keyword_only),
        co_name=code.name,
        co_filename=code.file,
        co_firstlineno=code.line,
        co_qualname=record.qualname,
    )
    object.__setattr__(view, "__cutaway__", record)
    return view


class FrameView(SimpleNamespace):
    """A frame as the target sees it: copies of its variables, and its line."""


_MAX_FRAMES = 8
_OUTSIDE = Unknown("what the program is started or imported by is unknown")


def frame_view(depth: Any = 0) -> Any:
    """`sys._getframe`: views of a call in progress and of its callers."""
    if type(depth) is Unknown:
        return derived_unknown(depth)
    if not 0 <= depth < len(interpreter().stack):
        raise ValueError("call stack is not deep enough")
    frames = interpreter().stack[: len(interpreter().stack) - depth]
    view: Any = Unknown(f"only the {_MAX_FRAMES} innermost frames are available to the analysed code")
    for frame in frames[-_MAX_FRAMES:]:
        state = frame.globals.get("__cutaway__")
        view = FrameView(
            f_locals={name: value for name, value in frame.vars.items() if name != "__cutaway__"},
            f_globals=frame.globals if state is None else Namespace(state),
            f_lineno=frame.line,
            f_code=CodeView(
                co_name="<module>", co_filename=frame.file, co_varnames=(), co_argcount=0, co_kwonlyargcount=0
            )
            if frame.function is None
            else code_view(frame.function),
            f_back=_OUTSIDE if frame is interpreter().stack[0] else view,
        )
    return view


def may_have_closure(record: Record) -> bool:
    """Tell whether a function may have a closure."""
    return record.parent is not None or (record.cell is not None and record.code.names_class)


def make_function(
    code: Any, globals: Any, name: Any = None, argdefs: Any = None, closure: Any = None, kwdefaults: Any = None
) -> Any:
    """`types.FunctionType`: a new function with the code of another function of the target."""
    for value in (code, globals, name, argdefs, closure, kwdefaults):
        if type(value) is Unknown:
            return derived_unknown(value)
    if type(code) is not CodeView or not isinstance(globals, dict):
        return Unknown("a function is created from code that is not part of the analysed program")
    record: Record = object.__getattribute__(code, "__cutaway__")
    names = globals.state.namespace if isinstance(globals, Namespace) else globals
    defaults = tuple(argdefs or ())
    copy = Record(record.code, names, record.parent, defaults, dict(kwdefaults or {}), record.cell, record.qualname)
    function = wrap(copy)
    function.__name__ = name or record.code.name
    function.__qualname__ = record.qualname
    function.__module__ = names.get("__name__", "")
    function.__doc__ = (
        None if isinstance(record.code.node, ast.Lambda) else ast.get_docstring(record.code.node, clean=False)
    )
    return function


def set_defaults(function: Any, name: str, value: Any) -> None:
    """Replace the defaults of a function of the target."""
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
