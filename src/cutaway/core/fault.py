"""Definite faults of the target, raised where its framework would raise."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault_code import FaultCode


class Fault(RuntimeError):
    """The target would fail here; `code` is the kind of fault.

    It is a `RuntimeError` because that is what a framework raises: a target that catches one
    catches this. Every rule passes a code. The default is for the target's own `raise type(error)(message)`.
    """

    def __init__(self, message: str, code: FaultCode = FaultCode.CHECK_FAILED) -> None:
        super().__init__(message)
        self.code = code
        self.reported = False
        self.in_network = False  # a network that is being called raises it
        self.finding: Any = None  # its record in the session


class ArgumentFault(Fault, ValueError):
    """A value that the framework rejects with `ValueError`."""


class TypeFault(Fault, TypeError):
    """A value that the framework rejects with `TypeError`."""


class IndexFault(Fault, IndexError):
    """A dimension or an index that is out of range."""


class KeyFault(Fault, KeyError):
    """A name or a key that is taken, or that does not exist."""

    __str__ = Fault.__str__  # a KeyError shows the representation of its message


class NotImplementedFault(Fault, NotImplementedError):
    """An operation that the framework itself does not implement for these values."""


class AssertionFault(Fault, AssertionError):
    """A value that the framework rejects with an assertion."""


class AttributeFault(Fault, AttributeError):
    """A value that lacks what the framework looks for in it."""
