"""`sys`, `os` and other modules that describe the machine."""

from __future__ import annotations

import contextlib
import os
from collections.abc import MutableMapping
from typing import Any

from cutaway.core import disk, session
from cutaway.core.condition import ENVIRONMENT, SOMETHING, Term
from cutaway.core.unknown import Undecidable, Unknown, Usual, assumed, decisions, derived_unknown
from cutaway.interp.boundary.code_objects import frame_view
from cutaway.interp.boundary.namespace import SimpleNamespace
from cutaway.interp.modules import loader
from cutaway.interp.run.interpreter import interpreter
from cutaway.interp.run.iteration import counted
from cutaway.interp.run.truth import settled
from cutaway.interp.stdlib.builtins import depends_on_machine, has_effects
from cutaway.interp.stdlib.command_line import GivenArguments
from cutaway.interp.stdlib.filesystem import os_path
from cutaway.interp.stdlib.filesystem.open_files import find_folder, is_readable, plain_path, working_folder
from cutaway.interp.stdlib.modules import NativeModule, Supposed, do_nothing, stdlib_module
from cutaway.knowledge.base import attribute


def _exc_info() -> tuple[Any, Any, Any]:
    error = interpreter().handling[-1] if interpreter().handling else None
    return (type(error), error, None) if error is not None else (None, None, None)


class _Stream:
    """A standard stream, which nothing is written to: where it leads to is unknown."""

    def __init__(self, name: str) -> None:
        self._title = name

    def write(self, *_args: Any) -> Unknown:
        """Write nothing."""
        return Unknown("what a stream returns is not modelled")

    def flush(self, *_args: Any) -> None:
        """Do nothing."""

    writelines = close = flush

    def isatty(self) -> Unknown:
        """Tell whether a person reads it."""
        term = Term(f"sys.{self._title}.isatty()", ENVIRONMENT)
        usual = Usual(False, f"sys.{self._title} is not a terminal")
        return Unknown(
            "where the program is started is unknown", session.current().place(), kind=bool, term=term, usual=usual
        )

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(f"sys.{self._title}.{name} is not modelled", session.current().place(), term=SOMETHING)


@stdlib_module("sys")
def _sys() -> dict[str, Any]:
    import sys

    table = {n: getattr(sys, n) for n in ("version_info", "version", "hexversion", "float_info", "maxunicode")}
    linux = "the program runs on Linux, on a machine with 64 bits"
    table.update({n: Supposed(getattr(sys, n), linux) for n in ("maxsize", "byteorder", "platform", "hash_info")})
    version = f"the program runs with CPython {sys.version_info[0]}.{sys.version_info[1]}"
    implementation = SimpleNamespace(**vars(sys.implementation))  # the host has its own
    table.update(implementation=Supposed(implementation, version), version=Supposed(sys.version, version))
    table["stdlib_module_names"] = Supposed(sys.stdlib_module_names, version)
    options = "Python is started without options, and nothing traces the program"
    table.update(flags=Supposed(_flags(sys.flags), options), warnoptions=Supposed([], options))
    table.update(dict.fromkeys(("gettrace", "getprofile"), _supposing(None, options)))
    table.update(getdefaultencoding=_supposing("utf-8", options), getfilesystemencoding=_supposing("utf-8", linux))

    def exit_program(*_args: Any) -> None:
        raise SystemExit

    def size_of(*_args: Any) -> Unknown:
        return Unknown("the memory size of an object is unknown")

    streams = {name: _Stream(name) for name in ("stdin", "stdout", "stderr")}
    table.update({f"__{name}__": stream for name, stream in streams.items()})
    unknown = "executable prefix base_prefix exec_prefix orig_argv dont_write_bytecode api_version path_importer_cache".split()
    for name in unknown:
        table[name] = Unknown(f"sys.{name} depends on the machine", term=SOMETHING)
    table.update(streams, modules=_Modules(), path=_SearchPath(), meta_path=Supposed([], options), path_hooks=Supposed([], options),
                 argv=_command_line(), exit=exit_program, setrecursionlimit=do_nothing, getrecursionlimit=_supposing(1000, options),
                 intern=lambda text: text, getsizeof=size_of, exc_info=_exc_info, _getframe=frame_view)  # fmt: skip
    return table


def _supposing(value: Any, assumption: str) -> Any:
    """Return a function whose result depends on the machine."""
    supposed = Supposed(value, assumption)
    return lambda *_args, **_kwargs: supposed.read()


class _Flags(SimpleNamespace):
    """`sys.flags`: how many there are depends on the version of Python."""

    def _undecidable(self, *_args: Any) -> Any:
        raise Undecidable(Unknown("the options of Python are unknown", session.current().place(), term=SOMETHING))

    __iter__ = __len__ = __getitem__ = __repr__ = __eq__ = _undecidable  # type: ignore[assignment]


def _flags(flags: Any) -> SimpleNamespace:
    """Return `sys.flags` as they are without options."""
    names = [name for name in dir(flags) if not name.startswith("_") and name not in ("count", "index")]
    return _Flags(**{**dict.fromkeys(names, 0), "dev_mode": False, "safe_path": False, "hash_randomization": 1})


class _SearchPath(list[Any]):
    """`sys.path`: folders of the project that the program adds are searched for imports; what else is in it is unknown."""

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

    def __contains__(self, folder: object) -> bool:
        if not super().__contains__(folder):
            session.current().assume("a folder that the program looks for is not in sys.path", doubt=session.FILES)
        return super().__contains__(folder)

    def _undetermined(self, *_args: Any) -> Unknown:
        return Unknown("where Python looks for packages is unknown", session.current().place(), term=SOMETHING)

    def _undecidable(self, *_args: Any) -> Any:
        raise Undecidable(self._undetermined())

    def remove(self, folder: Any) -> None:
        if super().__contains__(folder):
            super().remove(folder)

    copy = pop = index = count = __getitem__ = __add__ = __radd__ = __eq__ = __ne__ = _undetermined  # type: ignore[assignment]
    __lt__ = __le__ = __gt__ = __ge__ = __mul__ = __rmul__ = _undetermined  # type: ignore[assignment]
    __iter__ = __len__ = __bool__ = __repr__ = __reversed__ = _undecidable  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]

    def __setitem__(self, index: Any, folders: Any) -> None:
        for folder in folders if isinstance(index, slice) else [folders]:
            _search(folder, first=True)

    def __delitem__(self, index: Any) -> None:
        pass


def _search(folder: Any, first: bool) -> None:
    """Look for imports in a folder of the project, as well."""
    if isinstance(folder, (str, os.PathLike)):
        path = os.path.abspath(find_folder(plain_path(folder)))
        if disk.is_folder(path) and is_readable(os.path.join(path, "any")):
            loader.current().add_search(path, first)


def _command_line() -> list[str]:
    given = session.current().command_line
    return _CommandLine([""]) if given is None else GivenArguments(given)


class _CommandLine(GivenArguments):
    """`sys.argv`: the program is started without arguments, which is an assumption where it looks at them."""

    def __getitem__(self, index: Any) -> Any:
        if index != 0:
            _assume_no_arguments()
        return super().__getitem__(index)


def _assuming(name: str) -> Any:
    method = getattr(list, name)

    def read(self: _CommandLine, *args: Any) -> Any:
        _assume_no_arguments()
        return method(self, *args)

    return read


for _name in "__len__ __iter__ __contains__ __reversed__ __eq__ __ne__ __add__ __repr__ copy count index pop".split():
    setattr(_CommandLine, _name, _assuming(_name))


def _assume_no_arguments() -> None:
    session.current().suppose("the program is started without command-line arguments", doubt=session.COMMAND_LINE)


class _Modules:
    """`sys.modules`: the modules of the target; which others are loaded is unknown."""

    def __getitem__(self, name: Any) -> Any:
        return name if type(name) is Unknown else loader.current().load(name, strict=True)

    def get(self, name: Any, default: Any = None) -> Any:
        if type(name) is Unknown:
            return derived_unknown(name)
        is_loaded = name in self
        return self[name] if is_loaded else default

    def __contains__(self, name: Any) -> bool:
        is_loaded = name in loader.current().modules
        here = session.current()
        if not is_loaded and here.in_own_code():
            here.presume("no module is loaded that the program does not import")
        return is_loaded

    def _undetermined(self, *_args: Any) -> Unknown:
        return Unknown("which modules are loaded is unknown", session.current().place(), term=SOMETHING)

    def _undecidable(self, *_args: Any) -> Any:
        raise Undecidable(self._undetermined())

    def keys(self) -> _Modules:
        """Return the names: of these, too, only what the program imports is known."""
        return self

    copy = values = items = _undetermined
    __iter__ = __len__ = __repr__ = _undecidable

    def pop(self, name: Any, *default: Any) -> Any:
        """Remove a module: the next import evaluates it anew."""
        module = self.get(name, *default) if default else self[name]
        if type(name) is str:
            loader.current().remove(name)
        return module

    def __delitem__(self, name: Any) -> None:
        self.pop(name)

    def setdefault(self, name: Any, value: Any) -> Any:
        """Enter a module that is not there."""
        if name not in self:
            self[name] = value
        return self[name]

    def update(self, modules: Any = (), **named: Any) -> None:
        """Enter modules."""
        for name, value in dict(modules, **named).items():
            self[name] = value

    def __setitem__(self, name: Any, value: Any) -> None:
        if type(name) is Unknown:
            raise Undecidable(name)
        if not isinstance(value, Unknown) and "_incomplete" not in getattr(value, "__dict__", ()):
            loader.current().replace(name, value)
        elif session.current().in_own_code():
            session.current().presume(
                f"what the program enters in sys.modules as {name} is like the module of that name"
            )


_NOT_SET = "the environment variables that the program reads are not set"


class _Environment:
    """`os.environ`: what the program has set, and has deleted; whether any other variable is set is a condition."""

    def __init__(self) -> None:
        self._values: dict[Any, Any] = {}
        self._deleted: set[Any] = set()
        self._defaults: dict[str, list[Any]] = {}  # with which variables were asked for

    def _is_known(self, name: object) -> bool:
        return type(name) is not str or name in self._deleted or name in self._values

    def get(self, name: Any, default: Any = None) -> Any:
        """Return a variable, or the default."""
        if self._is_known(name):
            return self._values.get(name, default)
        is_set = self._is_set(name)
        if is_set is not None:
            return _variable(name) if is_set else default
        if default is not None:
            self._defaults.setdefault(name, []).append(default)
        return _usually(default, Term(_asked(name, default), ENVIRONMENT, plain=_is_plain(default)), None)

    def _is_set(self, name: str) -> bool | None:
        """Return what the decisions of this run imply about whether a variable is set."""
        here = decisions()
        is_set = here.known_truth(_membership(name))
        if is_set is not None:
            return is_set
        others = ((Term(_asked(name, default), ENVIRONMENT), default) for default in self._defaults.get(name, ()))
        return True if any(here.rules_out(term, default) for term, default in others) else None

    def __contains__(self, name: object) -> bool:
        return bool(assumed(self.membership(name)))

    def membership(self, name: object) -> Any:
        """Return `name in os.environ`."""
        if type(name) is not str or self._is_known(name):
            return name in self._values
        is_set = self._is_set(name)
        return _usually(False, _membership(name), bool) if is_set is None else is_set

    def __getitem__(self, name: str) -> Any:
        if not self._is_known(name):
            # The program ends without a variable that it asks for so, unless it catches the exception.
            is_needed = not interpreter().guarded and self._is_set(name) is None
            if is_needed or settled(self.membership(name)):
                return _variable(name)
        return self._values[name]

    def __setitem__(self, name: str, value: str) -> None:
        self._before_change()
        self._deleted.discard(name)
        self._values[name] = value

    def __delitem__(self, name: str) -> None:
        self[name]
        self.pop(name, None)

    def pop(self, name: Any, *default: Any) -> Any:
        """Delete a variable, and return it."""
        self._before_change()
        value = self.get(name, *default) if default else self[name]
        self._deleted.add(name)
        self._values.pop(name, None)
        return value

    def setdefault(self, name: str, default: str = "") -> Any:
        """Set a variable, unless it is set."""
        if settled(self.membership(name)) is not True:
            self[name] = default
        return self[name]

    def update(self, *others: Any, **more: Any) -> None:
        """Set variables."""
        for name, value in dict(*others, **more).items():
            self[name] = value

    def clear(self) -> None:
        """Do nothing: the variables of the program are not those of the machine."""

    def _before_change(self) -> None:
        """Evaluate modules that would have read a variable before."""
        loader.current().waiting.evaluate_mentioning("environ", "getenv")

    def _undetermined(self, *_args: Any) -> Unknown:
        return Unknown("the environment is unknown", session.current().place(), term=SOMETHING)

    def _undecidable(self, *_args: Any) -> Any:
        raise Undecidable(self._undetermined())

    keys = values = items = copy = popitem = __eq__ = __ne__ = _undetermined  # type: ignore[assignment]
    __iter__ = __len__ = __or__ = __ror__ = __repr__ = __reversed__ = _undecidable  # type: ignore[assignment]
    __copy__ = __deepcopy__ = _undecidable
    __hash__ = object.__hash__


MutableMapping.register(_Environment)


def _usually(value: Any, term: Term, kind: type | None) -> Unknown:
    here = session.current().place()
    return Unknown("the environment is unknown", here, kind=kind, term=term, usual=Usual(value, _NOT_SET))


def _asked(name: str, default: Any) -> str:
    """Return how a program asks for a variable that may not be set."""
    return f"os.environ.get({name!r})" if default is None else f"os.environ.get({name!r}, {default!r})"


def _membership(name: str) -> Term:
    return Term(f"{name!r} in os.environ", ENVIRONMENT, _asked(name, None), "is not", None, plain=True)


def _variable(name: str) -> Unknown:
    """Return the value of a variable that is set in this run."""
    term = Term(f"os.environ[{name!r}]", ENVIRONMENT, plain=True)
    return Unknown("the environment is unknown", session.current().place(), term=term)


def _is_plain(value: Any) -> bool:
    return value is None or type(value) in (str, int, float, bool)


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
    table.update(getcwd=working_folder, path=NativeModule("os.path", path), environ=environment, getenv=environment.get, fspath=lambda path: path if type(path) is Unknown else os.fspath(path), PathLike=os.PathLike,
                 error=OSError, curdir=os.curdir, listdir=os_path.listdir, walk=os_path.walk, register_at_fork=do_nothing)  # fmt: skip
    posix = "the program runs on Linux"
    table.update({name: Supposed(getattr(os, name), posix) for name in ("name", "sep", "linesep", "pathsep")})
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

    linux, version = "the program runs on Linux", f"the program runs with CPython {platform.python_version()}"
    return {"python_version": _supposing(platform.python_version(), version), "system": _supposing("Linux", linux), "machine": unknown,
            "platform": unknown, "python_implementation": _supposing("CPython", version), "processor": unknown, "node": unknown}  # fmt: skip


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


class _Thread:
    """The thread that a program runs in."""

    name = "MainThread"

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return Unknown(f"{name} of a thread is not modelled", session.current().place(), term=SOMETHING)


class Thread:
    """`threading.Thread`: it is run where it is started, which is presumed."""

    def __init__(
        self,
        group: Any = None,
        target: Any = None,
        name: Any = None,
        args: Any = (),
        kwargs: Any = None,
        *,
        daemon: Any = None,
    ) -> None:
        self._target, self._args, self._kwargs = target, tuple(args), dict(kwargs or {})
        self.name, self.daemon = name, daemon

    def start(self) -> None:
        """Run the thread to its end; an exception ends the thread alone."""
        session.current().presume(_AT_ONCE, doubt="when threads run")
        with contextlib.suppress(Exception, SystemExit):
            attribute.get(self, "run")()

    def run(self) -> None:
        """Call what the thread is for."""
        if self._target is not None:
            self._target(*self._args, **self._kwargs)

    def join(self, timeout: Any = None) -> None:
        """Do nothing: the thread has ended."""

    def is_alive(self) -> bool:
        """Return whether the thread runs."""
        return False


_AT_ONCE = "a thread runs to its end where it is started"


@stdlib_module("threading")
def _threading() -> dict[str, Any]:
    thread = _Thread()
    started = "the program runs in one thread"
    return {"Lock": _Lock, "RLock": _Lock, "local": SimpleNamespace, "Condition": _Lock, "Thread": Thread,
            "current_thread": _supposing(thread, started), "main_thread": _supposing(thread, started)}  # fmt: skip
