"""Calls of the host's own functions and methods with values that may be unknown or too large."""

from __future__ import annotations

from typing import Any

from cutaway.core import session
from cutaway.core.unknown import Undecidable, Unknown
from cutaway.interp.budget import ELEMENTS

# Methods whose answer hangs on the argument being equal to something in the container.
_SEARCHING = {"get", "pop", "index", "count", "setdefault", "__getitem__", "__contains__"}


def call_native(function: Any, args: list[Any], kwargs: dict[str, Any]) -> Any:
    """Call a built-in function or method of the host."""
    owner = function.__self__
    unknown = next((a for a in args if type(a) is Unknown), None)
    if isinstance(owner, (str, bytes, bytearray)):
        if unknown is None and function.__name__ == "join" and args:
            args = [list(args[0])] if not isinstance(args[0], (str, bytes)) else args
            unknown = next((a for a in args[0] if type(a) is Unknown), None)
        if unknown is None:
            unknown = next((a for a in kwargs.values() if type(a) is Unknown), None)
        if unknown is not None:
            return Unknown("text made of an unknown value", unknown.place)
        if any(isinstance(a, int) and a > ELEMENTS for a in args):
            return session.current().unknown("a text would be too large to build")
    elif unknown is not None and args[0] is unknown and function.__name__ in _SEARCHING:
        if isinstance(owner, (dict, list, tuple, set, frozenset)):
            return unknown
    try:
        return function(*args, **kwargs)
    except Undecidable as undecidable:
        if type(undecidable) is not Undecidable:
            raise
        return undecidable.unknown
