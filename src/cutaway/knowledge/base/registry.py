"""The tables of what libraries contain: qualified name -> the object that models it.

A library is a package of `cutaway.knowledge`, or a file of `libraries/` or `described/`, of the library's own name;
touching it imports all its files, which register their rows. Nothing else lists them.
"""

from __future__ import annotations

import functools
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from cutaway import knowledge
from cutaway.core import session
from cutaway.core.admission import HELD
from cutaway.core.program_state import Key
from cutaway.core.speed import is_on
from cutaway.core.unknown import Unknown

_SEARCHING: Key[set[str]] = Key(set)  # names that are being looked up in source

T = TypeVar("T")

TABLE: dict[str, Any] = {}
_LAST_NAMES: dict[int, str | None] = {}
_NAMED = [0]  # how many rows are in there
_CONSTANTS: dict[int, Any] = {}
_ROW_CLASSES: set[type] = set()
ARRAYS: set[type] = set()
"""Classes whose operators are bounded by the library that they come from."""
DEVICE_TYPES: set[type] = set()
"""Classes of devices, which keep the name that they are made with."""
CONSTRUCTORS: dict[type, Callable[..., Any]] = {}
"""What calling a class of a library means, where that is not what the class itself does."""

_NAMESPACES: set[str] = set()
_ABSENT: set[str] = set()
_LOADED: set[str] = set()
_WAITING: list[str] = []
_READABLE: set[str] = set()
_ALIASES: list[tuple[str, str]] = []
_NO_LIBRARIES = frozenset(("base", "libraries", "described", "names", "__pycache__"))
_REPLACED: dict[str, dict[str, dict[str, Any]]] = {}


class DuplicateRow(Exception):
    """Two rows claim the same name."""


@functools.cache
def _homes() -> dict[str, str]:
    """Return the libraries that are modelled whole, each with the package or module of ours that does so."""
    packages = {
        name: name
        for folder in knowledge.__path__
        for name in os.listdir(folder)
        if name not in _NO_LIBRARIES and os.path.isfile(os.path.join(folder, name, "__init__.py"))
    }
    return {**packages, **{name: f"libraries.{name}" for name in _modules("libraries")}}


@functools.cache
def _modules(folder: str) -> frozenset[str]:
    """Return the names of the modules in a folder."""
    entries = os.listdir(os.path.join(knowledge.__path__[0], folder))
    return frozenset(name[: -len(".py")] for name in entries if name.endswith(".py") and name != "__init__.py")


def register(name: str, value: T) -> T:
    """Enter one row; a second row of the same name is a mistake of ours."""
    if name in TABLE:
        raise DuplicateRow(name)
    TABLE[name] = value
    if isinstance(value, type):
        own(value)
    elif type(value).__module__.startswith("cutaway."):
        _CONSTANTS[id(value)] = value
    elif type(value) in (list, dict, set):
        HELD[id(value)] = value
    parent = name.rpartition(".")[0]
    while parent and parent not in _NAMESPACES:
        _NAMESPACES.add(parent)
        parent = parent.rpartition(".")[0]
    return value


def row(*names: str) -> Callable[[T], T]:
    """Register the decorated object under each of its names."""

    def enter(value: T) -> T:
        for name in names:
            register(name, value)
        return value

    return enter


def absent(*names: str) -> None:
    """State that the library has no such attribute, which a target may ask with `hasattr`."""
    _ABSENT.update(names)


def load(library: str) -> bool:
    """Import the rows of a library; tell whether there are any.

    Files that the library's package names in `LATER` wait until a name is not found in the others. `ALIASES`
    are other beginnings of its names, `NEEDS` the libraries that it contains. Where it is `READABLE`, what
    has no row is read from the library's own source.
    """
    if library in _LOADED:
        return True
    home = _homes().get(library)
    if home is None:
        return False
    _LOADED.add(library)
    package = importlib.import_module(f"cutaway.knowledge.{home}")
    if getattr(package, "READABLE", False):
        _READABLE.add(library)
    _ALIASES.extend(getattr(package, "ALIASES", ()))
    for needed in getattr(package, "NEEDS", ()):
        load(needed)
    later: frozenset[str] = getattr(package, "LATER", frozenset()) if is_on("lazy-rows") else frozenset()
    start = f"{package.__name__}."
    for module in _files(package.__name__, list(getattr(package, "__path__", []))):
        if module[len(start) :] in later:
            _WAITING.append(module)
        else:
            importlib.import_module(module)
    return True


def load_all() -> None:
    """Import every row of every library: no class of Cutaway is completed after that."""
    for library in sorted(_homes()):
        load(library)
    load_rest()


def _files(package: str, folders: list[str]) -> Iterator[str]:
    """Yield the dotted names of a package's modules, as `pkgutil.walk_packages` does without importing any."""
    for folder in folders:
        for entry in sorted(os.listdir(folder)):
            name, dot, suffix = entry.partition(".")
            if dot and suffix == "py" and name != "__init__":
                yield f"{package}.{name}"
            elif not dot and os.path.isfile(os.path.join(folder, name, "__init__.py")):
                yield f"{package}.{name}"
                yield from _files(f"{package}.{name}", [os.path.join(folder, name)])


def is_without_effect(name: str) -> bool:
    """Tell whether a library says of a function that a call of it changes nothing that a program sees.

    Its package lists the beginnings of such names in `WITHOUT_EFFECT`.
    """
    home = _homes().get(library_of(name))
    if home is None:
        return False
    package = importlib.import_module(f"cutaway.knowledge.{home}")
    return name.startswith(getattr(package, "WITHOUT_EFFECT", ()))


def load_rest(name: str = "") -> bool:
    """Import files that were left for later; tell whether there were any.

    For a `name` these are the files with its last word in them, or all if there are none: names are also put
    together. In a namespace that no file speaks of, there is nothing to be found.
    """
    *namespaces, last = name.split(".")[1:] or [""]
    if namespaces and not any(_mentions(module, namespaces) for module in _WAITING):
        return False
    waiting = [module for module in _WAITING if last and _mentions(module, [last])] or _WAITING[:]
    for module in waiting:
        _WAITING.remove(module)
    for module in waiting:
        importlib.import_module(module)
    return bool(waiting)


def _mentions(module: str, words: list[str]) -> bool:
    """Tell whether a file of ours has all of these words in it, or may have them."""
    text = _text(module)
    return text is None or all(word in text for word in words)


_PACKAGE_PARENT = __file__.rpartition(os.path.join("cutaway", "knowledge"))[0]


@functools.cache
def _text(module: str) -> str | None:
    base = os.path.join(_PACKAGE_PARENT, *module.split("."))
    try:
        with open(f"{base}.py", encoding="utf-8") as file:
            return file.read()
    except OSError:
        return None


def loaded() -> list[str]:
    """Return the libraries whose rows are imported."""
    return sorted(_LOADED)


def read_names(library: str) -> str:
    """Return the list of all names of a library, empty where there is none."""
    path = os.path.join(knowledge.__path__[0], "names", f"{library}.txt")
    if not os.path.isfile(path):
        return ""
    with open(path, encoding="utf-8") as file:
        return file.read()


def models(name: str) -> bool:
    """Tell whether a dotted module name belongs to a modelled library."""
    return name.partition(".")[0] in _homes()


def library_of(name: str) -> str:
    """Return the modelled library that a dotted module name belongs to."""
    return name.partition(".")[0]


def is_described(module: str) -> bool:
    """Tell whether some names of a module's library are described by rows, though it is read from its source."""
    return module.partition(".")[0] in _modules("described")


_NO_ROWS: dict[str, Any] = {}


def rows_in(module: str) -> dict[str, Any]:
    """Return the rows that replace names of a module which is otherwise read from its source."""
    library = module.partition(".")[0]
    if library not in _modules("described"):
        return _NO_ROWS
    if library not in _REPLACED:
        importlib.import_module(f"cutaway.knowledge.described.{library}")
        replaced = _REPLACED[library] = {}
        for name, value in TABLE.items():
            if name.startswith(f"{library}."):
                home, _, last = name.rpartition(".")
                replaced.setdefault(home, {})[last] = value
    return _REPLACED[library].get(module, _NO_ROWS)


def own(cls: T) -> T:
    """Note that a class is one of a library's, with its base classes; rows are, without being noted."""
    _ROW_CLASSES.update(type.__getattribute__(cls, "__mro__"))  # type: ignore[arg-type]
    return cls


def is_row_class(cls: type) -> bool:
    """Tell whether a row is made of a class, whatever it says of itself."""
    return cls in _ROW_CLASSES


def is_shared(value: object) -> bool:
    """Tell whether a class or module belongs to a modelled library, so that it outlives one analysis."""
    if isinstance(value, type):
        home, title = type.__getattribute__(value, "__module__"), type.__getattribute__(value, "__qualname__")
        if type(home) is not str:
            return False
        if home.startswith("cutaway."):
            return home.startswith("cutaway.knowledge.")
        return home.partition(".")[0] in _LOADED and getattr(sys.modules.get(home), title, None) is not value
    return type(value) is KnownModule


def last_name(function: object) -> str | None:
    """Return the name of a row without its module, None if it has several, or none."""
    if _NAMED[0] != len(TABLE):
        _NAMED[0] = len(TABLE)
        _LAST_NAMES.clear()
        for qualified, row in TABLE.items():
            name = qualified.rpartition(".")[2]
            _LAST_NAMES[id(row)] = name if _LAST_NAMES.get(id(row), name) == name else None
    return _LAST_NAMES.get(id(function))


def is_constant(value: object) -> bool:
    """Tell whether an object is itself a row, as `torch.float32` is."""
    return id(value) in _CONSTANTS


_OF_FILES = frozenset(("__file__", "__path__", "__cached__"))


class KnownModule:
    """A module of a modelled library, as the target sees it."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __getattr__(self, attribute: str) -> Any:
        name = f"{self.__name__}.{attribute}"
        if attribute in _OF_FILES and name not in TABLE:
            return Unknown(f"{name} is not modelled")
        if attribute.startswith("__") and attribute.endswith("__") and name not in TABLE:
            raise AttributeError(attribute)
        if name in _ABSENT:
            raise AttributeError(f"module {self.__name__!r} has no attribute {attribute!r}")
        value = lookup(name)
        self.__dict__[attribute] = value
        return value

    def __dir__(self) -> list[str]:
        load_rest()
        start = f"{self.__name__}."
        names = {name[len(start) :].partition(".")[0] for name in (*TABLE, *_NAMESPACES) if name.startswith(start)}
        return sorted(names)

    def __repr__(self) -> str:
        return f"<module {self.__name__!r}>"


def lookup(name: str) -> Any:
    """Return the row of this name, a namespace, or an `Unknown` that says it has none."""
    if name in TABLE:
        return TABLE[name]
    if name in _NAMESPACES:
        return KnownModule(name)
    for start, instead in _ALIASES:
        if name == start or name.startswith(f"{start}."):
            return lookup(instead + name[len(start) :])
    if load_rest(name):
        return lookup(name)
    return _from_source(name) if name.partition(".")[0] in _READABLE else Unknown(f"{name} is not modelled")


def _from_source(name: str) -> Any:
    """Read what has no row from its library's own source, where that is installed."""
    seeking = _SEARCHING.get()
    if name in seeking:
        return Unknown(f"{name} is not modelled")  # its source only leads back to here
    seeking.add(name)
    try:
        return _sought(name)
    finally:
        seeking.discard(name)


def _sought(name: str) -> Any:
    bring = session.current().module
    module = bring(name)
    if module is not None:
        return module
    home, _, last = name.rpartition(".")
    module = bring(home)
    if module is None:
        return Unknown(f"{name} is neither modelled nor is the source of {name.partition('.')[0]} installed")
    return getattr(module, last, Unknown(f"{home} has no {last}"))
