"""How large values really are: a class of the target may say anything about its objects, or answer differently each time."""

from __future__ import annotations

import operator
from array import array
from collections import UserList, UserString, deque
from typing import Any

from cutaway.interp.boundary.gate import is_host_class

SEQUENCES = (str, bytes, bytearray, list, tuple, deque, array, UserList, UserString)


def length(sequence: Any) -> int:
    """Return the length of a sequence as its built-in base has it."""
    kind = type(sequence)
    if issubclass(kind, (UserList, UserString)):
        data = object.__getattribute__(sequence, "__dict__").get("data", ())
        return length(data) if issubclass(type(data), SEQUENCES) else 0
    for base in SEQUENCES:
        if issubclass(kind, base):
            return base.__len__(sequence)
    return len(sequence)


def as_index(value: Any) -> Any:
    """Return the number for which an object of the target stands, asked once; anything else as it is."""
    kind = type(value)
    if kind is int or is_host_class(kind):
        return value
    if issubclass(kind, int):
        return int.__int__(value)
    defines = any(
        "__index__" in type.__getattribute__(base, "__dict__") for base in type.__getattribute__(kind, "__mro__")
    )
    return operator.index(value) if defines else value
