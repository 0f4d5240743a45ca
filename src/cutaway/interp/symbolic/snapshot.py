"""A program as it is before its network is built, from which further runs continue.

Evaluating a program's modules is most of a short run, and gives the same result whatever is decided later. A run that
changes something in the user's own modules is the last that starts from a snapshot: the next ones start over.
"""

from __future__ import annotations

from typing import Any

from cutaway.core.session import Session
from cutaway.core.size.facts import Facts
from cutaway.interp.modules.loader import Loader
from cutaway.interp.modules.module import ModuleState
from cutaway.interp.run.frame import Pending

_SESSION_FIELDS = ("unknowns", "assumptions", "findings", "reason_places", "sizes", "conditions", "counters", "state")


class Snapshot:
    """The modules of a program, the notes taken while they were evaluated, and a fingerprint of their names."""

    def __init__(self) -> None:
        self.modules: Loader | None = None
        self.state: ModuleState | None = None
        self._saved_fields: dict[str, Any] = {}
        self._values = 0
        self._facts = Facts()
        self._fingerprint: dict[Any, Any] = {}

    def save(self, modules: Loader, state: ModuleState, session: Session) -> None:
        """Save a program that is about to build its network."""
        if self.modules is not None or session.changes or not state.is_own:
            return
        self.modules, self.state = modules, state
        self._saved_fields = {name: _copied(getattr(session, name)) for name in _SESSION_FIELDS}
        self._values = session.values
        self._facts = session.facts.copy()
        self._fingerprint = dict(_fingerprints(modules))

    def restore(self, session: Session) -> None:
        """Start a new session with the notes taken up to the snapshot."""
        for name, value in self._saved_fields.items():
            getattr(session, name).update(_copied(value))
        session.values = self._values
        session.replace_facts(self._facts)

    def check(self) -> None:
        """Drop the program if a run has changed it."""
        if self.modules is None:
            return
        now = dict(_fingerprints(self.modules))
        if any(now.get(key, fingerprint) != fingerprint for key, fingerprint in self._fingerprint.items()):
            self.modules = self.state = None


def _copied(value: dict[Any, Any]) -> dict[Any, Any]:
    return {key: dict(item) if type(item) is dict else item for key, item in value.items()}


def _fingerprints(modules: Loader) -> Any:
    """Yield the fingerprints of the names in the user's own modules, and of the classes that these define."""
    for name, state in modules.states.items():
        if not state.is_own:
            continue
        for key, value in list(state.namespace.items()):
            if type(value) is Pending:
                continue
            yield (name, key), _fingerprint(value)
            if isinstance(value, type) and type.__dict__["__module__"].__get__(value) == name:
                for attribute, member in list(type.__dict__["__dict__"].__get__(value).items()):
                    yield (name, key, attribute), _fingerprint(member)


def _fingerprint(value: Any) -> Any:
    return id(value), len(value) if type(value) in (list, dict, set) else 0
