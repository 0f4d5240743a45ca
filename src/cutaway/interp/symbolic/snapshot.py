"""A program as it is before a network is made of it, from which other runs go on.

Evaluating a program's modules is most of a short run, and comes out the same whatever is decided later. A run that
leaves something changed in the user's own modules is the last that starts from there: the next begin anew.
"""

from __future__ import annotations

from typing import Any

from cutaway.core.session import Session
from cutaway.core.size.facts import Facts
from cutaway.interp.modules.loader import Loader
from cutaway.interp.modules.module import ModuleState
from cutaway.interp.run.frame import Pending

_REMARKS = ("unknowns", "assumptions", "findings", "placed", "sizes", "conditions", "state")


class World:
    """The modules of a program, what was remarked when they were evaluated, and how they looked then."""

    def __init__(self) -> None:
        self.modules: Loader | None = None
        self.state: ModuleState | None = None
        self._remarks: dict[str, Any] = {}
        self._values = 0
        self._facts = Facts()
        self._looks: dict[Any, Any] = {}

    def keep(self, modules: Loader, state: ModuleState, here: Session) -> None:
        """Keep a program that has come to the point where its network is made."""
        if self.modules is not None or here.changes or not state.is_own:
            return
        self.modules, self.state = modules, state
        self._remarks = {name: _copied(getattr(here, name)) for name in _REMARKS}
        self._values = here.values
        self._facts = here.facts.copy()
        self._looks = dict(_looks(modules))

    def put_back(self, here: Session) -> None:
        """Let a new record begin with what was remarked up to there."""
        for name, value in self._remarks.items():
            getattr(here, name).update(_copied(value))
        here.values = self._values
        here.learn_anew(self._facts)

    def check(self) -> None:
        """Give the program up if a run has changed it."""
        if self.modules is None:
            return
        now = dict(_looks(self.modules))
        if any(now.get(key, look) != look for key, look in self._looks.items()):
            self.modules = self.state = None


def _copied(value: dict[Any, Any]) -> dict[Any, Any]:
    return {key: dict(item) if type(item) is dict else item for key, item in value.items()}


def _looks(modules: Loader) -> Any:
    """Yield what is seen of the names in the user's own modules, and of the classes that these define."""
    for name, state in modules.states.items():
        if not state.is_own:
            continue
        for key, value in list(state.namespace.items()):
            if type(value) is Pending:
                continue
            yield (name, key), _look(value)
            if isinstance(value, type) and type.__dict__["__module__"].__get__(value) == name:
                for attribute, held in list(type.__dict__["__dict__"].__get__(value).items()):
                    yield (name, key, attribute), _look(held)


def _look(value: Any) -> Any:
    return id(value), len(value) if type(value) in (list, dict, set) else 0
