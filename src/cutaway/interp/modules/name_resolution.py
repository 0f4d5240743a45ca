"""What a name in a module's source means, found without evaluating any module."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from cutaway.interp.run.heap import Stateless
from cutaway.knowledge.base import registry
from cutaway.syntax import resolve
from cutaway.syntax.outline import ASSIGNMENT, CLASS, FUNCTION, Chunk, Import, Outline, outline

if TYPE_CHECKING:
    from cutaway.interp.modules.loader import Loader
    from cutaway.interp.modules.module import ModuleState

BUILTIN, LIBRARY, MODULE, VARIABLE, UNKNOWN = "builtin", "library", "module", "variable", "unknown"


class Meaning(NamedTuple):
    """What a name may mean: a function, class or variable of a module, a module, or something that is not the target's.

    `name` is the name in `module`; of a library it is the dotted name. `chunk` is where it is bound.
    """

    kind: str
    module: str
    name: str
    chunk: Chunk | None = None


class Names(Stateless):
    """The outlines of an analysis's modules, and the names in them."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        self._outlines: dict[str, Outline] = {}
        self._statements: dict[
            bytes, tuple[Import, ...]
        ] = {}  # import statements, of which modules have many in common
        self.rebound: dict[str, frozenset[str]] = {}  # module -> what `rebound_after_imports` says of it
        self._libraries: dict[str, bool] = {}
        self._missing: set[str] = set()
        self.reassigned: set[str] = set()  # variables of all modules that functions assign
        self._meanings: dict[tuple[str, str], list[Meaning]] = {}

    def state(self, name: str) -> ModuleState | None:
        """Return a module that is read from source; None for a library that is modelled, or one that is missing."""
        state = self._loader.states.get(name)
        if state is None and name not in self._missing:
            if name and not self.is_library(name):
                self._loader.load(name)
                state = self._loader.states.get(name)
            if state is None:
                self._missing.add(name)
        return state

    def is_library(self, name: str) -> bool:
        """Tell whether a module is modelled as a whole or part of the standard library."""
        known = self._libraries.get(name)
        if known is None:
            known = (registry.models(name) or resolve.is_standard(name)) and not self._loader._shadows(name)
            self._libraries[name] = known
        return known

    def outline(self, state: ModuleState) -> Outline:
        """Return the outline of a module."""
        known = self._outlines.get(state.name)
        if known is None:
            known = self._outlines[state.name] = outline(state._read(), self._statements)
            self.reassigned |= known.reassigned
        return known

    def binds(self, state: ModuleState, name: str) -> bool:
        """Tell whether a package binds a name of its own, other than by importing the module of that name from itself."""
        return any(
            not isinstance(binding, Import)
            or binding.attribute != name
            or state.absolute(binding.module, binding.level) != state.name
            for binding in self.outline(state).names.get(name, ())
        )

    def meanings(self, state: ModuleState, dotted: str) -> list[tuple[Meaning, list[str]]]:
        """Return what a dotted name in a module may mean, each with the attributes that are read from it."""
        first, *rest = dotted.split(".")
        pending = [(meaning, rest) for meaning in self.bound(state, first)]
        found: list[tuple[Meaning, list[str]]] = []
        while pending:
            meaning, attributes = pending.pop()
            if meaning.kind == LIBRARY:
                found.append((meaning._replace(name=".".join([meaning.name, *attributes])), []))
                continue
            module = self.state(meaning.module) if meaning.kind == MODULE and attributes else None
            if module is None:
                found.append((meaning, attributes))
            else:
                pending += [(inner, attributes[1:]) for inner in self.bound(module, attributes[0])]
        return found

    def bound(self, state: ModuleState, name: str) -> list[Meaning]:
        """Return what a name of a module may mean."""
        key = state.name, name
        known = self._meanings.get(key)
        if known is None:
            self._meanings[key] = []  # it is imported from itself, in a circle
            known = self._meanings[key] = list(self._find(state, name)) or [Meaning(UNKNOWN, state.name, name)]
        return known

    def _find(self, state: ModuleState, name: str) -> Iterator[Meaning]:
        if name in state.modelled:
            yield Meaning(LIBRARY, "", f"{state.name}.{name}")
            return
        whole = self.outline(state)
        bindings = whole.names.get(name, [])
        for binding in bindings:
            if isinstance(binding, Import):
                yield from self._imported(state, binding)
            else:
                kind = binding.kind if binding.kind in (FUNCTION, CLASS) else VARIABLE
                assert kind != VARIABLE or binding.kind == ASSIGNMENT
                yield Meaning(kind, state.name, name, binding)
        if bindings:
            return
        provided = list(self._starred(state, name, whole.stars))
        yield from provided
        if name in ("__name__", "__file__", "__doc__", "__package__", "__path__") or hasattr(builtins, name):
            yield Meaning(BUILTIN, "", name)
        elif state._is_submodule(name):
            yield Meaning(MODULE, f"{state.name}.{name}", "")
        else:
            # What is imported for type checkers alone is looked up last.
            provided += (late := list(self._starred(state, name, whole.type_checking_stars)))
            yield from late
            stars = (*whole.stars, *whole.type_checking_stars)
            if provided or any(self.is_library(state.absolute(module, level)) for module, level in stars):
                yield Meaning(LIBRARY, "", name)

    def _starred(self, state: ModuleState, name: str, stars: list[tuple[str, int]]) -> Iterator[Meaning]:
        """Yield what star imports of a module may provide under a name."""
        for module, level in stars:
            full = state.absolute(module, level)
            if self.is_library(full):
                continue
            is_possible = self._loader.may_define(full, name) or self._loader.has_submodule(full, name)
            source_module = self.state(full) if is_possible else None
            if source_module is not None:
                yield from (m for m in self.bound(source_module, name) if m.kind not in (UNKNOWN, BUILTIN))

    def _imported(self, state: ModuleState, binding: Import) -> Iterator[Meaning]:
        full = state.absolute(binding.module, binding.level)
        if self.is_library(full):
            yield Meaning(LIBRARY, "", full if binding.attribute is None else f"{full}.{binding.attribute}")
            return
        source_module = self.state(full)
        if source_module is None:  # it is missing, or compiled
            yield Meaning(LIBRARY, "", f"{full}.{binding.attribute or ''}")
        elif binding.attribute is None:
            yield Meaning(MODULE, full, "")
        elif source_module is state:
            if state._is_submodule(binding.attribute):
                yield Meaning(MODULE, f"{full}.{binding.attribute}", "")
        else:
            yield from self.bound(source_module, binding.attribute)
