"""Limits on strings that the target formats."""

from __future__ import annotations

import re
from typing import Any

from cutaway.core import session
from cutaway.core.size.dim import Dim, symbols
from cutaway.core.unknown import Unknown
from cutaway.interp.run.budget import ELEMENTS

_MAX_WIDTH = 100_000

_NUMBERS = re.compile(r"\d+")


def size_in_string(size: Dim) -> str:
    """Return a size as it appears in a string: in braces if it is an argument or differs between iterations of a loop."""
    here = session.current()
    names = {*here.arguments, *(turns.index for turns in here.iterations)}
    return f"{{{size}}}" if names & {symbol.name for symbol in symbols(size)} else str(size)


def is_wide(style: str) -> bool:
    """Tell whether a format specification asks for too many characters."""
    return any(len(number) > 6 or int(number) > _MAX_WIDTH for number in _NUMBERS.findall(style))


def too_wide_string() -> Unknown:
    """Record that a string is not built."""
    return session.current().unknown("a formatted string would be too large to build")


def join_strings(strings: list[str]) -> Any:
    """Return the concatenation of strings, unless that is too large."""
    if len(strings) > 1 and sum(map(len, strings)) > ELEMENTS:
        return too_wide_string()
    return "".join(strings)
