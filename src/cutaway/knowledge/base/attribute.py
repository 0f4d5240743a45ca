"""Attributes whose names a program computes, of objects that belong to it.

A row that gets the name of an attribute from data reads and sets it as the program itself may: through the interpreter,
which keeps the objects of the host out of reach. The architecture test refuses `getattr` and its like with a computed name.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


class Access:
    """How attributes are read, set and deleted; the interpreter replaces the three functions."""

    def __init__(self) -> None:
        self.read: Callable[[Any, Any], Any] = getattr
        self.write: Callable[[Any, Any, Any], None] = setattr
        self.remove: Callable[[Any, Any], None] = delattr


ACCESS = Access()
_ABSENT = object()


def get(owner: Any, name: str, default: Any = _ABSENT) -> Any:
    """`getattr(owner, name)`, with a default if one is given."""
    if default is _ABSENT:
        return ACCESS.read(owner, name)
    try:
        return ACCESS.read(owner, name)
    except AttributeError:
        return default


def has(owner: Any, name: str) -> bool:
    """`hasattr(owner, name)`."""
    return get(owner, name, _ABSENT_HERE) is not _ABSENT_HERE


_ABSENT_HERE = object()


def put(owner: Any, name: str, value: Any) -> None:
    """`setattr(owner, name, value)`."""
    ACCESS.write(owner, name, value)


def delete(owner: Any, name: str) -> None:
    """`delattr(owner, name)`."""
    ACCESS.remove(owner, name)
