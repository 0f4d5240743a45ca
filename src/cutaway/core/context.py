"""The state of the current analysis: one object that holds all of it, and the one way to reach it.

Rows of knowledge have the signatures of the APIs that they model, so nothing can be passed to them. They find here
what they need of the analysis. A context belongs to one thread and one analysis; analyses that run at the
same time, or inside each other, do not see each other's state.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from cutaway.core.condition import Decisions
    from cutaway.core.disk import Recording
    from cutaway.core.session import Session
    from cutaway.core.size.knowledge import SizeKnowledge


class Analysis:
    """The state of one analysis.

    `session` records what it encounters, `decisions` says how open conditions are decided, `sizes` is what is known of
    sizes, `recording` records what is asked of the file system (None where that is not needed), and `interpreter` is the
    interpreter's own state.
    """

    __slots__ = ("decisions", "interpreter", "recording", "session", "sizes")

    session: Session
    decisions: Decisions
    recording: Recording | None
    sizes: SizeKnowledge
    interpreter: Any

    def derived(self, **changes: Any) -> Analysis:
        """Return the state of an analysis that shares all but `changes` with this one."""
        other = Analysis()
        for name in self.__slots__:
            setattr(other, name, changes[name] if name in changes else getattr(self, name))
        return other


IDLE = Analysis()
"""The state outside of any analysis. Each part is set by the module that defines it."""

IDLE.recording = None
IDLE.interpreter = None

CURRENT: ContextVar[Analysis] = ContextVar("cutaway.analysis", default=IDLE)


@contextmanager
def installed(analysis: Analysis) -> Iterator[Analysis]:
    """Make an analysis the current one."""
    token = CURRENT.set(analysis)
    try:
        yield analysis
    finally:
        CURRENT.reset(token)
