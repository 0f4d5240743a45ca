"""A module that is read from source: its names, and how far its evaluation has come."""

from __future__ import annotations

import ast
import functools
import os
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from cutaway.core import session
from cutaway.core.error import in_words, place_of
from cutaway.core.fault import Fault
from cutaway.core.place import Place
from cutaway.core.unknown import Interruption, Undecidable, Unknown, holding
from cutaway.interp.modules.lazy_definitions import deferrable
from cutaway.interp.modules.registries import EVERYTHING, awaiting
from cutaway.interp.modules.type_checking_imports import hints
from cutaway.interp.run.frame import MODULE_STATE, Execute, Frame, Pending, call_at, entered
from cutaway.interp.run.function import FunctionCompiler
from cutaway.interp.run.interpreter import interpreter
from cutaway.knowledge.base import registry
from cutaway.syntax import resolve, source
from cutaway.syntax.scope import Scope, assigned

if TYPE_CHECKING:
    from cutaway.interp.modules.loader import Loader
from cutaway.interp.boundary.namespace import module_namespace

_STAR = re.compile(rb"^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+\*", re.MULTILINE)

_ALL = re.compile(rb"""^__all__[ \t]*=[ \t]*[\[(]((?:\s*(?:"\w+"|'\w+')\s*,?)*)\s*[\])]\s*$""", re.MULTILINE)

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


class SourceModule:
    """A module that is read from source; its `__dict__` is its namespace."""

    def __init__(self, state: ModuleState) -> None:
        object.__setattr__(self, "__dict__", state.namespace)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[MODULE_STATE].run()
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        self.__dict__[MODULE_STATE].run()
        if name not in self.__dict__:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        del self.__dict__[name]

    def __getattr__(self, name: str) -> Any:
        state: ModuleState = self.__dict__[MODULE_STATE]
        if name.startswith("__") and name not in ("__all__", "__version__") and state.finished:
            raise AttributeError(f"module '{state.name}' has no attribute '{name}'")
        found = state.lookup(name)
        if found is MISSING:
            raise AttributeError(f"module '{state.name}' has no attribute '{name}'")
        return found

    def __repr__(self) -> str:
        return f"<module {self.__dict__['__name__']!r}>"


class Language(FunctionCompiler, Protocol):
    """What evaluates the statements of a module."""

    def statement(self, node: ast.stmt, scope: Scope, file: str) -> Execute:
        """Compile a statement."""

    def forget(self, nodes: list[ast.stmt], scope: Scope, frame: Frame, unknown: Unknown) -> None:
        """Make unknown what statements that may or may not run would have bound or changed."""


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
        self.namespace[MODULE_STATE] = self
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
        if not self.hints:
            return MISSING
        scratch = Frame({}, self.namespace, self.file, None, None)
        stars: list[tuple[Callable[[], Any], str]] = []
        for node in self.hints:
            if any(alias.name == "*" for alias in node.names):
                assert isinstance(node, ast.ImportFrom)
                stars.append(self._star(node.module or "", node.level))
            elif name in assigned([node]):
                scope = Scope("function", None, {name}, {})
                self.loader.language.statement(node, scope, self.file)(scratch)
                value = self.namespace[name] = scratch.vars[name]
                return value
        return self._from(stars, name)

    def _star(self, module: str, level: int) -> tuple[Callable[[], Any], str]:
        place, full = self.frame.place, self.absolute(module, level)
        return (lambda: call_at(place, lambda: self.loader.load(full))), full

    def absolute(self, module: str, level: int) -> str:
        """Return the dotted name that a possibly relative import in this module means."""
        return resolve.absolute(self.namespace.get("__package__") or "", module, level)

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
        return [self.absolute(module, level) for module, level in stars]

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
                self.execute(index, node, strict=False)
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
        self.loader.running.append(self.name)
        try:
            with entered(self.frame):
                for index, node in enumerate(tree.body):
                    if index in self.waiting and index in self.later:
                        for name in self.later[index]:
                            self.namespace[name] = Pending(functools.partial(self._define, index, name))
                    elif index in self.waiting:
                        self.execute(index, node, strict)
        finally:
            self.loader.running.pop()
            self.finished = True

    def _require(self, body: list[ast.stmt]) -> None:
        """Raise `ModuleNotFoundError` where an import of the module's body would; what is imported is not evaluated.

        What an installed package needs of others may be missing here and not where it is used.
        """
        names = [alias.name for node in body if isinstance(node, ast.Import) for alias in node.names]
        froms = [node for node in body if isinstance(node, ast.ImportFrom)]
        names += [self.absolute(node.module or "", node.level) for node in froms]
        for name in names:
            if self.is_own or name.partition(".")[0] == self.name.partition(".")[0]:
                self.loader.require(name, self.name)

    def _define(self, index: int, name: str) -> Any:
        """Evaluate a definition that was left until now, and return one of its names."""
        if index in self.waiting:
            self.execute(index, self.waiting[index], strict=False)
        value = self.namespace.get(name)
        if type(value) is Pending:  # it is being evaluated, and needs itself
            raise NameError(f"name '{name}' is not defined")
        return value

    def _is_bare(self, module: str, level: int, name: str) -> bool:
        """Tell whether a class of another module inherits from nothing and is not told of its subclasses."""
        found = self.loader.load(self.absolute(module, level)) if module or level else None
        if not isinstance(found, SourceModule):
            return False
        text = found.__dict__[MODULE_STATE]._read()
        written = re.search(rb"^class %s(?:\((?:object)?\))?:" % re.escape(name.encode()), text, re.MULTILINE)
        return written is not None and b"__init_subclass__" not in text and b"metaclass" not in text

    def define_all(self) -> None:
        """Evaluate every definition that was left; imports stay as they are."""
        for index in sorted(self.waiting):
            names = self.later.get(index, ())
            if index in self.waiting and all(type(self.namespace.get(name)) is Pending for name in names):
                self.execute(index, self.waiting[index], strict=False)

    def _is_modelled(self, node: ast.stmt) -> bool:
        """Tell whether a statement defines only what the tables describe instead."""
        return bool(self.modelled) and bool(names := assigned([node])) and names <= self.modelled.keys()

    def execute(self, index: int, node: ast.stmt, strict: bool) -> None:
        """Evaluate one statement of the module's body."""
        running = interpreter()
        unknown_calls = running.unknown_calls
        del self.waiting[index]
        frame = self.frame
        frame.line = node.lineno
        running.stack.append(frame)
        here = session.current()
        here.quiet += not self.named
        try:
            with holding():
                self.loader.language.statement(node, Scope("module", None, set(), {}), self.file)(frame)
            if self.modelled_library and isinstance(node, ast.ClassDef):
                self._replace_methods(node.name)
            if self.namespace["__package__"] and not self.is_own:
                self._await(node)
        except SystemExit as error:
            # What only defines something can still be asked for; nothing else runs.
            self.waiting = {i: later for i, later in self.waiting.items() if isinstance(later, _DEFINITIONS)}
            if self.named and any(i > index for i in self.waiting):
                failure(error, frame.place)
        except Interruption as interruption:
            self._lose(node, interruption.unknown)
            raise
        except Undecidable as undecidable:
            unknown = here.note(undecidable.unknown) if self.named else undecidable.unknown
            self._lose(node, unknown)
            if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                self.loader.language.forget([node], Scope("module", None, set(), {}), frame, unknown)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            if strict:
                raise
            self._lose(node, failure(error, frame.place, quiet=not self.named and not self.is_own))
        finally:
            here.quiet -= not self.named
            running.unknown_calls = unknown_calls  # whoever imports the module takes it to succeed
            running.stack.pop()

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
        interpreter().modules.stop(error)
    if isinstance(error, Fault):
        session.current().find(error, place)
    if quiet or isinstance(error, Fault):
        return Unknown(f"the program stops with {text}", place)
    return session.current().unknown(f"the program stops here with {text}", None, place)


def exported_names(module: Any) -> list[str]:
    """Return the names that a star import of a module brings."""
    if isinstance(module, Unknown):
        return []
    exported = getattr(module, "__all__", None)
    if isinstance(exported, (list, tuple)):
        return [name for name in exported if isinstance(name, str)]
    names = list(module_namespace(module)) if isinstance(module, SourceModule) else dir(module)
    return [name for name in names if not name.startswith("_")]
