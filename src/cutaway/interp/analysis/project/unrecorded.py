"""Running code of a project that is no part of the network: to find out what a network is given."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from cutaway.core.session import Notes, Session
from cutaway.core.unknown import decisions


@contextmanager
def unrecorded(session: Session) -> Iterator[None]:
    """Leave no trace in the record: what a builder does besides is no concern of the network."""
    operations, calls, conditions = len(session.operations), len(session.calls), dict(session.conditions)
    left_open = decisions().left_open
    with session.separate_notes(Notes()), session.scoped_facts(), decisions().forgotten():
        try:
            yield
        finally:
            del session.operations[operations:], session.calls[calls:]
            session.modules.clear()
            session.conditions = conditions
            decisions().left_open = left_open
