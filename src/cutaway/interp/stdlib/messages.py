"""Modules that report: logging, warnings, tracebacks."""

from __future__ import annotations

from typing import Any

from cutaway.interp.stdlib.modules import NativeModule, quiet, standard


class _Logger:
    """A logger that says nothing."""

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
        return quiet


def _silent(_part: Any, name: str) -> Any:
    """Return an attribute of a part of `logging` that says nothing."""
    values: dict[str, Any] = {"filters": [], "level": 0, "formatter": None, "name": None}
    return values.get(name, quiet)


@standard("logging")
def _logging() -> dict[str, Any]:
    silent = "debug info warning warn error critical exception log basicConfig disable addLevelName captureWarnings"
    table: dict[str, Any] = dict.fromkeys(silent.split(), quiet)
    table.update(DEBUG=10, INFO=20, WARNING=30, WARN=30, ERROR=40, CRITICAL=50, FATAL=50, NOTSET=0)
    table.update(getLogger=lambda *_args: _Logger(), Logger=_Logger, getLevelName=lambda level: str(level))
    for name in ("Handler", "StreamHandler", "FileHandler", "NullHandler", "Formatter", "Filter", "LoggerAdapter"):
        table[name] = type(name, (), {"__init__": lambda self, *a, **k: None, "__getattr__": _silent})
    table["handlers"] = NativeModule("logging.handlers", {})
    table["config"] = NativeModule("logging.config", {"dictConfig": quiet, "fileConfig": quiet})
    return table


class _CatchWarnings:
    def __init__(self, *_args: Any, **_kwargs: Any) -> None:
        pass

    def __enter__(self) -> list[Any]:
        return []

    def __exit__(self, *_exc: object) -> None:
        pass


@standard("warnings")
def _warnings() -> dict[str, Any]:
    silent = dict.fromkeys(("warn", "warn_explicit", "filterwarnings", "simplefilter", "resetwarnings"), quiet)
    return {**silent, "catch_warnings": _CatchWarnings, "deprecated": lambda *_a, **_k: lambda f: f}


@standard("traceback")
def _traceback() -> dict[str, Any]:
    return {**dict.fromkeys(("print_exc", "print_stack", "print_exception"), quiet), "format_exc": lambda *_a: ""}
