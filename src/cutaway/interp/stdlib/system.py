"""`sys`, `os` and other modules that describe the machine."""

from __future__ import annotations

import os
import types
from collections.abc import Iterator
from typing import Any

from cutaway.core import disk, session
from cutaway.core.condition import ENVIRONMENT, SOMETHING, Term
from cutaway.core.unknown import Undecidable, Unknown, Usual, assumed
from cutaway.interp.boundary.code_objects import frame_view
from cutaway.interp.modules import loader
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.iteration import counted
from cutaway.interp.run.truth import settled
from cutaway.interp.stdlib.builtins import depends_on_machine, has_effects
from cutaway.interp.stdlib.filesystem import os_path
from cutaway.interp.stdlib.filesystem.open_files import find_folder, is_readable, plain_path, working_folder
from cutaway.interp.stdlib.modules import NativeModule, do_nothing, stdlib_module


def _exc_info() -> tuple[Any, Any, Any]:
    error = interpreter().handling[-1] if interpreter().handling else None
    return (type(error), error, None) if error is not None else (None, None, None)


@stdlib_module("sys")
def _sys() -> dict[str, Any]:
    import sys

    table = {n: getattr(sys, n) for n in ("version_info", "version", "maxsize", "byteorder", "float_info", "hexversion",
                                           "platform", "implementation", "hash_info")}  # fmt: skip
    table["implementation"] = types.SimpleNamespace(**vars(sys.implementation))  # the host has its own
    stream = types.SimpleNamespace(write=do_nothing, flush=do_nothing, isatty=lambda: False)

    def exit_program(*_args: Any) -> None:
        raise SystemExit

    table.update(modules=_Modules(), path=_SearchPath(), meta_path=[], path_hooks=[], argv=_command_line(), exit=exit_program, stdout=stream, stderr=stream, stdin=stream,
                 setrecursionlimit=do_nothing, getrecursionlimit=lambda: 1000, intern=lambda text: text, getsizeof=lambda *_a: Unknown("the memory size of an object is unknown"),
                 executable="python", exc_info=_exc_info, _getframe=frame_view, flags=sys.flags, gettrace=do_nothing, getprofile=do_nothing,
                 getdefaultencoding=sys.getdefaultencoding, getfilesystemencoding=sys.getfilesystemencoding,
                 stdlib_module_names=sys.stdlib_module_names, maxunicode=sys.maxunicode,
                 warnoptions=[])  # fmt: skip
    return table


class _SearchPath(list[Any]):
    """`sys.path`: folders of the project that the program adds are searched for imports."""

    def append(self, folder: Any) -> None:
        super().append(folder)
        _search(folder, first=False)

    def insert(self, index: Any, folder: Any) -> None:
        super().insert(index, folder)
        _search(folder, first=True)

    def extend(self, folders: Any) -> None:
        for folder in counted(folders):
            self.append(folder)

    def __iadd__(self, folders: Any) -> Any:  # type: ignore[misc]
        self.extend(folders)
        return self


def _search(folder: Any, first: bool) -> None:
    """Look for imports in a folder of the project, as well."""
    if isinstance(folder, (str, os.PathLike)):
        path = os.path.abspath(find_folder(plain_path(folder)))
        if disk.is_folder(path) and is_readable(os.path.join(path, "any")):
            loader.current().add_search(path, first)


def _command_line() -> list[str]:
    given = session.current().command_line
    return _CommandLine([""]) if given is None else list(given)


class _CommandLine(list[str]):
    """`sys.argv`: the program is started without arguments, which is an assumption where it looks at them."""

    def __len__(self) -> int:
        _assume_no_arguments()
        return super().__len__()

    def __iter__(self) -> Iterator[str]:
        _assume_no_arguments()
        return super().__iter__()

    def __contains__(self, item: object) -> bool:
        _assume_no_arguments()
        return super().__contains__(item)

    def __getitem__(self, index: Any) -> Any:
        if index != 0:
            _assume_no_arguments()
        return super().__getitem__(index)


def _assume_no_arguments() -> None:
    session.current().assume("the program is started without command-line arguments", doubt=session.COMMAND_LINE)


class _Modules:
    """`sys.modules`: the modules of the target."""

    def __getitem__(self, name: Any) -> Any:
        return name if type(name) is Unknown else loader.current().load(name, strict=True)

    def get(self, name: Any, default: Any = None) -> Any:
        try:
            return self[name]
        except ImportError:
            return default

    def __contains__(self, name: Any) -> bool:
        return name in loader.current().modules

    def __iter__(self) -> Iterator[str]:
        return iter(self.copy())

    def __len__(self) -> int:
        return len(loader.current().modules)

    def copy(self) -> dict[str, Any]:
        """Return a copy of the table."""
        return dict(loader.current().modules)

    def keys(self) -> Any:
        """Return the names of the modules."""
        return self.copy().keys()

    def values(self) -> Any:
        """Return the modules."""
        return self.copy().values()

    def items(self) -> Any:
        """Return pairs of name and module."""
        return self.copy().items()

    def __setitem__(self, name: str, value: Any) -> None:
        if not isinstance(value, Unknown) and "_incomplete" not in vars(value):
            loader.current().modules[name] = value


_NOT_SET = "the environment variables that the program reads are not set"


class _Environment(dict[str, str]):
    """`os.environ`: what the program has set, and has deleted; whether any other variable is set is a condition."""

    def __init__(self) -> None:
        super().__init__()
        self.deleted: set[str] = set()

    def _is_known(self, name: object) -> bool:
        return type(name) is not str or name in self.deleted or dict.__contains__(self, name)

    def get(self, name: Any, default: Any = None) -> Any:  # type: ignore[override]
        if self._is_known(name):
            return dict.get(self, name, default)
        words = f"os.environ.get({name!r})" if default is None else f"os.environ.get({name!r}, {default!r})"
        return _usually(default, words, None)

    def __contains__(self, name: object) -> bool:
        return bool(assumed(self.membership(name)))

    def membership(self, name: object) -> Any:
        """Return `name in os.environ`."""
        return (
            dict.__contains__(self, name) if self._is_known(name) else _usually(False, f"{name!r} in os.environ", bool)
        )

    def __getitem__(self, name: str) -> Any:
        if not self._is_known(name) and settled(self.membership(name)):
            words = Term(f"os.environ[{name!r}]", ENVIRONMENT)
            return Unknown("the environment is unknown", session.current().place(), term=words)
        return dict.__getitem__(self, name)

    def __setitem__(self, name: str, value: str) -> None:
        self._before_change()
        self.deleted.discard(name)
        dict.__setitem__(self, name, value)

    def __delitem__(self, name: str) -> None:
        self[name]
        self.pop(name, None)

    def pop(self, name: Any, *default: Any) -> Any:
        self._before_change()
        value = self.get(name, *default) if default else self[name]
        self.deleted.add(name)
        dict.pop(self, name, None)
        return value

    def setdefault(self, name: str, default: str = "") -> Any:
        if not self.membership_holds(name):
            self[name] = default
        return self[name]

    def update(self, *others: Any, **more: Any) -> None:
        for name, value in dict(*others, **more).items():
            self[name] = value

    def _before_change(self) -> None:
        """Evaluate modules that would have read a variable before."""
        loader.current().waiting.evaluate_mentioning("environ", "getenv")

    def membership_holds(self, name: str) -> bool:
        """Tell whether a variable is set in this run."""
        return settled(self.membership(name)) is True

    def _undetermined(self, *_args: Any) -> Unknown:
        return Unknown("the environment is unknown", session.current().place(), term=SOMETHING)

    def _undecidable(self, *_args: Any) -> Any:
        raise Undecidable(self._undetermined())

    keys = values = items = copy = popitem = _undetermined  # type: ignore[assignment]
    __iter__ = __len__ = __or__ = __ror__ = _undecidable  # type: ignore[assignment]


def _usually(value: Any, words: str, kind: type | None) -> Unknown:
    here = session.current().place()
    return Unknown(
        "the environment is unknown", here, kind=kind, term=Term(words, ENVIRONMENT), usual=Usual(value, _NOT_SET)
    )


@stdlib_module("os")
def _os() -> dict[str, Any]:
    environment = _Environment()
    path = os_path.os_path()
    with_effects = "system popen kill fork execv execve spawnv putenv unsetenv chdir open".split()
    writing_functions = "remove unlink mkdir makedirs rmdir removedirs rename replace chmod link symlink".split()
    machine_dependent = "scandir stat urandom cpu_count getpid getuid access lstat".split()
    table: dict[str, Any] = {name: has_effects(f"os.{name}") for name in with_effects}
    table.update({name: depends_on_machine(f"os.{name}", "stat" in name) for name in machine_dependent})
    table.update(dict.fromkeys(writing_functions, os_path.ignore_change))
    table.update(getcwd=working_folder, path=NativeModule("os.path", path), environ=environment, getenv=environment.get, sep=os.sep,
                 linesep=os.linesep, name=os.name, fspath=lambda path: path if type(path) is Unknown else os.fspath(path), PathLike=os.PathLike, pathsep=os.pathsep,
                 error=OSError, curdir=os.curdir, listdir=os_path.listdir, walk=os_path.walk, register_at_fork=do_nothing)  # fmt: skip
    return table


@stdlib_module("atexit")
def _atexit() -> dict[str, Any]:
    """Return `atexit`: what is registered would run after the network has been built and called."""
    return {"register": lambda function, *_args, **_kwargs: function, "unregister": do_nothing}


@stdlib_module("platform")
def _platform() -> dict[str, Any]:
    import platform

    def unknown(*_args: Any) -> Any:
        return Unknown("the platform is unknown", session.current().place(), term=SOMETHING)

    return {"python_version": platform.python_version, "system": lambda: "Linux", "machine": unknown, "platform": unknown,
            "python_implementation": lambda: "CPython", "processor": unknown, "node": unknown}  # fmt: skip


class _Lock:
    """A lock that is always free."""

    def __enter__(self) -> _Lock:
        return self

    def __exit__(self, *_exc: object) -> None:
        pass

    def acquire(self, *_args: Any, **_kwargs: Any) -> bool:
        return True

    def release(self) -> None:
        pass


@stdlib_module("threading")
def _threading() -> dict[str, Any]:
    return {"Lock": _Lock, "RLock": _Lock, "local": types.SimpleNamespace, "Condition": _Lock,
            "current_thread": lambda: types.SimpleNamespace(name="MainThread"), "get_ident": lambda: 1}  # fmt: skip
