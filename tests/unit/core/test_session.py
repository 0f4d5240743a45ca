"""What is remarked about one network does not appear with another."""

from __future__ import annotations

from cutaway.core.fault_code import FaultCode
from cutaway.core.session import Finding, Note, Notes, Session


def test_notes_inside_are_collected_separately() -> None:
    session, notes = Session(), Notes()
    session.unknown("before")
    with session.apart(notes):
        session.unknown("inside")
        session.assume("so")
        session.findings.setdefault(Finding(FaultCode.SHAPE_MISMATCH, "3 is not 4"))
    assert list(session.unknowns) == [Note("before")]
    assert not session.assumptions and not session.findings
    assert list(notes.unknowns) == [Note("inside")]
    assert list(notes.assumptions) == [Note("so")]
    assert list(notes.findings) == [Finding(FaultCode.SHAPE_MISMATCH, "3 is not 4")]


def test_what_was_remarked_before_is_seen_inside() -> None:
    session, notes = Session(), Notes(unknowns={Note("its own"): None})
    session.unknown("before")
    with session.apart(notes):
        assert list(session.unknowns) == [Note("before"), Note("its own")]


def test_notes_are_kept_when_the_inside_fails() -> None:
    session, notes = Session(), Notes()
    try:
        with session.apart(notes):
            session.unknown("inside")
            raise KeyError
    except KeyError:
        pass
    assert list(notes.unknowns) == [Note("inside")] and not session.unknowns
