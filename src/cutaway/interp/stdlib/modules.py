"""The standard library as a target sees it: pure parts are the host's own, the rest is modelled or unknown.

Each module that is modelled is one function under `@standard` that returns its names. It is called when the target
imports the module; the file that it is in is read then.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Unknown
from cutaway.interp.modules.module import SourceModule
from cutaway.interp.stdlib.allow_list import MODULES, public
from cutaway.knowledge.base import registry

Names = Callable[[], dict[str, Any]]

_FILES = {
    "command_line": "argparse",
    "importing": "importlib importlib.util importlib.metadata importlib_metadata",
    "messages": "logging warnings traceback",
    "numeric": "math itertools operator",
    "filesystem.os_path": "os.path glob",
    "filesystem.pathlib": "pathlib pkgutil importlib.resources importlib_resources",
    "randomness": "random uuid time datetime",
    "reflection.types": "types typing typing_extensions inspect functools dataclasses builtins",
    "system": "sys os platform threading",
    "values": "copy json hashlib io",
}
"""File of this package -> the modules that it models."""

_HOMES = {name: file for file, names in _FILES.items() for name in names.split()}
_MODELLED: dict[str, Names] = {"urllib": dict}


def standard(*names: str) -> Callable[[Names], Names]:
    """Let the decorated function give the names of a module of the standard library."""

    def enter(give: Names) -> Names:
        _MODELLED.update(dict.fromkeys(names, give))
        return give

    return enter


class NativeModule:
    """A standard module of which only the listed names can be reached."""

    def __init__(self, name: str, table: dict[str, Any]) -> None:
        self.__dict__.update(table)
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        below = module(f"{self.__name__}.{name}")
        if below is not None:
            self.__dict__[name] = below
            return below
        return Unknown(f"{self.__name__}.{name} is not modelled", session.current().place())


class _ModuleMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        modules = (SourceModule, NativeModule, registry.KnownModule)
        return type.__instancecheck__(cls, instance) or (cls is ModuleType and isinstance(instance, modules))


class ModuleType(metaclass=_ModuleMeta):
    """`types.ModuleType`: a module that the target makes itself."""

    def __init__(self, name: str, doc: str | None = None) -> None:
        self.__name__ = name
        self.__doc__ = doc

    def mark_incomplete(self, unknown: Unknown) -> None:
        """Note that the making of this module could not be followed."""
        self.__dict__["_incomplete"] = unknown


def module(name: str) -> Any:
    """Return a module of the standard library, or None where it is not one that is modelled."""
    if name in _HOMES:
        import_module(f"cutaway.interp.stdlib.{_HOMES[name]}")
    if name in _MODELLED:
        return NativeModule(name, _MODELLED[name]())
    return NativeModule(name, public(name)) if name in MODULES else None


def quiet(*_args: Any, **_kwargs: Any) -> None:
    """Do nothing: what a program writes to streams and logs is of no interest."""
