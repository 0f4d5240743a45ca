"""Modules of installed packages that an import statement would have evaluated, and that wait until they matter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cutaway.interp.modules.loader import Loader
    from cutaway.interp.modules.module import ModuleState

_IMPORTS = re.compile(rb"^from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)


class Left:
    """The modules that were left, in the order in which they were imported."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader
        self.states: dict[str, ModuleState] = {}
        self.done: set[tuple[str, str | None, int]] = set()
        self.noted: set[str] = set()

    def __bool__(self) -> bool:
        return bool(self.states)

    def note(self, state: ModuleState) -> None:
        """Enter a module that is not evaluated now."""
        self.states.setdefault(state.name, state)

    def catch_up(self, package: str, word: str | None = None) -> bool:
        """Evaluate what was left of a package, only modules that mention `word` if one is given; tell if there was any.

        While the package itself is being imported, it has what has been evaluated so far.
        """
        if any(name.partition(".")[0] == package for name in self.loader.running):
            return False
        seen: set[str] = set()
        found = False
        while (package, word, len(self.states)) not in self.done:
            names = [name for name in self.states if name not in seen and name.partition(".")[0] == package]
            if not names:
                self.done.add((package, word, len(self.states)))
            for name in names:
                seen.add(name)
                state = self.states[name]
                if state.started:
                    continue
                if word is None or state.location.folders or _enters(state._read(), word.encode()):
                    found = True
                    state.run()
                elif name not in self.noted:
                    self.noted.add(name)
                    self._note_imports(state)
        return found

    def catch_up_all(self, word: str) -> bool:
        """Evaluate what was left of any package and mentions a word; tell if there was any."""
        packages = dict.fromkeys(name.partition(".")[0] for name in self.states)
        found = [package for package in packages if self.catch_up(package, word)]
        return bool(found)

    def is_filled(self, cls: type, name: str) -> bool:
        """Tell whether the modules of a class and its bases put something into a container that the class holds."""
        states = self.loader.states
        homes = {str(vars(base).get("__module__")) for base in type.mro(cls)}
        return any(_fills(states[home]._read(), name) for home in homes if home in states)

    def _note_imports(self, state: ModuleState) -> None:
        """Enter the modules of its package that a module would evaluate if it were evaluated."""
        for dots, home, names in _IMPORTS.findall(state._read()):
            full = state.absolute(home.decode(), len(dots))
            for name in (full, *(f"{full}.{name.decode()}" for name in re.findall(rb"\w+", names))):
                self.loader.load(name)
                below = self.loader.states.get(name)
                if below is not None and not below.started:
                    self.note(below)


def _enters(text: bytes, word: bytes) -> bool:
    """Tell whether a text quotes a word, or defines a function or a class of that name."""
    if word not in text:
        return False
    named = re.escape(word)
    return (
        re.search(rb"[\"']%b(?!\w)|(?<!\w)%b[\"']|\b(?:def|class)[ \t]+%b\b" % (named, named, named), text) is not None
    )


_READERS = frozenset(b"set dict list tuple frozenset sorted len iter enumerate bool str repr print".split())


def _fills(text: bytes, name: str) -> bool:
    """Tell whether a text puts something into the container of a name, or hands it to somebody who may."""
    word = name.encode()
    if word not in text:
        return False
    written = rb"""(?<!\w)%b["']?\)?\s*(?:\[[^\]\n]*\]\s*=(?!=)|\.(?!(?:get|items|keys|values|copy)\b)\w|\|=)"""
    if re.search(written % word, text):
        return True
    handed = rb"(?:(\w*)\(|[\[,=]|\breturn\b)[ \t]*(?:[\w.]+\.)?%b[ \t]*(?:[\],)\n]|$)"
    return any(found[1] not in _READERS for found in re.finditer(handed % word, text))
