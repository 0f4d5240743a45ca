"""Modules that an import statement would have evaluated, and that wait until something of them is used.

A module waits if its body changes nothing that others see, and reads nothing that others change (`effects.py`); what it
imports is decided in its place, in Python's order. A module whose only effect is that it enters something into dicts or
sets of other modules waits, too: these registries evaluate it when they are read (`registries.py`). Any other module is
evaluated where Python would.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cutaway.core.speed import is_on
from cutaway.interp.modules.effects import EffectAnalysis
from cutaway.interp.modules.name_resolution import UNKNOWN, VARIABLE, Names
from cutaway.interp.modules.registries import EVERYTHING, is_hooked
from cutaway.interp.modules.variable_bindings import is_constant, is_literal, is_reassigned, rebound_after_imports
from cutaway.interp.run.interpreter import interpreter
from cutaway.syntax.outline import Import
from cutaway.syntax.requirements import Requirements

if TYPE_CHECKING:
    from cutaway.interp.modules.loader import Loader
    from cutaway.interp.modules.module import ModuleState


class WaitingModules:
    """The modules that wait, in the order in which Python would have evaluated them."""

    def __init__(self, loader: Loader, lazy: bool) -> None:
        self.loader = loader
        self.lazy = lazy and is_on("lazy-modules")
        self.names = Names(loader)
        self.states: dict[str, ModuleState] = {}
        self.order: dict[str, int] = {}
        self.out_of_order = False  # whether something was noticed that depends on the order of evaluation
        self._analysis = EffectAnalysis(self.names)
        self._analysis.definitions.imports_act = self._imports_act
        self._visited: set[str] = set()
        self._used: set[str] = set()  # packages that something has been evaluated of
        self._unused: dict[str, list[ModuleState]] = {}  # modules that have been imported of other packages
        self._requirements = Requirements(self._installed_in)
        self._chains: dict[str, list[ModuleState | None]] = {}  # a module's packages and itself, by its dotted name
        self._followed: set[tuple[Any, ...]] = set()  # imports whose modules have been visited
        self._readers: dict[str, list[ModuleState]] = {}  # modules that wait and read a variable, by its name
        self._fillers: dict[tuple[str, str], dict[str, bool]] = {}
        self._searched: set[tuple[tuple[str, str], str, int]] = set()

    def __bool__(self) -> bool:
        return any(not state.started for state in self.states.values())

    def visit(self, state: ModuleState) -> None:
        """Evaluate a module where an import statement says so, or let it wait."""
        if state.started or state.name in self._visited:
            return
        package = state.name.partition(".")[0]
        if package not in self._used and self.lazy:
            if package in self._unused or self._concerns_only_itself(package):
                self._unused.setdefault(package, []).append(state)
                state.wait()
                return
            self.use(package)
        self._visited.add(state.name)
        self._evaluate_readers(state)
        if not self.lazy or self._must_run(state) or self._is_in_circle(state):
            state.run()
            return
        effects = self._analysis.of_module(state)
        state.wait()
        self.states[state.name] = state
        for binding, _ in effects.imports:
            key = (
                state.namespace["__package__"] if binding.level else "",
                binding.module,
                binding.level,
                binding.attribute,
            )
            if key not in self._followed:
                self._followed.add(key)
                for module in self._imported(state, binding):
                    self.visit(module)
        if any(
            is_reassigned(self.names, state, b.name) for b, _ in effects.imports if b.attribute in self.names.reassigned
        ):
            state.run()  # what it imports may be assigned again before the module is used
            return
        self.order[state.name] = len(self.order) + 1
        for _, name in effects.reads:
            self._readers.setdefault(name, []).append(state)
        for registry, by_word in effects.fills.items():
            self._fillers.setdefault(registry, {})[state.name] = by_word

    def use(self, package: str) -> None:
        """Prepare for a package whose modules are evaluated: decide on what has been imported of it, and of others
        that import it themselves."""
        if package in self._used or not self.lazy:
            return
        self._used.add(package)
        for state in self._unused.pop(package, ()):
            self.visit(state)
        for other in [other for other in self._unused if self._requirements.may_import(other, (package,))]:
            self.use(other)

    def _concerns_only_itself(self, package: str) -> bool:
        """Tell whether a package that nothing is used of yet imports no package that something is used of.

        An installed distribution declares what it imports, so that most of it need not be read for that.
        """
        return self._requirements.may_import(package, self._used) is False

    def _installed_in(self, package: str) -> str | None:
        """Return the folder of a package that may have been installed with a distribution of its name."""
        location = None if self.names.is_library(package) else self.loader.locate(package)
        if location is None or not location.folders or self.loader.is_own(package, location):
            return None
        return location.folders[0]

    def _must_run(self, state: ModuleState) -> bool:
        """Tell whether a module's own statements have to be evaluated where it is imported."""
        effects = self._analysis.of_module(state)
        if effects.reason is not None or not all(map(self._is_hookable, effects.fills)):
            return True
        if not all(self._is_steady(*variable) for variable in effects.reads):
            return True
        without_effect = [binding for binding, is_without_effect in effects.imports if is_without_effect]
        return any(self._acts(module, set()) for b in without_effect for module in self._imported(state, b))

    def _is_steady(self, module: str, name: str) -> bool:
        """Tell whether a list, dict or set of a module is changed by no module that is known by now."""
        if not is_literal(self.names, module, name):
            return False
        word = name.encode()
        states = [s for s in self.loader.states.values() if s.name in self._visited or s.started or s.named]
        return not any(word in s._read() and _may_change(s._read(), word) for s in states)

    def _evaluate_readers(self, state: ModuleState) -> None:
        """Evaluate the modules that read what a module may change, which is about to be evaluated."""
        for name in [name for name in self._readers if name.encode() in state._read()]:
            if _may_change(state._read(), name.encode()):
                for reader in self._readers.pop(name):
                    reader.run()

    def _is_hookable(self, registry: tuple[str, str]) -> bool:
        """Tell whether a registry evaluates what fills it: it does not exist yet, or was created to do so."""
        home = self.loader.states[registry[0]]
        return not home.started or is_hooked(home.namespace.get(registry[1]))

    def _acts(self, state: ModuleState, seen: set[str]) -> bool:
        """Tell whether importing a module, which may or may not happen, or happens late, has an effect."""
        if state.started or state.name in self._visited or state.name in seen:
            return False
        package = state.name.partition(".")[0]
        if package not in self._used and self._concerns_only_itself(package):
            return False
        seen.add(state.name)
        effects = self._analysis.of_module(state)
        if effects.reason is not None or effects.fills:
            return True
        return any(self._acts(module, seen) for b, _ in effects.imports for module in self._imported(state, b))

    def _imports_act(self, full: str, attribute: str | None) -> bool:
        return any(self._acts(module, set()) for module in self.imported(full, attribute))

    def _imported(self, state: ModuleState, binding: Import) -> Iterator[ModuleState]:
        """Yield the modules that an import of a module evaluates."""
        if binding.level > state.name.count(".") + 1 + bool(state.location.folders):
            return
        yield from self.imported(state.absolute(binding.module, binding.level), binding.attribute)

    def imported(self, full: str, attribute: str | None) -> Iterator[ModuleState]:
        """Yield the modules that are evaluated by an import of a module, or of an attribute that may be a module."""
        if not full or self.names.is_library(full):
            return
        chain = self._chains.get(full)
        if chain is None:
            parts = full.split(".")
            chain = [self.names.state(".".join(parts[:count])) for count in range(1, len(parts) + 1)]
            self._chains[full] = chain
        yield from filter(None, chain)
        state = chain[-1]
        if attribute is None or state is None or attribute == "*":
            return
        if attribute in state.namespace if state.finished else self.names.binds(state, attribute):
            return
        if not state._is_submodule(attribute):
            return
        below = self.names.state(f"{full}.{attribute}")
        if below is not None:
            yield below

    def is_reassigned(self, full: str, name: str) -> bool:
        """Tell whether a name that is imported from a module has to be read now, because it may change.

        A function of the module that is called for a name which is not there may have an effect.
        """
        state = self.names.state(full)
        if state is None:
            return False
        is_computed = self.names.binds(state, "__getattr__") and not self.names.binds(state, name)
        return is_computed or is_reassigned(self.names, state, name) or self._is_rebound(full, name)

    def _is_rebound(self, module: str, name: str) -> bool:
        """Tell whether a module that is being evaluated binds a name more than once: now it may mean something else."""
        return module in self.loader.running and name in rebound_after_imports(self.names, self.loader.states[module])

    def _is_in_circle(self, state: ModuleState) -> bool:
        """Tell whether a module sees names of one that is being evaluated, or others see its own, before they are bound
        again: they import each other."""
        rebound = rebound_after_imports(self.names, state)
        seen: set[str] = set()
        pending = [state] if rebound else []
        while pending:
            for module in self._directly_imported(pending.pop()):
                if module.name not in seen:
                    seen.add(module.name)
                    pending.append(module)
                    if _mentions_any(module, rebound) and state in self._directly_imported(module):
                        return True
        if not any(rebound_after_imports(self.names, self.loader.states[name]) for name in self.loader.running):
            return False
        running = [other for other in self._directly_imported(state) if other.name in self.loader.running]
        return any(_mentions_any(state, rebound_after_imports(self.names, other)) for other in running)

    def _directly_imported(self, state: ModuleState) -> list[ModuleState]:
        imports = self._analysis.of_module(state).imports
        return [module for binding, _ in imports for module in self._imported(state, binding)]

    def is_fixed(self, state: ModuleState, dotted: str) -> bool:
        """Tell whether a name in a module means the same whenever it is read."""
        meanings = self.names.meanings(state, dotted)
        if any(self._is_rebound(m.module, m.name) for m, _ in meanings):
            return False
        return all(is_constant(self.names, m) if m.kind == VARIABLE else m.kind != UNKNOWN for m, _ in meanings)

    def settle(self, state: ModuleState, name: str) -> None:
        """Evaluate all that would have read a name of a module in Python, because it is about to change."""
        state.resolve_importers(name)
        word = name.encode()
        for other in list(self.loader.states.values()):
            if word not in other._read():
                starred = any(module == state.name for _, module in other.stars)
            elif other.waits and not other.started:
                other.run()
                starred = True
            else:
                starred = True
            if other.finished and starred:
                other.define_all()
                if other.stars and name not in other.namespace:
                    other.from_stars(name, None)
        state.resolve_importers(name)

    def forget(self, name: str) -> None:
        """Forget a module, which the program may import anew."""
        self._visited.discard(name)
        self._chains.clear()
        self.states.pop(name, None)

    def is_filled(self, module: str, name: str) -> bool:
        """Tell whether modules wait that fill a registry."""
        return (module, name) in self._fillers

    def is_filled_before(self, registry: tuple[str, str], module: str) -> bool:
        """Tell whether a module that fills a registry would have been evaluated before another."""
        return any(self.position(name) < self.position(module) for name in self._fillers.get(registry, ()))

    def is_late(self) -> bool:
        """Tell whether a module is being evaluated later than Python would."""
        states = self.loader.states
        return any(name in states and states[name].waits for name in self.loader.running)

    def is_entering(self, registry: tuple[str, str]) -> bool:
        """Tell whether the function that runs is one that only enters something into a registry."""
        frame = interpreter().stack[-1] if self.loader.running and interpreter().stack else None
        if frame is None or frame.globals.get("__name__") != registry[0]:
            return False
        if frame.function is None:
            return False
        function = frame.function.qualname.partition(".")[0]
        return self._analysis.definitions.only_enters(registry[0], function, registry)

    def evaluating(self) -> str:
        """Return the name of the module that is being evaluated, an empty string in the program itself."""
        return self.loader.running[-1] if self.loader.running else ""

    def position(self, module: str) -> int:
        """Return when a module would have been evaluated: what runs now comes after all that wait."""
        return self.order.get(module, len(self.order))

    def fill(self, registry: tuple[str, str], key: Any) -> None:
        """Evaluate the modules that may enter something under a key, or all that fill a registry for `EVERYTHING`."""
        fillers = self._fillers.get(registry, {})
        words = [] if key is EVERYTHING else _words(key)
        entry = registry, key if words and key is not EVERYTHING else "", len(fillers)
        if entry in self._searched:
            return
        self._searched.add(entry)
        for name in sorted(fillers, key=self.order.__getitem__):
            state = self.loader.states[name]
            if not state.started and (not words or not fillers[name] or _mentions(state._read(), words)):
                state.run()

    def evaluate_registering(self, word: str) -> bool:
        """Evaluate the modules that quote a word; tell whether there were any."""
        return self._evaluate([state for state in self.states.values() if _mentions(state._read(), [word])])

    def evaluate_mentioning(self, *words: str) -> None:
        """Evaluate what waits of the modules in which one of some words occurs."""
        self._evaluate([s for s in self.states.values() if any(word.encode() in s._read() for word in words)])
        for state in list(self.loader.states.values()):
            state.define_chosen()

    def _evaluate(self, states: list[ModuleState]) -> bool:
        unevaluated = [state for state in states if not state.started]
        for state in unevaluated:
            state.run()
        return bool(unevaluated)


def _mentions_any(state: ModuleState, names: frozenset[str]) -> bool:
    return any(name.encode() in state._read() for name in names)


def _may_change(source: bytes, name: bytes) -> bool:
    """Tell whether a source does anything with a variable of this name but to bind, import and look into it."""
    named = re.escape(name)
    reads = (
        rb"(?:\bin[ ]+(?:\w+\.)*%b\b(?![ ]*[\[.])|\b%b\.(?:items|keys|values|get|copy|index|count)\("
        rb"|\b%b\[[^\]\n]*\](?![ ]*(?:[-+*/|&]?=(?!=)|[.\[]))|^[ \t]*%b[ ]*(?::[^=\n]*)?=|\blen\((?:\w+\.)*%b\))"
        % (named, named, named, named, named)
    )
    mentions = len(re.findall(rb"\b%b\b" % named, source))
    imports = len(re.findall(rb"^[ \t]*(?:%b,?|from[^\n]*\b%b\b[^\n]*)$" % (named, named), source, re.MULTILINE))
    return mentions > len(re.findall(reads, source, re.MULTILINE)) + imports


def _words(key: Any) -> list[str]:
    """Return the words of a key; none where it is not a string, or consists of other characters."""
    return re.findall(r"\w+", key) if isinstance(key, str) else []


def _mentions(source: bytes, words: list[str]) -> bool:
    """Tell whether a source quotes one of some words, or defines a function or a class of that name."""
    return any(_quotes(source, word.encode()) for word in words)


def _quotes(source: bytes, word: bytes) -> bool:
    if word not in source:
        return False
    named = re.escape(word)
    pattern = rb"[\"']%b(?!\w)|(?<!\w)%b[\"']|\b(?:def|class)[ \t]+%b\b" % (named, named, named)
    return re.search(pattern, source) is not None
