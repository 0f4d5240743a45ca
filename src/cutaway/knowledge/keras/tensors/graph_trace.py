"""Calls of a program that builds a graph, kept to be followed again with what is fed."""

from __future__ import annotations

from typing import Any

from cutaway.core.program_state import Key

TRACE: Key[list[Any] | None] = Key(list)
"""The calls: function, arguments and result. None while they are followed; nothing where no graph is built."""

BUILDING: Key[bool] = Key(lambda: True)
"""Set as soon as the program builds a graph."""


def start() -> None:
    """Keep calls from now on."""
    if not TRACE.is_set():
        TRACE.set([])
