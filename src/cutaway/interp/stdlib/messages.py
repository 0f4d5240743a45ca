"""Modules that print messages, which are discarded: `logging`, `warnings`, `traceback`."""

from __future__ import annotations

from typing import Any

from cutaway.interp.stdlib.modules import NativeModule, do_nothing, stdlib_module


class _Logger:
    """A logger that discards everything."""

    name = "root"
    level = 0
    propagate = True
    disabled = False
    parent = None

    def __init__(self, *_args: Any) -> None:
        self.handlers: list[Any] = []
        self.filters: list[Any] = []

    def isEnabledFor(self, *_args: Any) -> bool:
        return False

    def getEffectiveLevel(self) -> int:
        return 30

    def hasHandlers(self) -> bool:
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
    table.update(getLogger=lambda *_args: _Logger(), Logger=_Logger, getLevelName=lambda level: str(level))
    for name in ("Handler", "StreamHandler", "FileHandler", "NullHandler", "Formatter", "Filter", "LoggerAdapter"):
        table[name] = type(name, (), {"__init__": lambda self, *a, **k: None, "__getattr__": _silent_attribute})
    table["handlers"] = NativeModule("logging.handlers", {})
    table["config"] = NativeModule("logging.config", {"dictConfig": do_nothing, "fileConfig": do_nothing})
    return table


class _CatchWarnings:
    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        pass

    def __enter__(self) -> list[Any]:
        return []

    def __exit__(self, *_exc: object) -> None:
        pass


@stdlib_module("warnings")
def _warnings() -> dict[str, Any]:
    silent = dict.fromkeys(("warn", "warn_explicit", "filterwarnings", "simplefilter", "resetwarnings"), do_nothing)
    return {**silent, "catch_warnings": _CatchWarnings, "deprecated": lambda *_a, **_k: lambda f: f}


@stdlib_module("traceback")
def _traceback() -> dict[str, Any]:
    return {**dict.fromkeys(("print_exc", "print_stack", "print_exception"), do_nothing), "format_exc": lambda *_a: ""}
