"""Modules of installed packages that an import statement would have evaluated, and that wait until they matter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cutaway.interp.modules.loader import Loader
    from cutaway.interp.modules.module import ModuleState

_IMPORTS = re.compile(rb"^from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)


class UnevaluatedModules:
    """The unevaluated modules, in the order in which they were imported."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader
        self.states: dict[str, ModuleState] = {}
        self.done: set[tuple[str, str | None, int]] = set()
        self.scanned: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self.states)

    def add(self, state: ModuleState) -> None:
        """Add a module that is not evaluated now."""
        self.states.setdefault(state.name, state)

    def evaluate_package(self, package: str, word: str | None = None) -> bool:
        """Evaluate the modules of a package, or only those that mention `word`; tell whether there were any.

        While the package itself is being imported, it has what has been evaluated so far.
        """
        if any(name.partition(".")[0] == package for name in self.loader.running):
            return False
        seen: set[str] = set()
        any_evaluated = False
        while (package, word, len(self.states)) not in self.done:
            names = [name for name in self.states if name not in seen and name.partition(".")[0] == package]
            if not names:
                self.done.add((package, word, len(self.states)))
            for name in names:
                seen.add(name)
                state = self.states[name]
                if state.started:
                    continue
                if word is None or state.location.folders or _registers(state._read(), word.encode()):
                    any_evaluated = True
                    state.run()
                elif name not in self.scanned:
                    self.scanned.add(name)
                    self._add_imports(state)
        return any_evaluated

    def evaluate_pending(self, word: str) -> bool:
        """Evaluate the modules of all packages that mention a word; tell whether there were any."""
        packages = dict.fromkeys(name.partition(".")[0] for name in self.states)
        evaluated = [package for package in packages if self.evaluate_package(package, word)]
        return bool(evaluated)

    def is_filled(self, cls: type, name: str) -> bool:
        """Tell whether the modules of a class and its bases put something into a container that the class holds."""
        states = self.loader.states
        homes = {str(vars(base).get("__module__")) for base in type.mro(cls)}
        return any(_fills(states[home]._read(), name) for home in homes if home in states)

    def _add_imports(self, state: ModuleState) -> None:
        """Add the modules of its package that evaluating a module would evaluate."""
        for dots, home, names in _IMPORTS.findall(state._read()):
            full = state.absolute(home.decode(), len(dots))
            for name in (full, *(f"{full}.{name.decode()}" for name in re.findall(rb"\w+", names))):
                self.loader.load(name)
                below = self.loader.states.get(name)
                if below is not None and not below.started:
                    self.add(below)


def _registers(source: bytes, word: bytes) -> bool:
    """Tell whether a source quotes a word, or defines a function or a class of that name."""
    if word not in source:
        return False
    named = re.escape(word)
    return (
        re.search(rb"[\"']%b(?!\w)|(?<!\w)%b[\"']|\b(?:def|class)[ \t]+%b\b" % (named, named, named), source)
        is not None
    )


_READERS = frozenset(b"set dict list tuple frozenset sorted len iter enumerate bool str repr print".split())


def _fills(source: bytes, name: str) -> bool:
    """Tell whether a source puts something into the container of this name, or passes it to code that may."""
    word = name.encode()
    if word not in source:
        return False
    assignment = rb"""(?<!\w)%b["']?\)?\s*(?:\[[^\]\n]*\]\s*=(?!=)|\.(?!(?:get|items|keys|values|copy)\b)\w|\|=)"""
    if re.search(assignment % word, source):
        return True
    passed = rb"(?:(\w*)\(|[\[,=]|\breturn\b)[ \t]*(?:[\w.]+\.)?%b[ \t]*(?:[\],)\n]|$)"
    return any(match[1] not in _READERS for match in re.finditer(passed % word, source))
