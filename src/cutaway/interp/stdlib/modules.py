"""The standard library as the target sees it: pure modules are the host's, the rest is modelled or unknown.

A modelled module is a function under `@stdlib_module` that returns the names of the module. The function is called,
and the file that contains it imported, when the target imports the module.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from cutaway.core import session
from cutaway.core.admission import admit
from cutaway.core.protocols import MODULE
from cutaway.core.unknown import Unknown
from cutaway.interp.modules.module import SourceModule
from cutaway.interp.stdlib.allow_list import MODULES, public_names
from cutaway.knowledge.base import registry
from cutaway.syntax import resolve

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
    "system": "sys os platform threading atexit",
    "values": "copy json hashlib io tomllib tomli",
}
"""File of this package -> the modules that it models."""

_FILE_OF = {name: file for file, names in _FILES.items() for name in names.split()}
_MODELLED: dict[str, Names] = {"urllib": dict}


def stdlib_module(*names: str) -> Callable[[Names], Names]:
    """Register the decorated function, which returns the names of a module of the standard library."""

    def register(names_of_module: Names) -> Names:
        _MODELLED.update(dict.fromkeys(names, names_of_module))
        return names_of_module

    return register


class Supposed(NamedTuple):
    """A value that depends on the machine: what the user's own code does with it depends on what is assumed."""

    value: Any
    assumption: str

    def read(self) -> Any:
        """Return the value, and note the assumption."""
        here = session.current()
        if here.in_program():
            here.presume(self.assumption)
        return self.value


_OF_THE_INSTALLATION = frozenset("__file__ __cached__ __path__ __loader__ __spec__".split())


class NativeModule:
    """A module of the standard library with the listed names; other names are unknown."""

    __slots__ = ("__dict__", "_supposed")

    def __init__(self, name: str, table: dict[str, Any]) -> None:
        self._supposed = {key: value for key, value in table.items() if type(value) is Supposed}
        for key, value in table.items():
            if key in self._supposed:
                continue
            admitted = admit(value)
            if type(admitted) is not Unknown or type(value) is Unknown:
                self.__dict__[key] = admitted
        self.__name__ = name

    def __getattr__(self, name: str) -> Any:
        if name in _OF_THE_INSTALLATION:
            return Unknown(f"where Python keeps {self.__name__} is not known", session.current().place())
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._supposed:
            return self._supposed[name].read()
        submodule = module(f"{self.__name__}.{name}")
        if submodule is not None:
            self.__dict__[name] = submodule
            return submodule
        return Unknown(f"{self.__name__}.{name} is not modelled", session.current().place())


class _ModuleMeta(type):
    def __instancecheck__(cls, instance: object) -> bool:
        modules = (SourceModule, NativeModule, registry.KnownModule)
        return type.__instancecheck__(cls, instance) or (cls is ModuleType and isinstance(instance, modules))


@MODULE
class ModuleType(metaclass=_ModuleMeta):
    """`types.ModuleType`: a module that the target creates."""

    def __init__(self, name: str, doc: str | None = None) -> None:
        self.__name__ = name
        self.__doc__ = doc

    def mark_incomplete(self, unknown: Unknown) -> None:
        """Note that the construction of this module could not be followed."""
        self.__dict__["_incomplete"] = unknown


ModuleType.__name__ = ModuleType.__qualname__ = "module"


def module(name: str) -> Any:
    """Return a module of the standard library, None if there is no such module.

    One that is neither modelled nor only computes has no names that are known: what its functions do is unknown.
    """
    if name in _FILE_OF:
        import_module(f"cutaway.interp.stdlib.{_FILE_OF[name]}")
    if name in _MODELLED:
        return NativeModule(name, _MODELLED[name]())
    if name in MODULES:
        return NativeModule(name, public_names(name))
    return NativeModule(name, {}) if resolve.is_standard_module(name) else None


def do_nothing(*_args: Any, **_kwargs: Any) -> None:
    """Do nothing, in place of a function that prints, logs, or changes settings of the host."""
