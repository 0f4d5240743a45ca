"""A program as it is before its network is built, from which further runs continue.

Evaluating a program's modules is most of a short run, and gives the same result whatever is decided later. Whatever a run
has changed since is changed back before the next one.
"""

from __future__ import annotations

from typing import Any

from cutaway.core.condition import Decisions
from cutaway.core.session import Session
from cutaway.core.size.facts import Facts
from cutaway.core.unknown import decisions
from cutaway.interp.modules.loader import Loader
from cutaway.interp.modules.module import ModuleState
from cutaway.interp.run.heap import Heap

_SESSION_FIELDS = (
    "unknowns",
    "assumptions",
    "findings",
    "reason_places",
    "sizes",
    "conditions",
    "counters",
    "state",
    "doubts",
)


class Snapshot:
    """The modules of a program, all that can be reached from them, and the notes taken while they were evaluated."""

    def __init__(self) -> None:
        self.modules: Loader | None = None
        self.state: ModuleState | None = None
        self.is_wanted = False  # there is going to be another run
        self._saved_fields: dict[str, Any] = {}
        self._decisions: dict[str, Any] = {}
        self._values = 0
        self._facts = Facts()
        self._heap = Heap([])

    def save(self, modules: Loader, state: ModuleState, session: Session) -> None:
        """Save a program that is about to build its network."""
        if not self.is_wanted or self.modules is not None or session.changes or session.calls or not state.is_own:
            return
        heap = Heap([modules, state])
        if heap.opaque:
            return
        self.modules, self.state, self._heap = modules, state, heap
        self._saved_fields = {name: _copied(getattr(session, name)) for name in _SESSION_FIELDS}
        self._decisions = decisions().saved()
        self._values = session.values
        self._facts = session.facts.copy()

    def continue_from(self, decided: Decisions) -> None:
        """Go back to the saved program, or drop it if a run that decides conditions in this way would not lead to it."""
        if self.modules is None:
            return
        if decided.resume(self._decisions):
            self._heap.restore()
        else:
            self.modules = self.state = None

    def restore(self, session: Session) -> None:
        """Start a new session with the notes taken up to the snapshot."""
        for name, value in self._saved_fields.items():
            getattr(session, name).update(_copied(value))
        session.presumed = tuple(note for note in session.assumptions if note.presumed)
        session.values = self._values
        session.replace_facts(self._facts)


def _copied(value: dict[Any, Any]) -> dict[Any, Any]:
    return {key: dict(item) if type(item) is dict else item for key, item in value.items()}
