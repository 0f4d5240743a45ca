"""What the call of a running network raised, as a fault of the network."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from cutaway.core.architecture import Architecture, Diagnostic, DiagnosticNote
from cutaway.core.error import describe_error
from cutaway.core.fault_code import FaultCode
from cutaway.core.session import Call, Session
from cutaway.knowledge.base.describe import class_name
from cutaway.live import framework_detection, user_line
from cutaway.live.failure import place_of


def with_failure(seen: Architecture, error: BaseException, notes: Iterable[DiagnosticNote]) -> Architecture:
    """Add what the call of a network raised to what was seen of it."""
    place = place_of(error, framework_detection.homes(), user_line.SHOWN)
    fault = Diagnostic(FaultCode.FORWARD_RAISES.value, describe_error(error), place, tuple(notes))
    return replace(seen, diagnostics=(*seen.diagnostics, fault))


def failing_call(gathered: Session) -> Call | None:
    """Return the innermost call that did not end."""
    return next((call for call in reversed(gathered.calls) if call.outputs is None), None)


def failed_in(name: str, call: Call) -> DiagnosticNote:
    """Return the note that names the module whose call failed, and what went into it."""
    shapes = ["x".join(map(str, reference.shape)) or "a number" for _, reference in call.inputs]
    return DiagnosticNote(f"in {name} ({class_name(type(call.module))}), given {', '.join(shapes) or 'no tensor'}")
