"""A module that is read from source: its names, and how far it is evaluated."""

from __future__ import annotations

import ast
import functools
import os
import re
import types
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from cutaway.core import session
from cutaway.core.admission import ADDRESS
from cutaway.core.error import built_before, describe_error, place_of
from cutaway.core.fault import Fault
from cutaway.core.pattern import pattern
from cutaway.core.place import Place
from cutaway.core.progress import PROGRESS
from cutaway.core.protocols import is_module
from cutaway.core.unknown import Interruption, Undecidable, Unknown, conditions_decided, conditions_left_open
from cutaway.interp.boundary.certain_failures import certain_failure, report_certain
from cutaway.interp.modules.late_evaluation import as_if_before, enter_definition
from cutaway.interp.modules.lazy_definitions import deferrable
from cutaway.interp.modules.registries import hooked
from cutaway.interp.modules.type_checking_imports import type_checking_imports
from cutaway.interp.run.frame import MODULE_STATE, Execute, Frame, Pending, call_at, entered
from cutaway.interp.run.function import FunctionCompiler
from cutaway.interp.run.heap import Stateless
from cutaway.interp.run.interpreter import interpreter
from cutaway.knowledge.base import registry
from cutaway.syntax import resolve, source
from cutaway.syntax.scope import Scope, assigned

if TYPE_CHECKING:
    from cutaway.interp.modules.loader import Loader
from cutaway.interp.boundary.namespace import module_namespace

_STAR = pattern(rb"^[ \t]*from[ \t]+(\.*)([\w.]*)[ \t]+import[ \t]+\*", re.MULTILINE)

_ALL = pattern(rb"""__all__[ \t]*=[ \t]*[\[(]((?:\s*(?:"\w+"|'\w+')\s*,?)*)\s*[\])]\s*$""", re.MULTILINE)

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Import, ast.ImportFrom)


class SourceModule:
    """A module that is read from source; its `__dict__` is its namespace."""

    def __init__(self, state: ModuleState) -> None:
        object.__setattr__(self, "__dict__", state.namespace)

    def __setattr__(self, name: str, value: Any) -> None:
        self.__dict__[MODULE_STATE].settle(name)
        self.__dict__[name] = value

    def __delattr__(self, name: str) -> None:
        self.__dict__[MODULE_STATE].settle(name)
        if name not in self.__dict__:
            raise AttributeError(f"module '{self.__name__}' has no attribute '{name}'")
        del self.__dict__[name]

    def __getattr__(self, name: str) -> Any:
        if name == ADDRESS:
            raise AttributeError(ADDRESS)
        state: ModuleState = self.__dict__[MODULE_STATE]
        if name.startswith("__") and name not in ("__all__", "__version__") and state.finished:
            raise AttributeError(f"module '{state.name}' has no attribute '{name}'")
        value = state.lookup(name)
        if value is MISSING and state.is_stand_in and not name.startswith("__"):
            return Unknown(f"{state.name}.{name} is not described, and the package is not installed")
        if value is MISSING:
            raise AttributeError(f"module '{state.name}' has no attribute '{name}'")
        return value

    def __repr__(self) -> str:
        return f"<module {self.__dict__['__name__']!r}>"


class Language(FunctionCompiler, Protocol):
    """Compiles and runs the statements of a module."""

    def statement(self, node: ast.stmt, scope: Scope, file: str) -> Execute:
        """Compile a statement."""

    def forget(self, nodes: list[ast.stmt], scope: Scope, frame: Frame, unknown: Unknown) -> None:
        """Make unknown what statements that may or may not run would have bound or changed."""


MISSING = object()

_NOTHING: Any = types.MappingProxyType({})
"""What a module has as long as it is not evaluated; there are many, and each is searched when states are compared."""


class _Deferred(dict[int, set[str]], Stateless):
    """The statements of a module that can wait; it stays as it is made."""


RAISES = "raises "
"""How the reason of an unknown starts that is due to an exception of the target."""


class SourceText:
    """What the text of a module's source says that it provides."""

    def __init__(self, package: str, location: resolve.Location, text: bytes | None = None) -> None:
        self.package, self.location, self.text = package, location, text

    def _read(self) -> bytes:
        if self.text is None:
            self.text = source.read(self.location.file) if self.location.file else b""
        return self.text

    def _is_submodule(self, name: str) -> bool:
        return bool(self.location.folders) and resolve.find(name, self.location.folders) is not None

    @functools.cached_property
    def starred(self) -> list[str]:
        """The modules that the source has star imports of."""
        stars = [(match[2].decode(), len(match[1])) for match in _STAR.finditer(self._read())]
        return [resolve.absolute(self.package, module, level) for module, level in stars]

    @functools.cached_property
    def listed(self) -> set[bytes] | None:
        """The names in `__all__`, where the source states them once, as literals."""
        text = self._read()
        at = text.find(b"__all__")
        is_statement = at >= 0 and text.count(b"__all__") == 1 and text[max(0, at - 1) : at] in (b"", b"\n")
        match = _ALL.match(text, at) if is_statement else None
        return {part.strip(b"\"'") for part in match[1].replace(b",", b" ").split()} if match else None


class UnloadedModule(SourceText, Stateless):
    """A module of which only the text was needed."""


class ModuleState(SourceText):
    """One module, and how far it is evaluated."""

    def __init__(self, loader: Loader, name: str, location: resolve.Location, text: bytes | None = None) -> None:
        package = name if location.folders else name.rpartition(".")[0]
        super().__init__(package, location, text)
        self.loader = loader
        loader.states[name] = self
        self.name = name
        self.file = location.file or name
        self.namespace: dict[str, Any] = {"__name__": name, "__file__": os.path.abspath(self.file), "__doc__": None}
        self.namespace.update(__spec__=None, __loader__=None)
        self.namespace["__package__"] = package
        if location.folders:
            self.namespace["__path__"] = list(location.folders)
        self.namespace[MODULE_STATE] = self
        self.module = SourceModule(self)
        self.named = False  # named by the user, so that its errors are always reported
        self.is_own = loader.is_own(name, location)
        self.is_stand_in = loader.is_stand_in(location)
        self.stars: tuple[tuple[Callable[[], Any], str], ...] = ()
        self.started = False
        self.finished = False
        self.reloaded = False
        self.unfinished: dict[str, tuple[Any, Unknown]] = _NOTHING  # networks whose constructor raises, by name
        self.waits = False  # an import statement left it unevaluated
        self.waits_certainly = False  # and that statement was certainly executed
        self._importers: dict[str, list[Pending]] = _NOTHING  # names that others import from it and have not used yet
        self.unevaluated: dict[int, ast.stmt] = _NOTHING
        self.deferred: dict[int, set[str]] = _NOTHING
        self.type_checking_imports: tuple[ast.Import | ast.ImportFrom, ...] = ()
        self.frame = Frame(self.namespace, self.namespace, self.file, None, None)
        self.modelled = registry.rows_in(name)
        self.modelled_library = registry.is_described(name)
        self.namespace.update(self.modelled)

    def lookup(self, name: str) -> Any:
        """Return a name of the module, evaluating as little as necessary, or `MISSING`."""
        if not self.started and self.location.folders and self._is_submodule(name) and not self._mentions(name):
            return self.loader.load(f"{self.name}.{name}")
        self.run()
        if name in self.namespace:
            value = self.namespace[name]
            return value.resolve() if type(value) is Pending else value
        value = self._evaluate_early(name)
        if value is MISSING:
            value = self.from_stars(name, MISSING)
        if value is MISSING and self._is_submodule(name):
            return self.loader.load(f"{self.name}.{name}")
        if value is MISSING and "__getattr__" in self.namespace and not name.startswith("__"):
            return self.namespace["__getattr__"](name)
        if value is MISSING:
            value = self._from_type_checking_imports(name)
        return self._from_unknown_star(name) if value is MISSING and not name.startswith("_") else value

    def _from_unknown_star(self, name: str) -> Any:
        """Return an unknown where the name may come from a star import of a module that can't be read."""
        for load, _ in self.stars:
            if isinstance(module := load(), Unknown):
                return Unknown(f"{name} may come from a star import: {module.reason}", module.place)
        return MISSING

    def _from_type_checking_imports(self, name: str) -> Any:
        """Look for a name among the imports that are written for type checkers.

        A package that provides its names on demand, in a way of its own, states there what they are.
        """
        if not self.type_checking_imports:
            return MISSING
        frame = Frame({}, self.namespace, self.file, None, None)
        stars: list[tuple[Callable[[], Any], str]] = []
        for node in self.type_checking_imports:
            if any(alias.name == "*" for alias in node.names):
                assert isinstance(node, ast.ImportFrom)
                stars.append(self._star(node.module or "", node.level))
            elif name in assigned([node]):
                scope = Scope("function", None, {name}, {})
                self.loader.language.statement(node, scope, self.file)(frame)
                value = self.namespace[name] = frame.vars[name]
                return value
        return self._from_star_imports(stars, name)

    def _star(self, module: str, level: int) -> tuple[Callable[[], Any], str]:
        place, full = self.frame.place, self.absolute(module, level)
        return (lambda: call_at(place, lambda: self.loader.load(full))), full

    def absolute(self, module: str, level: int) -> str:
        """Return the dotted name that a possibly relative import in this module means."""
        return resolve.absolute(self.namespace.get("__package__") or "", module, level)

    def _mentions(self, name: str) -> bool:
        return name.encode() in self._read() or b"import *" in self._read()

    def _evaluate_early(self, name: str) -> Any:
        """Evaluate a later definition of a name that is needed while the module is still being evaluated."""
        for index, node in list(self.unevaluated.items()):
            if index not in self.deferred and not isinstance(node, ast.Delete) and name in assigned([node]):
                self.execute(index, node, strict=False)
                if name in self.namespace:
                    value = self.namespace[name]
                    return value.resolve() if type(value) is Pending else value
        return MISSING

    def from_stars(self, name: str, default: Any) -> Any:
        """Look for a name that a star import provides."""
        value = self._from_star_imports(self.stars, name) if self.stars else MISSING
        return default if value is MISSING else value

    def expand_stars(self) -> None:
        """Bind every name that star imports provide."""
        for load, _ in self.stars:
            module = load()
            for name in exported_names(module):
                if name not in self.namespace:
                    self.from_stars(name, None)

    def _from_star_imports(self, stars: Sequence[tuple[Callable[[], Any], str]], name: str, bind: bool = True) -> Any:
        if name.startswith("__"):
            return MISSING
        for load, module_name in reversed(stars):
            if not self.loader.may_define(module_name, name):
                continue
            module = load()
            if isinstance(module, Unknown):
                continue
            exported = getattr(module, "__all__", None)
            if isinstance(exported, (list, tuple)):
                if name not in exported:
                    continue
            elif name.startswith("_"):
                continue
            if (module_name, name) in self.loader.searched:
                continue  # it imports the name from here, and here it comes from another star import
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

    def wait(self) -> None:
        """Leave the module unevaluated, where an import statement is executed that would evaluate it."""
        self.waits = True
        self.waits_certainly = not interpreter().remembered

    def run(self, strict: bool = False) -> None:
        """Evaluate the module's body, once."""
        if self.started:
            return
        if self.waits_certainly:
            with as_if_before():
                self._evaluate(strict)
        else:
            self._evaluate(strict)

    def _evaluate(self, strict: bool) -> None:
        self.loader.waiting.use(self.name.partition(".")[0])
        if self.started:  # preparing the package has evaluated it
            return
        self.started = True
        if self.location.file is None and self.text is None:
            self.finished = True
            return
        PROGRESS.doing = f"reading {self.name}"
        tree = source.parse(self._read(), self.file, whole=self.is_own and not self.waits)
        documentation = ast.get_docstring(tree, clean=False)
        self.namespace["__doc__"] = documentation
        self.unevaluated = {i: node for i, node in enumerate(tree.body) if not self._is_modelled(node)}
        self.unfinished = {}
        self.type_checking_imports = tuple(statement for node in tree.body for statement in type_checking_imports(node))
        if self.loader.waiting.lazy and not self.named and not self.reloaded:
            self.deferred = _Deferred(deferrable(tree.body, self._read(), self._is_bare, self._is_fixed))
        if strict:
            self._require(tree.body)
        self.loader.running.append(self.name)
        try:
            with entered(self.frame):
                for index, node in enumerate(tree.body):
                    if index in self.unevaluated and index in self.deferred:
                        for name in self.deferred[index]:
                            self.namespace[name] = Pending(functools.partial(self._define, index, name))
                    elif index in self.unevaluated:
                        self.execute(index, node, strict)
        finally:
            self.loader.running.pop()
            self.finished = True

    def reload(self) -> None:
        """Evaluate the module's body once more."""
        self.run()
        self.loader.settle_imports(self.name)
        for name in list(self.namespace):
            self.loader.waiting.settle(self, name)
        self.define_all()
        self.started = self.finished = False
        self.reloaded = True
        self._evaluate(strict=False)

    def _require(self, body: list[ast.stmt]) -> None:
        """Raise `ModuleNotFoundError` where an import of the module's body would; what is imported is not evaluated.

        Other packages that an installed package needs may be missing here but not where it is used.
        """
        seen = {self.name}
        for name in self._imported_by(body):
            if self.is_own or name.partition(".")[0] == self.name.partition(".")[0]:
                self.loader.require(name, self.name)
            if (self.is_own or not self.is_product()) and (error := self.loader.missing(name, seen)) is not None:
                raise error

    def needed(self) -> Iterator[str]:
        """Yield the modules without which the body raises."""
        yield from self._imported_by(source.parse(self._read(), self.file).body)

    def _imported_by(self, body: list[ast.stmt]) -> Iterator[str]:
        for node in body:
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                name = self.absolute(node.module or "", node.level)
                yield name
                parts = [alias.name for alias in node.names if self.loader.has_submodule(name, alias.name)]
                yield from (f"{name}.{part}" for part in parts)

    def _define(self, index: int, name: str) -> Any:
        """Evaluate a deferred definition, and return one of its names."""
        if index in self.unevaluated:
            self.execute(index, self.unevaluated[index], strict=False)
            enter_definition(self.namespace, self.deferred[index], self.unevaluated, index)
        value = self.namespace.get(name)
        if type(value) is Pending:  # it is being evaluated, and needs itself
            raise NameError(f"name '{name}' is not defined")
        return value

    def add_importer(self, name: str, placeholder: Pending) -> None:
        """Note what a name is imported as, and not used yet."""
        if self._importers is _NOTHING:
            self._importers = {}
        self._importers.setdefault(name, []).append(placeholder)

    def resolve_importers(self, name: str) -> None:
        """Read a name for all that import it."""
        for placeholder in self._importers.pop(name, ()) if self._importers else ():
            placeholder.resolve()

    def settle(self, name: str) -> None:
        """Prepare for a change of a name of the module from outside."""
        self.run()
        if name in self.namespace:
            self.loader.waiting.settle(self, name)

    def is_product(self) -> bool:
        """Tell whether the module belongs to a product: one of a folder that distributions are installed in."""
        return self.is_stand_in or self.loader.is_product(self.location)

    def _is_fixed(self, dotted: str) -> bool:
        """Tell whether what is read from an imported module is the same whenever it is read."""
        return self.loader.waiting.is_fixed(self, dotted)

    def _is_bare(self, module: str, level: int, name: str) -> bool:
        """Tell whether a class of another module inherits from nothing and is not notified of its subclasses."""
        source_module = self.loader.load(self.absolute(module, level)) if module or level else None
        if not isinstance(source_module, SourceModule):
            return False
        text = source_module.__dict__[MODULE_STATE]._read()
        definition = re.search(rb"^class %s(?:\((?:object)?\))?:" % re.escape(name.encode()), text, re.MULTILINE)
        return definition is not None and b"__init_subclass__" not in text and b"metaclass" not in text

    def define_all(self) -> None:
        """Evaluate every deferred definition; imports stay as they are."""
        for index in sorted(self.unevaluated):
            names = self.deferred.get(index, ())
            if index in self.unevaluated and all(type(self.namespace.get(name)) is Pending for name in names):
                self.execute(index, self.unevaluated[index], strict=False)

    def define_chosen(self) -> None:
        """Evaluate every deferred definition that chooses by the environment, which is about to change."""
        for index in [index for index in self.deferred if isinstance(self.unevaluated.get(index), ast.If)]:
            if index in self.unevaluated and all(type(self.namespace.get(n)) is Pending for n in self.deferred[index]):
                self.execute(index, self.unevaluated[index], strict=False)

    def _is_modelled(self, node: ast.stmt) -> bool:
        """Tell whether a statement defines only names that the tables describe."""
        return bool(self.modelled) and bool(names := assigned([node])) and names <= self.modelled.keys()

    def execute(self, index: int, node: ast.stmt, strict: bool) -> None:
        """Evaluate one statement of the module's body."""
        running = interpreter()
        unknown_calls = running.unknown_calls
        del self.unevaluated[index]
        frame = self.frame
        frame.line = node.lineno
        running.stack.append(frame)
        current = session.current()
        current.muted += not self.named
        try:
            with conditions_decided() if self.is_own else conditions_left_open():
                self.loader.language.statement(node, Scope("module", None, set(), {}), self.file)(frame)
            if self.modelled_library and isinstance(node, ast.ClassDef):
                self._replace_methods(node.name)
            if isinstance(node, (ast.Assign, ast.AnnAssign)) and not self.named:
                self._hook_registries(node)
        except SystemExit as error:
            # Definitions can still be looked up; nothing else runs.
            self.unevaluated = {
                i: statement for i, statement in self.unevaluated.items() if isinstance(statement, _DEFINITIONS)
            }
            if self.named and any(i > index for i in self.unevaluated):
                failure(error, frame.place)
        except Interruption as interruption:
            self._bind_unknown(node, interruption.unknown)
            raise
        except Undecidable as undecidable:
            current.doubts.setdefault("what is not followed")
            unknown = current.note(undecidable.unknown) if self.named else undecidable.unknown
            self._bind_unknown(node, unknown)
            self._forget_changes(node, unknown)
        except (KeyboardInterrupt, GeneratorExit):
            raise
        except BaseException as error:
            if strict:
                raise
            unknown = self._failure(error)
            self._bind_unknown(node, unknown)
            if self.named and certain_failure(error) is None:
                self._forget_changes(node, unknown)  # it may go on where the program runs
            network = unfinished_network(error, unknown)
            if network is not None:
                names = sorted(assigned([node]))
                self.unfinished[names[0] if len(names) == 1 else type(network).__name__] = network, unknown
            current.doubts.setdefault("what follows an exception")
        finally:
            current.muted -= not self.named
            running.unknown_calls = unknown_calls  # the importing module assumes that the import succeeds
            running.stack.pop()

    def _failure(self, error: BaseException) -> Unknown:
        """Record what ends a statement; the user is told of it even where other notes of an imported module are not kept."""
        current = session.current()
        muted = current.muted
        current.muted = 0 if self.is_own else muted
        try:
            return failure(error, self.frame.place, quiet=not self.named and not self.is_own)
        finally:
            current.muted = muted

    def _replace_methods(self, name: str) -> None:
        """Replace methods of a class by those that the tables describe."""
        for method, value in registry.rows_in(f"{self.name}.{name}").items():
            if isinstance(self.namespace.get(name), type):
                type.__setattr__(self.namespace[name], method, value)

    def _hook_registries(self, node: ast.Assign | ast.AnnAssign) -> None:
        """Make an empty container evaluate the modules that fill it, when it is read."""
        if self.loader.waiting.lazy:
            for name in self.namespace.keys() & set(assigned([node], in_expressions=False)):
                value, is_in_package = self.namespace.get(name), "." in self.name or bool(self.location.folders)
                self.namespace[name] = hooked(value, self.loader.waiting, self.name, name, is_in_package)

    def _forget_changes(self, node: ast.stmt, unknown: Unknown) -> None:
        """Forget what a statement that did not finish changes."""
        if not isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            self.loader.language.forget([node], Scope("module", None, set(), {}), self.frame, unknown)

    def _bind_unknown(self, node: ast.stmt, unknown: Unknown) -> None:
        """Bind the names of a statement that did not finish to an unknown."""
        replacing = ast.Assign, ast.AnnAssign, ast.AugAssign, ast.If, ast.For, ast.While, ast.With
        is_rebound = isinstance(node, replacing)  # what was there before may be, or is to be, replaced
        for name in () if isinstance(node, ast.Delete) else assigned([node]):
            if is_rebound or type(self.namespace.get(name)) in (Pending, type(None)):
                self.namespace[name] = unknown


def failure(error: BaseException, fallback: Place | None, quiet: bool = False) -> Unknown:
    """Record an exception of the target that is not caught: a fault where it is certain, an unknown otherwise.

    A quiet one is only recorded if something turns out to depend on it.
    """
    place = place_of(error) or fallback
    text = describe_error(error)
    is_certain = not quiet and report_certain(error, place)
    if not is_certain and isinstance(error, Fault):
        session.current().retract(error)
    if quiet or is_certain:
        return Unknown(f"{RAISES}{text}", place)
    return session.current().unknown(f"{RAISES}{text}", None, place)


def unfinished_network(error: BaseException, unknown: Unknown) -> Any:
    """Return the network whose constructor certainly raises, with what it has until then; None if there is none."""
    network: Any = built_before(error)
    if not is_module(network) or certain_failure(error) is None:
        return None
    object.__getattribute__(network, "__dict__").setdefault("_incomplete", unknown)
    return network


def exported_names(module: Any) -> list[str]:
    """Return the names that a star import of a module provides."""
    if isinstance(module, Unknown):
        return []
    exported = getattr(module, "__all__", None)
    if isinstance(exported, (list, tuple)):
        return [name for name in exported if isinstance(name, str)]
    names = list(module_namespace(module)) if isinstance(module, SourceModule) else dir(module)
    return [name for name in names if not name.startswith("_")]
