"""Strings that the target formats: limits on their size, and nothing of the host in them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cutaway.core import session
from cutaway.core.open_sizes import is_open
from cutaway.core.pattern import pattern
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Unknown
from cutaway.interp.run.budget import ELEMENTS
from cutaway.interp.run.iteration import has_random_order

_MAX_WIDTH = 100_000

_NUMBERS = pattern(r"\d+")


def size_in_string(size: Dim) -> str:
    """Return a size as it appears in a string: in braces."""
    text = f"{{{size}}}"
    session.current().sizes_in_strings.add(text)
    return text


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


_TRACES = pattern(r" at 0x[0-9A-Fa-f]|\bcutaway\.(?:core|interp|knowledge)\.")
_CONTAINERS = frozenset((list, tuple, dict))
_DEPTH, _MOST_ITEMS = 4, 1000


def without_traces(text: Any) -> Any:
    """Return a string, or an unknown where it shows an address, which differs from run to run, or a class of ours."""
    if type(text) is str and (" at 0x" in text or "cutaway." in text) and _TRACES.search(text):
        return Unknown("the text of an object shows where it is in memory", session.current().place())
    return text


def text_of(convert: Callable[[Any], Any], value: Any) -> Any:
    """Return `convert(value)`, a string, or an unknown where it would be another in each run of the program."""
    if type(value) is Dim:
        return size_in_string(value)
    if is_open(value):
        return Unknown("a string with a symbolic size in it", session.current().place())
    if shows_order(value):
        return Unknown("the text of a set shows its order, which differs from run to run", session.current().place())
    return without_traces(convert(value))


def shows_order(value: Any, depth: int = _DEPTH) -> bool:
    """Tell whether a value is a set without a certain order, or contains one near the top."""
    if type(value) not in _CONTAINERS:
        return has_random_order(value)
    if not depth:
        return False
    items = [*value, *value.values()] if type(value) is dict else value
    return any(shows_order(item, depth - 1) for item in items[:_MOST_ITEMS])
