"""Modules of the target: found on disk, evaluated when something of them is first used."""

from __future__ import annotations

import ast
import functools
import os
import re
from collections.abc import Callable, Sequence
from typing import Any

from cutaway.core import session
from cutaway.core.error import in_words, place_of
from cutaway.core.fault import Fault
from cutaway.core.place import Place
from cutaway.core.unknown import Undecidable, Unknown, holding
from cutaway.interp.compile.scope import Scope, assigned
from cutaway.interp.modules.lazy_definitions import deferrable
from cutaway.interp.modules.registries import EVERYTHING, awaiting
from cutaway.interp.modules.search_words import sought
from cutaway.interp.modules.type_checking_imports import hints
from cutaway.interp.modules.unevaluated import Left
from cutaway.interp.run.boundary import Pending
from cutaway.interp.run.frame import STACK, UNKNOWN_CALLS, Frame
from cutaway.knowledge.base import registry
from cutaway.syntax import resolve, source

HIDDEN = "__cutaway__"
_STAR = re.compile(rb"^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+\*", re.MULTILINE)
_ALL = re.compile(rb"""^__all__[ \t]*=[ \t]*[\[(]((?:\s*(?:"\w+"|'\w+')\s*,?)*)\s*[\])]\s*$""", re.MULTILINE)

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


class SourceModule:
    """A module that is read from source; its `__dict__` is its namespace."""

    def __init__(self, state: ModuleState) -> None:
        object.__setattr__(self, "__dict__", state.namespace)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[HIDDEN].run()
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        self.__dict__[HIDDEN].run()
        if name not in self.__dict__:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        del self.__dict__[name]

    def __getattr__(self, name: str) -> Any:
        state: ModuleState = self.__dict__[HIDDEN]
        if name.startswith("__") and name not in ("__all__", "__version__") and state.finished:
            raise AttributeError(f"module '{state.name}' has no attribute '{name}'")
        found = state.lookup(name)
        if found is MISSING:
            raise AttributeError(f"module '{state.name}' has no attribute '{name}'")
        return found

    def __repr__(self) -> str:
        return f"<module {self.__dict__['__name__']!r}>"


MISSING = object()


class ModuleState:
    """How far the evaluation of one module has come."""

    def __init__(self, loader: Loader, name: str, location: resolve.Location, text: bytes | None = None) -> None:
        self.loader = loader
        loader.states[name] = self
        self.name = name
        self.location = location
        self.text = text
        self.file = location.file or name
        self.namespace: dict[str, Any] = {"__name__": name, "__file__": os.path.abspath(self.file), "__doc__": None}
        self.namespace.update(__spec__=None, __loader__=None)
        package = name if location.folders else name.rpartition(".")[0]
        self.namespace["__package__"] = package
        if location.folders:
            self.namespace["__path__"] = list(location.folders)
        self.namespace[HIDDEN] = self
        self.module = SourceModule(self)
        self.named = False  # by the user, so that what goes wrong in it is always reported
        self.is_own = loader.is_own(name, location)
        self.stars: list[tuple[Callable[[], Any], str]] = []
        self.started = False
        self.finished = False
        self.waiting: dict[int, ast.stmt] = {}
        self.later: dict[int, set[str]] = {}
        self.hints: list[ast.Import | ast.ImportFrom] = []
        self.frame = Frame(self.namespace, self.namespace, self.file, None, None)
        self.modelled = registry.rows_in(name)
        self.modelled_library = registry.is_described(name)
        self.namespace.update(self.modelled)

    def lookup(self, name: str) -> Any:
        """Return a name of the module, evaluating as little as is needed, or `MISSING`."""
        if not self.started and self.location.folders and self._is_submodule(name) and not self._mentions(name):
            return self.loader.load(f"{self.name}.{name}")
        self.run()
        if name in self.namespace:
            value = self.namespace[name]
            return value.resolve() if type(value) is Pending else value
        found = self._ahead(name)
        if found is MISSING:
            found = self.from_stars(name, MISSING)
        if found is MISSING and self._is_submodule(name):
            return self.loader.load(f"{self.name}.{name}")
        if found is MISSING and "__getattr__" in self.namespace and not name.startswith("__"):
            return self.namespace["__getattr__"](name)
        if found is MISSING:
            found = self._from_hints(name)
        return self._from_unknown_star(name) if found is MISSING and not name.startswith("_") else found

    def _from_unknown_star(self, name: str) -> Any:
        """A name may be one that a star import brings from a module that can't be read."""
        for bring, _ in self.stars:
            if isinstance(module := bring(), Unknown):
                return Unknown(f"{name} may come from a star import: {module.reason}", module.place)
        return MISSING

    def _from_hints(self, name: str) -> Any:
        """Look for a name among the imports that are written for type checkers.

        A package that makes its names available on demand, by means of its own, states there what
        they are.
        """
        from cutaway.interp.compile.statement import StatementCompiler

        if not self.hints:
            return MISSING
        scratch = Frame({}, self.namespace, self.file, None, None)
        stars: list[tuple[Callable[[], Any], str]] = []
        for node in self.hints:
            if any(alias.name == "*" for alias in node.names):
                assert isinstance(node, ast.ImportFrom)
                stars.append(self._star(node.module or "", node.level))
            elif name in assigned([node]):
                StatementCompiler(Scope("function", None, {name}, {}), self.file).statement(node)(scratch)
                value = self.namespace[name] = scratch.vars[name]
                return value
        return self._from(stars, name)

    def _star(self, module: str, level: int) -> tuple[Callable[[], Any], str]:
        at = self.frame.place
        full = absolute(self.frame, module, level)
        return (lambda: placed(at, lambda: self.loader.load(full)), full)

    def _is_submodule(self, name: str) -> bool:
        return bool(self.location.folders) and resolve.find(name, self.location.folders) is not None

    def _mentions(self, name: str) -> bool:
        return name.encode() in self._read() or b"import *" in self._read()

    def _read(self) -> bytes:
        if self.text is None:
            self.text = source.read(self.file) if self.location.file else b""
        return self.text

    @functools.cached_property
    def starred(self) -> list[str]:
        """The modules that the text imports everything of."""
        stars = [(found[2].decode(), len(found[1])) for found in _STAR.finditer(self._read())]
        return [absolute(self.frame, module, level) for module, level in stars]

    @functools.cached_property
    def listed(self) -> set[bytes] | None:
        """The names in `__all__`, where the text states them once and plainly."""
        text = self._read()
        found = _ALL.search(text) if text.count(b"__all__") == 1 else None
        return {part.strip(b"\"'") for part in found[1].replace(b",", b" ").split()} if found else None

    def _ahead(self, name: str) -> Any:
        """Evaluate a later definition of a name that is needed while the module is still running."""
        for index, node in list(self.waiting.items()):
            if index not in self.later and not isinstance(node, ast.Delete) and name in assigned([node]):
                self._execute(index, node, strict=False)
                if name in self.namespace:
                    value = self.namespace[name]
                    return value.resolve() if type(value) is Pending else value
        return MISSING

    def from_stars(self, name: str, otherwise: Any) -> Any:
        """Look for a name that a star import brings."""
        found = self._from(self.stars, name) if self.stars else MISSING
        return otherwise if found is MISSING else found

    def expand_stars(self) -> None:
        """Bind every name that star imports bring."""
        from cutaway.interp.modules.exports import exported_names

        for bring, _ in self.stars:
            module = bring()
            for name in exported_names(module):
                if name not in self.namespace:
                    self.from_stars(name, None)

    def _from(self, stars: list[tuple[Callable[[], Any], str]], name: str, bind: bool = True) -> Any:
        if name.startswith("__"):
            return MISSING
        for bring, module_name in reversed(stars):
            if not self.loader.may_define(module_name, name):
                continue
            module = bring()
            if isinstance(module, Unknown):
                continue
            exported = getattr(module, "__all__", None)
            if isinstance(exported, (list, tuple)):
                if name not in exported:
                    continue
            elif name.startswith("_"):
                continue
            if (module_name, name) in self.loader.searched:
                continue  # it has the name from here, and here it comes from another star
            self.loader.searched.add((module_name, name))
            try:
                value = getattr(module, name)
                value = value.resolve() if type(value) is Pending else value
            except AttributeError:
                continue
            finally:
                self.loader.searched.discard((module_name, name))
            if isinstance(value, Unknown) and not isinstance(module, SourceModule):
                continue
            if bind:
                self.namespace[name] = value
            return value
        return MISSING

    def run(self, strict: bool = False) -> None:
        """Evaluate the module's body, once."""
        if self.started:
            return
        self.started = True
        if self.location.file is None and self.text is None:
            self.finished = True
            return
        tree = source.parse(self._read(), self.file, whole=self.is_own)
        documentation = ast.get_docstring(tree, clean=False)
        self.namespace["__doc__"] = documentation
        self.waiting = {i: node for i, node in enumerate(tree.body) if not self._is_modelled(node)}
        self.hints = [statement for node in tree.body for statement in hints(node)]
        if not self.is_own:
            self.later = deferrable(tree.body, self._read(), self._is_bare)
        if strict:
            self._require(tree.body)
        STACK.append(self.frame)
        self.loader.running.append(self.name)
        try:
            for index, node in enumerate(tree.body):
                if index in self.waiting and index in self.later:
                    for name in self.later[index]:
                        self.namespace[name] = Pending(functools.partial(self._define, index, name))
                elif index in self.waiting:
                    self._execute(index, node, strict)
        finally:
            STACK.pop()
            self.loader.running.pop()
            self.finished = True

    def _require(self, body: list[ast.stmt]) -> None:
        """Raise `ModuleNotFoundError` where an import of the module's body would; what is imported is not evaluated.

        What an installed package needs of others may be missing here and not where it is used.
        """
        names = [alias.name for node in body if isinstance(node, ast.Import) for alias in node.names]
        froms = [node for node in body if isinstance(node, ast.ImportFrom)]
        names += [absolute(self.frame, node.module or "", node.level) for node in froms]
        for name in names:
            if self.is_own or name.partition(".")[0] == self.name.partition(".")[0]:
                self.loader.require(name, self.name)

    def _define(self, index: int, name: str) -> Any:
        """Evaluate a definition that was left until now, and return one of its names."""
        if index in self.waiting:
            self._execute(index, self.waiting[index], strict=False)
        value = self.namespace.get(name)
        if type(value) is Pending:  # it is being evaluated, and needs itself
            raise NameError(f"name '{name}' is not defined")
        return value

    def _is_bare(self, module: str, level: int, name: str) -> bool:
        """Tell whether a class of another module inherits from nothing and is not told of its subclasses."""
        found = self.loader.load(absolute(self.frame, module, level)) if module or level else None
        if not isinstance(found, SourceModule):
            return False
        text = found.__dict__[HIDDEN]._read()
        written = re.search(rb"^class %s(?:\((?:object)?\))?:" % re.escape(name.encode()), text, re.MULTILINE)
        return written is not None and b"__init_subclass__" not in text and b"metaclass" not in text

    def define_all(self) -> None:
        """Evaluate every definition that was left; imports stay as they are."""
        for index in sorted(self.waiting):
            names = self.later.get(index, ())
            if index in self.waiting and all(type(self.namespace.get(name)) is Pending for name in names):
                self._execute(index, self.waiting[index], strict=False)

    def _is_modelled(self, node: ast.stmt) -> bool:
        """Tell whether a statement defines only what the tables describe instead."""
        return bool(self.modelled) and bool(names := assigned([node])) and names <= self.modelled.keys()

    def _execute(self, index: int, node: ast.stmt, strict: bool) -> None:
        from cutaway.interp.compile.statement import StatementCompiler

        before = UNKNOWN_CALLS[0]
        del self.waiting[index]
        frame = self.frame
        frame.line = node.lineno
        STACK.append(frame)
        here = session.current()
        here.quiet += not self.named
        try:
            with holding():
                StatementCompiler(Scope("module", None, set(), {}), self.file).statement(node)(frame)
            if self.modelled_library and isinstance(node, ast.ClassDef):
                self._replace_methods(node.name)
            if self.namespace["__package__"] and not self.is_own:
                self._await(node)
        except SystemExit as error:
            # What only defines something can still be asked for; nothing else runs.
            self.waiting = {i: later for i, later in self.waiting.items() if isinstance(later, _DEFINITIONS)}
            if self.named and any(i > index for i in self.waiting):
                failure(error, frame.place)
        except Undecidable as undecidable:
            if type(undecidable) is not Undecidable:
                self._lose(node, undecidable.unknown)
                raise
            unknown = here.note(undecidable.unknown) if self.named else undecidable.unknown
            self._lose(node, unknown)
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                StatementCompiler(Scope("module", None, set(), {}), self.file).forget(frame, [node], unknown)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            if strict:
                raise
            self._lose(node, failure(error, frame.place, quiet=not self.named and not self.is_own))
        finally:
            here.quiet -= not self.named
            UNKNOWN_CALLS[0] = before  # whoever imports the module takes it to succeed
            STACK.pop()

    def _replace_methods(self, name: str) -> None:
        """Give a class the methods that the tables describe instead."""
        for method, value in registry.rows_in(f"{self.name}.{name}").items():
            if isinstance(self.namespace.get(name), type):
                type.__setattr__(self.namespace[name], method, value)

    def _await(self, node: ast.stmt) -> None:
        """Let a container that is left empty ask for the modules that would fill it."""
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.ClassDef)):
            for name in assigned([node], in_expressions=False):
                value = self.namespace.get(name)
                if type(value) is not Pending:
                    self.namespace[name] = awaiting(value, self._ask, self.loader.left.is_filled)

    def _ask(self, key: Any) -> bool:
        """Evaluate those modules of this package that were left and might enter a key."""
        package = self.name.partition(".")[0]
        if key is EVERYTHING:
            return self.loader.left.catch_up(package)
        if not isinstance(key, str) or len(key) < 3 or key.startswith("__"):
            return False
        return self.loader.left.catch_up(package, str.__str__(key))

    def _lose(self, node: ast.stmt, unknown: Unknown) -> None:
        """A statement that did not finish leaves the names it would have bound unknown."""
        for name in () if isinstance(node, ast.Delete) else assigned([node]):
            if type(self.namespace.get(name)) in (Pending, type(None)):
                self.namespace[name] = unknown


def failure(error: BaseException, otherwise: Place | None, quiet: bool = False) -> Unknown:
    """Record an exception of the target that nobody caught; a fault is recorded by its own rule.

    A quiet one is not recorded now, only if something turns out to depend on it.
    """
    place = place_of(error) or otherwise
    text = in_words(error)
    if not (quiet or isinstance(error, Fault)):
        _current.stop(error)
    if isinstance(error, Fault):
        session.current().find(error, place)
    if quiet or isinstance(error, Fault):
        return Unknown(f"the program stops with {text}", place)
    return session.current().unknown(f"the program stops here with {text}", None, place)


class Loader:
    """Finds and holds the modules of one analysis.

    The modules of the user's own project are evaluated when they are imported, as Python does. Those of
    installed packages are left until a name of them is used, unless their text contains one of `words`.
    """

    def __init__(self, folders: Sequence[str], words: Sequence[bytes] = ()) -> None:
        self.folders = list(folders)
        self.own: set[str] = set()
        self.words = tuple(words)
        self.left = Left(self)  # modules that an import statement would have evaluated
        self.running: list[str] = []  # modules that are being evaluated
        self.searched: set[tuple[str, str]] = set()  # modules and the names that stars are looking for in them
        self.stopped = False  # the program, by an exception that was not a fault of the network
        self.sought: set[bytes] = set()  # in vain, where it stopped
        self.modules: dict[str, Any] = {}  # as the target sees them; it may replace one by an object of its own
        self.states: dict[str, ModuleState] = {}

    def stop(self, error: BaseException) -> None:
        """Note that the program stops with an exception of its own."""
        self.stopped = True
        if self.left:
            self.sought |= sought(error)

    def load(self, name: str, strict: bool = False) -> Any:
        """Return a module by its dotted name, an `Unknown`, or raise `ModuleNotFoundError` if strict."""
        if name in self.modules:
            return self.modules[name]
        module = self._find(name, strict)
        if not isinstance(module, Unknown):
            self.modules[name] = module
        return module

    def require(self, name: str, importer: str) -> None:
        """Raise `ModuleNotFoundError` if a module does not exist, or is the compiled part of the importer's package."""
        parts = name.split(".")
        for count in range(1, len(parts) + 1):
            prefix = ".".join(parts[:count])
            found = self.load(prefix, strict=True)
            if (
                isinstance(found, Unknown)
                and parts[0] == importer.partition(".")[0]
                and self.locate(prefix) is not None
            ):
                session.current().assume(
                    f"module {prefix}, which is compiled, is taken to be missing where that is caught"
                )
                raise ModuleNotFoundError(f"No module named '{prefix}'", name=prefix)

    def _find(self, name: str, strict: bool) -> Any:
        from cutaway.interp.stdlib import modules

        if self._shadows(name):
            location = self.locate(name)
            if location is not None:
                return ModuleState(self, name, location).module
        if registry.models(name):
            registry.load(registry.library_of(name))
            return registry.lookup(name) if "." in name else registry.KnownModule(name)
        standard = modules.module(name)
        if standard is not None:
            return standard
        location = self.locate(name)
        if location is None:
            return self._absent(name, strict)
        if location.file is None and not location.folders:
            return Unknown(f"module {name} is compiled code, not Python source", session.current().place())
        return ModuleState(self, name, location).module

    def source(self, name: str) -> SourceModule | None:
        """Return a part of a modelled library as its source says it, None where that is not installed."""
        if name not in self.states:
            folders: Sequence[str] = self.folders
            location = None
            for part in name.split("."):
                location = resolve.find(part, folders)
                if location is None:
                    return None
                folders = location.folders
            if location is None or location.file is None:
                return None
            ModuleState(self, name, location)
        return self.states[name].module

    def _shadows(self, name: str) -> bool:
        """Tell whether a module of the user's project stands before one of the standard library."""
        top = name.partition(".")[0]
        if top in self.states:
            return self.states[top].is_own and resolve.is_standard(top)
        if not resolve.is_standard(top) or resolve.is_loaded_at_start(top):
            return False
        location = resolve.find(top, sorted(self.own))
        return location is not None and location.file is not None

    def add_own(self, folder: str) -> None:
        """Look for imports in a folder first; it is the user's, unless packages are installed there."""
        self.folders.insert(0, folder)
        if not resolve.is_installation(folder):
            self.own.add(os.path.abspath(folder))

    def is_own(self, name: str, location: resolve.Location) -> bool:
        """Tell whether a module belongs to the user's own project."""
        parent = name.rpartition(".")[0]
        if parent in self.states:
            return self.states[parent].is_own
        base = location.folders[0] if location.folders else location.file
        return base is not None and os.path.dirname(os.path.abspath(base)) in self.own

    def settle(self, name: str) -> bool:
        """Evaluate the modules that an import statement evaluates; False where that is left for later."""
        parts = name.split(".")
        if (registry.models(name) or resolve.is_standard(name)) and not self._shadows(name):
            return False  # nothing of the target is evaluated by it
        done = True
        for count in range(1, len(parts) + 1):
            prefix = ".".join(parts[:count])
            self.load(prefix)
            state = self.states.get(prefix)
            if state is None or state.started:
                continue
            if state.is_own or any(word in state._read() for word in self.words):
                state.run()
            else:
                self.left.note(state)
                done = False
        return done

    def locate(self, name: str) -> resolve.Location | None:
        """Return where a module is on disk; its parents are found, not evaluated."""
        parent = name.rpartition(".")[0]
        if not parent:
            return resolve.find(name, self.folders)
        self.load(parent)
        above = self.states.get(parent)
        return resolve.find(name, above.namespace.get("__path__", ())) if above is not None else None

    def _absent(self, name: str, strict: bool) -> Unknown:
        at = session.current().place()
        if strict and not resolve.is_standard(name):
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        if resolve.is_standard(name):
            return Unknown(f"the standard library's {name} is not modelled", at)
        return Unknown(f"module {name} is not found: add its folder with --path, or install it", at)

    def may_define(self, name: str, wanted: str, seen: set[str] | None = None) -> bool:
        """Tell cheaply whether a star import of a module might bring a name, without evaluating it."""
        seen = seen if seen is not None else set()
        if name in seen:
            return False
        seen.add(name)
        module = self.load(name)
        if not isinstance(module, SourceModule):
            return not isinstance(module, Unknown)
        state: ModuleState = module.__dict__[HIDDEN]
        if state.listed is not None:
            return wanted.encode() in state.listed
        if wanted in state.namespace or _has_word(state._read(), wanted.encode()):
            return True
        return any(self.may_define(star, wanted, seen) for star in state.starred)

    def add(self, name: str, location: resolve.Location, text: bytes | None = None) -> ModuleState:
        """Enter a module that the user named by its file."""
        state = ModuleState(self, name, location, text)
        state.named = True
        self.modules[name] = state.module
        return state


def _has_word(text: bytes, word: bytes) -> bool:
    return word in text and re.search(rb"\b%b\b" % word, text) is not None


_current = Loader([])


def current() -> Loader:
    """Return the loader of the analysis in progress."""
    return _current


def install(loader: Loader) -> Loader:
    """Make `loader` the current one and return the one it replaces."""
    global _current
    previous, _current = _current, loader
    return previous


def absolute(frame: Frame, module: str, level: int) -> str:
    """Return the dotted name that a possibly relative import means."""
    if level == 0:
        return module
    package = frame.globals.get("__package__") or ""
    parts = package.split(".") if package else []
    if level - 1 > len(parts) or not package:
        raise ImportError("attempted relative import with no known parent package")
    base = ".".join(parts[: len(parts) - (level - 1)])
    return f"{base}.{module}" if module else base


def placed(at: Place, bring: Callable[[], Any]) -> Any:
    """Bring something so that what goes wrong is reported where the import is written."""
    frame = Frame({}, {}, at.file, None, None)
    frame.line = at.line
    STACK.append(frame)
    try:
        return bring()
    finally:
        STACK.pop()
