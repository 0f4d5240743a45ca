"""Modules that print messages, which are discarded: `logging`, `warnings`, `traceback`."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.condition import SOMETHING
from cutaway.core.unknown import Unknown
from cutaway.interp.stdlib.modules import NativeModule, do_nothing, stdlib_module

_WARNING = 30


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
    parent = None

    def __init__(self, name: Any = None, *_args: Any) -> None:
        self.name = "root" if name is None else name
        self.filters: list[Any] = []

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


@stdlib_module("logging")
def _logging() -> dict[str, Any]:
    silent = "debug info warning warn error critical exception log basicConfig disable addLevelName captureWarnings"
    table: dict[str, Any] = dict.fromkeys(silent.split(), do_nothing)
    table.update(DEBUG=10, INFO=20, WARNING=30, WARN=30, ERROR=40, CRITICAL=50, FATAL=50, NOTSET=0)
    table.update(getLogger=_Logger, Logger=_Logger, getLevelName=lambda level: str(level))
    for name in ("Handler", "StreamHandler", "FileHandler", "NullHandler", "Formatter", "Filter", "LoggerAdapter"):
        table[name] = type(name, (), {"__init__": lambda self, *a, **k: None, "__getattr__": _silent_attribute})
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
    silent = dict.fromkeys(("warn", "warn_explicit", "filterwarnings", "simplefilter", "resetwarnings"), do_nothing)
    return {**silent, "catch_warnings": _CatchWarnings, "deprecated": lambda *_a, **_k: lambda f: f}


def _traceback_text(*_args: Any, **_kwargs: Any) -> Unknown:
    return Unknown("the text of a traceback is not modelled", session.current().place(), term=SOMETHING)


@stdlib_module("traceback")
def _traceback() -> dict[str, Any]:
    return {**dict.fromkeys(("print_exc", "print_stack", "print_exception"), do_nothing), "format_exc": _traceback_text}
