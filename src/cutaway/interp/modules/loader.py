"""Modules of the target: found on disk, evaluated when something of them is first used."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import Any

from cutaway import knowledge
from cutaway.core import disk, session
from cutaway.core.session import VERSIONS
from cutaway.core.unknown import Unknown
from cutaway.interp.modules.module import Language, ModuleState, SourceModule, SourceText, UnloadedModule
from cutaway.interp.modules.waiting import WaitingModules
from cutaway.interp.run.frame import MODULE_STATE, Pending
from cutaway.interp.run.interpreter import interpreter
from cutaway.knowledge.base import registry
from cutaway.syntax import resolve

STAND_INS = os.path.join(knowledge.__path__[0], "stand_ins")
"""Where packages are that stand for small ones which are not installed; a program that handles their absence does so."""


_COMPLETE = frozenset(("attr", "attrs"))
"""Stand-ins that do all that a network can need of their package."""

_PREFERRED = _COMPLETE.union("absl click configargparse fire gin hydra lightning omegaconf pytorch_lightning".split())
"""Stand-ins that are taken even if the package is installed.

It writes functions as source text, takes source apart, changes the process, or does far more than a network needs.
"""


_LONGEST_NAME = 2_000  # letters of a module, with the packages that it is in


class Loader:
    """Finds and holds the modules of one analysis.

    Modules are evaluated when they are imported, as Python does, unless nobody can notice if they wait until a name of
    them is used. Where the loader is not `lazy`, none of them waits.
    """

    def __init__(
        self,
        folders: Sequence[str],
        language: Language,
        standard: Callable[[str], Any],
        lazy: bool = True,
    ) -> None:
        self.folders = [*folders, STAND_INS]
        self._environment = len(self.folders)  # how many of the folders, at the end, belong to no project
        self.language = language
        self.standard = standard  # a module of the standard library by its name, None where it is not modelled
        self.own: set[str] = set()
        self.waiting = WaitingModules(self, lazy)
        self.running: list[str] = []  # modules that are being evaluated
        self.searched: set[tuple[str, str]] = set()  # modules, and the names that star imports are looking up in them
        self.modules: dict[str, Any] = {}  # as the target sees them; it may replace one by an object of its own
        self.states: dict[str, ModuleState] = {}
        self._package_paths: dict[str, bool] = {}  # whether modules in a package's folder may be read
        self._limited: dict[str, str] = {}  # folders of which only a part is the target's: what it may read of them
        self._unloaded: dict[str, SourceText] = {}

    def load(self, name: str, strict: bool = False) -> Any:
        """Return a module by its dotted name, an `Unknown`, or raise `ModuleNotFoundError` if strict."""
        if name in self.modules:
            module = self.modules[name]
            return self._missing_module(name, strict) if module is None else module
        module = self._find(name, strict) if len(name) < _LONGEST_NAME else self._missing_module(name[:80], strict)
        if not isinstance(module, Unknown):
            self.modules[name] = module
        return module

    def replace(self, name: str, module: Any) -> None:
        """Let imports of a module return something else from now on; None makes them fail.

        An import of one that is being evaluated, and replaces itself, is not complete.
        """
        if name in self.modules and name not in self.running:
            self.settle_imports(name)
        self.modules[name] = module

    def remove(self, name: str) -> None:
        """Let the next import of a module evaluate it anew."""
        self.settle_imports(name)
        self.modules.pop(name, None)
        if self.states.pop(name, None) is not None:
            self.waiting.forget(name)

    def settle_imports(self, name: str) -> None:
        """Evaluate all that would have imported a module in Python, because what its name means is about to change."""
        word = name.rpartition(".")[2].encode()
        for state in list(self.states.values()):
            if state.waits and not state.started and (state.name == name or word in state._read()):
                state.run()
        for state in list(self.states.values()):
            for value in list(state.namespace.values()):
                if type(value) is Pending and f"{value.module}.".startswith(f"{name}."):
                    value.resolve()

    def require(self, name: str, importer: str) -> None:
        """Raise `ModuleNotFoundError` if a module does not exist, or is the compiled part of the importer's package."""
        parts = name.split(".")
        for count in range(1, len(parts) + 1):
            prefix = ".".join(parts[:count])
            module = self.load(prefix, strict=True)
            if (
                isinstance(module, Unknown)
                and parts[0] == importer.partition(".")[0]
                and self.locate(prefix) is not None
            ):
                session.current().suppose(
                    f"the compiled module {prefix} is assumed to be missing where its absence is handled",
                    doubt="which packages are installed",
                )
                raise ModuleNotFoundError(f"No module named '{prefix}'", name=prefix)

    def missing(self, name: str, seen: set[str]) -> ModuleNotFoundError | None:
        """Return what the import of a module raises because it, or a module that modules of the project need, is missing."""
        if name in seen:
            return None
        seen.add(name)
        if isinstance(self.load(name), Unknown):
            try:
                self.load(name, strict=True)
            except ModuleNotFoundError as error:
                return error
        state = self.states.get(name)
        if state is None or state.started or (state.is_product() and not state.is_own):
            return None
        return next(filter(None, (self.missing(needed, seen) for needed in state.needed())), None)

    def _find(self, name: str, strict: bool) -> Any:
        if self._shadows(name):
            location = self.locate(name)
            if location is not None:
                return ModuleState(self, name, location).module
        if registry.models(name):
            registry.load(registry.library_of(name))
            return registry.lookup(name) if "." in name else registry.KnownModule(name)
        standard = self.standard(name)
        if standard is not None:
            if name == "weakref":
                interpreter().last_heap = None  # the program may notice how long objects live
            return standard
        location = self.locate(name)
        is_missing = location is not None and self.is_stand_in(location) and not resolve.find(name, self.folders[:-1])
        if location is None and not strict:
            location = self._moved(name)
        if location is None or (strict and is_missing and "." not in name):
            return self._missing_module(name, strict)
        if "." not in name and self.is_stand_in(location) and name not in _COMPLETE:
            missing = "not installed, and " if is_missing else ""
            session.current().assume(f"the package {name} is {missing}taken to do what its usual version does")
        if location.file is None and not location.folders:
            return Unknown(f"module {name} is compiled code, not Python source", session.current().place())
        return ModuleState(self, name, location).module

    def source(self, name: str) -> SourceModule | None:
        """Return a part of a modelled library as a module read from source, None where it is not installed."""
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
        """Tell whether a module of the user's project takes precedence over one of the standard library."""
        top = name.partition(".")[0]
        if top in self.states:
            return self.states[top].is_own and resolve.is_standard(top)
        if not resolve.is_standard(top) or resolve.is_loaded_at_start(top):
            return False
        location = resolve.find(top, sorted(self.own))
        return location is not None and location.file is not None

    def add_own(self, folder: str, readable: str | None = None) -> None:
        """Look for imports in a folder first; it belongs to the user, unless packages are installed there.

        Where only a part of it is the target's own, only files that are `readable` may be read as data.
        """
        self.folders.insert(0, folder)
        if readable is not None and readable != folder:
            self._limited[folder] = readable
        self._package_paths.clear()
        if not resolve.is_installation(folder):
            self.own.add(os.path.abspath(folder))

    def add_project(self, own: Sequence[str], installed: Sequence[str]) -> None:
        """Look for imports also in folders of the user's project, and where packages are installed for it."""
        self._package_paths.clear()
        at = len(self.folders) - self._environment
        self.folders[at:at] = [folder for folder in (*own, *installed) if folder not in self.folders[:at]]
        self.own.update(folder for folder in own if not resolve.is_installation(folder))

    def add_search(self, folder: str, first: bool) -> None:
        """Look for imports in a folder that the program adds, before or after the others."""
        if first:
            self.add_own(folder)
        else:
            self.add_project([folder], [])

    def is_own(self, name: str, location: resolve.Location) -> bool:
        """Tell whether a module belongs to the user's own project."""
        parent = name.rpartition(".")[0]
        if parent in self.states:
            return self.states[parent].is_own
        base = location.folders[0] if location.folders else location.file
        return base is not None and os.path.dirname(os.path.abspath(base)) in self.own

    def is_product(self, location: resolve.Location) -> bool:
        """Tell whether a module lies in a folder, or below one, that distributions are installed in."""
        path = location.folders[0] if location.folders else location.file
        homes = [folder for folder in self.folders if path is not None and resolve.is_below(path, folder)]
        return any(disk.names(folder, ".dist-info", ".egg-info") for folder in homes)

    def is_stand_in(self, location: resolve.Location) -> bool:
        """Tell whether a package stands for one that is not installed."""
        return any(resolve.is_below(path, STAND_INS) for path in (location.file or "", *location.folders[:1]))

    def evaluate_import(self, name: str, attribute: str | None = None) -> bool:
        """Evaluate the modules that an import statement evaluates; False where some wait.

        `attribute` is imported from the module, and may be a module of a package itself.
        """
        is_complete = bool(name) and not self.waiting.names.is_library(name)
        for state in self.waiting.imported(name, attribute):
            self.waiting.visit(state)
            is_complete = is_complete and state.started
        return is_complete

    def locate(self, name: str) -> resolve.Location | None:
        """Return where a module is on disk; its parents are located, not evaluated."""
        parent = name.rpartition(".")[0]
        if not parent:
            folders = [STAND_INS, *self.folders] if name in _PREFERRED else self.folders
            return resolve.find(name, folders)
        self.load(parent)
        above = self.states.get(parent)
        return resolve.find(name, self._package_folders(above)) if above is not None else None

    def _package_folders(self, package: ModuleState) -> list[str]:
        """Return the folders that a package's `__path__` names; the target may change it, but not to read elsewhere."""
        path = package.namespace.get("__path__", ())
        if type(path) not in (list, tuple):
            return []
        return [folder for folder in path if type(folder) is str and self._may_read_in(folder)]

    def _may_read_in(self, folder: str) -> bool:
        """Tell whether the modules in a package's folder may be read."""
        known = self._package_paths.get(folder)
        if known is None:
            known = self._package_paths[folder] = _is_below_one(os.path.join(folder, "any"), self.folders)
        return known

    def may_read(self, path: str) -> bool:
        """Tell whether a file is below one of the folders that imports are searched in, and not hidden there.

        A package's imports start from the folder above it, where there may be anything: that is not the target's.
        """
        return _is_below_one(path, [self._limited.get(folder, folder) for folder in self.folders])

    def _moved(self, name: str) -> resolve.Location | None:
        """Return where an installed package has a module now that it had below another package in an earlier version."""
        package, *rest = name.split(".")
        if len(rest) < 2 or self.locate(package) is None:
            return None
        for at in range(len(rest) - 1):
            other = ".".join((package, *rest[:at], *rest[at + 1 :]))
            location = self.locate(other)
            if location is not None and location.file is not None and not self.is_own(other, location):
                session.current().suppose(
                    f"module {name} is {other}: the version of {package} that is installed has it there",
                    session.current().place(),
                    doubt=VERSIONS,
                )
                return location
        return None

    def _missing_module(self, name: str, strict: bool) -> Unknown:
        place = session.current().place()
        if strict:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        return Unknown(f"module {name} is not found: add its folder with --path, or install it", place)

    def may_define(self, name: str, searched_name: str, seen: set[str] | None = None) -> bool:
        """Tell cheaply whether a star import of a module might provide a name, without evaluating it."""
        seen = seen if seen is not None else set()
        if name in seen:
            return False
        seen.add(name)
        state = self._unloaded_module(name)
        namespace: dict[str, Any] = {}
        if state is None:
            module = self.load(name)
            if not isinstance(module, SourceModule):
                return not isinstance(module, Unknown)
            state, namespace = module.__dict__[MODULE_STATE], module.__dict__
        text, word = state._read(), searched_name.encode()
        is_named = word in text
        if not is_named and searched_name not in namespace and b"import *" not in text:
            return False
        if state.listed is not None:
            return word in state.listed
        if searched_name in namespace or (is_named and re.search(rb"\b%b\b" % word, text) is not None):
            return True
        return b"import *" in text and any(self.may_define(star, searched_name, seen) for star in state.starred)

    def has_submodule(self, name: str, below: str) -> bool:
        """Tell whether a module is a package that contains another one."""
        state = self._unloaded_module(name) or self.waiting.names.state(name)
        return state is not None and state._is_submodule(below)

    def _unloaded_module(self, name: str) -> SourceText | None:
        """Return the text of a module of a package, if nothing else of it has been needed yet."""
        parent = name.rpartition(".")[0]
        if name in self.modules or not parent or self.waiting.names.is_library(name):
            return None
        if name not in self._unloaded:
            above = self.states.get(parent)
            folders: Sequence[str] = above.namespace.get("__path__", ()) if above is not None else ()
            if above is None and (package := self._unloaded_module(parent)) is not None:
                folders = package.location.folders
            location = resolve.find(name, folders)
            if location is None or location.file is None:
                return None
            self._unloaded[name] = UnloadedModule(name if location.folders else parent, location)
        return self._unloaded[name]

    def add(self, name: str, location: resolve.Location, text: bytes | None = None) -> ModuleState:
        """Add a module that the user named by its file."""
        state = ModuleState(self, name, location, text)
        state.named = True
        self.modules[name] = state.module
        return state


def _is_below_one(path: str, folders: Sequence[str]) -> bool:
    """Tell whether a path is below one of some folders, and not hidden there.

    Links are followed, so one that leaves the project does not count; files of installed packages may be links.
    """
    real, plain = disk.real_path(path), os.path.abspath(path)
    for folder in folders:
        is_inside = resolve.is_below(real, disk.real_path(folder))
        if is_inside and not _is_hidden(real, disk.real_path(folder)) and not _is_hidden(plain, folder):
            return True
        if resolve.may_link_out(folder) and resolve.is_below(plain, folder) and not _is_hidden(plain, folder):
            return True
    return False


def _is_hidden(path: str, folder: str) -> bool:
    """Tell whether a file, or a folder on the way to it, has a name that starts with a dot."""
    if not resolve.is_below(path, folder):
        return False
    return any(part.startswith(".") for part in path[len(folder) :].split(os.sep))


def current() -> Loader:
    """Return the loader of the analysis in progress."""
    return interpreter().modules  # type: ignore[no-any-return]
