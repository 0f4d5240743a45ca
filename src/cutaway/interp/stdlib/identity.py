"""`id` and `hash`: numbers that differ from run to run."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.condition import SOMETHING
from cutaway.core.unknown import Unknown, derived_unknown
from cutaway.interp.run.truth import opposite


class Identity(int):
    """A number that is another in every run of a program: it can be compared and looked up, and nothing else is known."""

    def _unknown(self, *_args: Any) -> Unknown:
        reason = "the identity or the hash of an object differs from run to run"
        return Unknown(reason, session.current().place(), kind=int, term=SOMETHING)

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __floordiv__ = __rfloordiv__ = _unknown  # type: ignore[assignment]
    __mod__ = __rmod__ = __truediv__ = __rtruediv__ = __and__ = __rand__ = __or__ = __ror__ = _unknown  # type: ignore[assignment]
    __xor__ = __rxor__ = __lshift__ = __rlshift__ = __rshift__ = __rrshift__ = __neg__ = __abs__ = _unknown  # type: ignore[assignment]
    __lt__ = __le__ = __gt__ = __ge__ = __invert__ = __pow__ = __rpow__ = _unknown  # type: ignore[assignment]

    def __eq__(self, other: object) -> Any:
        # A plain number that is equal is an identity too: one that the host has stored, such as in a memo of `copy`.
        equal = int.__eq__(self, other)
        return equal if equal is True or type(other) is Identity else self._unknown()

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return opposite(equal) if type(equal) is Unknown else not equal

    __hash__ = int.__hash__


def identity_of(value: Any) -> Identity:
    """`id`."""
    return Identity(id(value))


def hash_of(value: Any) -> Any:
    """`hash`: of numbers it is the same everywhere."""
    if type(value) is Unknown:
        return derived_unknown(value)
    return differing(value, hash(value))


def differing(value: Any, number: Any) -> Any:
    """Return the hash of a value, which differs from run to run unless it is a number."""
    return number if type(value) in (int, float, bool, complex) or type(number) is not int else Identity(number)
