"""Modules that print messages, which are discarded: `logging`, `warnings`, `traceback`."""

from __future__ import annotations

import io
from typing import Any

from cutaway.core import session
from cutaway.core.condition import SOMETHING
from cutaway.core.unknown import Unknown
from cutaway.interp.stdlib.filesystem.streams import is_programs_own
from cutaway.interp.stdlib.modules import NativeModule, do_nothing, stdlib_module

_WARNING = 30


def _presume_unheard() -> None:
    here = session.current()
    if here.in_program():
        here.presume("nothing depends on what the program's own handlers and filters of messages are given")


_UNCONFIGURED = "logging is not configured: warnings are shown, and nothing below"


def _assume_no_handlers() -> None:
    here = session.current()
    if here.in_own_code():
        here.assume(_UNCONFIGURED)


def _presume_levels() -> None:
    here = session.current()
    if here.in_own_code():
        here.presume(_UNCONFIGURED)


class _Logger:
    """A logger that discards everything."""

    propagate = True
    disabled = False

    def __init__(self, name: Any = None, *_args: Any) -> None:
        self.name = "root" if name is None else name
        self.filters: list[Any] = []

    @property
    def parent(self) -> Any:
        return None if self.name == "root" else _Logger()

    @property
    def level(self) -> int:
        _presume_levels()
        return _WARNING if self.name == "root" else 0

    @property
    def handlers(self) -> list[Any]:
        _assume_no_handlers()
        return []

    def isEnabledFor(self, level: Any, *_args: Any) -> Any:
        _presume_levels()
        return level >= _WARNING

    def getEffectiveLevel(self) -> int:
        _presume_levels()
        return _WARNING

    def hasHandlers(self) -> bool:
        _assume_no_handlers()
        return False

    def addHandler(self, handler: Any) -> None:
        """Add a handler, which is never called."""
        if is_programs_own(handler):
            _presume_unheard()

    addFilter = addHandler

    def getChild(self, _name: str) -> _Logger:
        return self

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return do_nothing


def _silent_attribute(_part: Any, name: str) -> Any:
    """Return an attribute of a class of `logging` that discards everything."""
    values: dict[str, Any] = {"filters": [], "level": 0, "formatter": None, "name": None}
    return values.get(name, do_nothing)


def _silent(_part: Any, *args: Any, **options: Any) -> None:
    """Make a part of `logging`, which writes to a stream of the program if it is given one."""
    values = (*args, *options.values())
    inner = [one for value in values if type(value) in (list, tuple) for one in value]
    if any(isinstance(value, io.StringIO) or hasattr(type(value), "write") for value in (*values, *inner)):
        if any(map(is_programs_own, (*values, *inner))):
            _presume_unheard()


@stdlib_module("logging")
def _logging() -> dict[str, Any]:
    silent = "debug info warning warn error critical exception log basicConfig disable addLevelName captureWarnings"
    table: dict[str, Any] = dict.fromkeys(silent.split(), do_nothing)
    table.update(DEBUG=10, INFO=20, WARNING=30, WARN=30, ERROR=40, CRITICAL=50, FATAL=50, NOTSET=0)
    table.update(getLogger=_Logger, Logger=_Logger, getLevelName=lambda level: str(level))
    for name in ("Handler", "StreamHandler", "FileHandler", "NullHandler", "Formatter", "Filter", "LoggerAdapter"):
        table[name] = type(name, (), {"__init__": _silent, "__getattr__": _silent_attribute})
    table["basicConfig"] = lambda *_args, **options: _silent(None, *options.values())
    table["handlers"] = NativeModule("logging.handlers", {})
    table["config"] = NativeModule("logging.config", {"dictConfig": do_nothing, "fileConfig": do_nothing})
    return table


class _CatchWarnings:
    def __init__(self, *, record: Any = False, **_kwargs: Any) -> None:
        self._records = record

    def __enter__(self) -> Any:
        if self._records is False:
            return None
        return Unknown("which warnings are shown is unknown", session.current().place(), term=SOMETHING)

    def __exit__(self, *_exc: object) -> None:
        pass


@stdlib_module("warnings")
def _warnings() -> dict[str, Any]:
    def set_filter(action: Any, *_args: Any, **_options: Any) -> None:
        here = session.current()
        if here.in_program() and (action == "error" or type(action) is Unknown):
            here.presume("no warning is raised as an exception")

    silent = dict.fromkeys(("warn", "warn_explicit", "resetwarnings"), do_nothing)
    silent.update(filterwarnings=set_filter, simplefilter=set_filter)
    return {**silent, "catch_warnings": _CatchWarnings, "deprecated": lambda *_a, **_k: lambda f: f}


def _traceback_text(*_args: Any, **_kwargs: Any) -> Unknown:
    return Unknown("the text of a traceback is not modelled", session.current().place(), term=SOMETHING)


@stdlib_module("traceback")
def _traceback() -> dict[str, Any]:
    return {**dict.fromkeys(("print_exc", "print_stack", "print_exception"), do_nothing), "format_exc": _traceback_text}
