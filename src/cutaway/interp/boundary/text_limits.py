"""Limits on strings whose layout the target chose."""

from __future__ import annotations

import re
from typing import Any

from cutaway.core import session
from cutaway.core.size.dim import Dim, symbols
from cutaway.core.unknown import Unknown
from cutaway.interp.run.budget import ELEMENTS

_WIDEST = 100_000

_NUMBERS = re.compile(r"\d+")


def symbolic_text(size: Dim) -> str:
    """Return a size in a text; what differs between the turns of a repeat, or is an argument, stands in braces."""
    here = session.current()
    named = {*here.arguments, *(turns.index for turns in here.turns)}
    return f"{{{size}}}" if named & {one.name for one in symbols(size)} else str(size)


def is_wide(style: str) -> bool:
    """Tell whether a format specification asks for more characters than is sensible."""
    return any(len(number) > 6 or int(number) > _WIDEST for number in _NUMBERS.findall(style))


def too_wide() -> Unknown:
    """Record that a text is not made."""
    return session.current().unknown("a formatted text would be too large to build")


def joined(texts: list[str]) -> Any:
    """Return texts put together, unless that is too large."""
    if len(texts) > 1 and sum(map(len, texts)) > ELEMENTS:
        return too_wide()
    return "".join(texts)
