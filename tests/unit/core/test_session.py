"""What is remarked about one network does not appear with another."""

from __future__ import annotations

from cutaway.core.fault_code import FaultCode
from cutaway.core.session import Finding, Note, Remarks, Session


def test_remarks_inside_are_kept_apart() -> None:
    session, remarks = Session(), Remarks()
    session.unknown("before")
    with session.apart(remarks):
        session.unknown("inside")
        session.assume("so")
        session.findings.setdefault(Finding(FaultCode.SHAPE_MISMATCH, "3 is not 4"))
    assert list(session.unknowns) == [Note("before")]
    assert not session.assumptions and not session.findings
    assert list(remarks.unknowns) == [Note("inside")]
    assert list(remarks.assumptions) == [Note("so")]
    assert list(remarks.findings) == [Finding(FaultCode.SHAPE_MISMATCH, "3 is not 4")]


def test_what_was_remarked_before_is_seen_inside() -> None:
    session, remarks = Session(), Remarks(unknowns={Note("its own"): None})
    session.unknown("before")
    with session.apart(remarks):
        assert list(session.unknowns) == [Note("before"), Note("its own")]


def test_remarks_are_kept_when_the_inside_fails() -> None:
    session, remarks = Session(), Remarks()
    try:
        with session.apart(remarks):
            session.unknown("inside")
            raise KeyError
    except KeyError:
        pass
    assert list(remarks.unknowns) == [Note("inside")] and not session.unknowns
