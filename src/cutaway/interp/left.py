"""Modules of installed packages that an import statement would have evaluated, and that wait until they matter."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from cutaway.interp.loader import Loader, ModuleState

_IMPORTS = re.compile(rb"^from[ \t]+(\.+)([\w.]*)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)


class Left:
    """The modules that were left, in the order in which they were imported."""

    def __init__(self, loader: Loader) -> None:
        self.loader = loader
        self.states: dict[str, ModuleState] = {}
        self.done: set[tuple[str, str | None, int]] = set()

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
        pattern = None if word is None else re.compile(rb"(?<!\w)" + re.escape(word.encode()) + rb"(?!\w)")
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
                if pattern is None or state.location.folders or pattern.search(state._read()):
                    found = True
                    state.run()
                else:
                    self._note_imports(state)
        return found

    def _note_imports(self, state: ModuleState) -> None:
        """Enter the modules of its package that a module would evaluate if it were evaluated."""
        from cutaway.interp.loader import absolute

        for dots, home, names in _IMPORTS.findall(state._read()):
            full = absolute(state.frame, home.decode(), len(dots))
            for name in (full, *(f"{full}.{name.decode()}" for name in re.findall(rb"\w+", names))):
                self.loader.load(name)
                below = self.loader.states.get(name)
                if below is not None and not below.started:
                    self.note(below)
