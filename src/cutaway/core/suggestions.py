"""Suggestions for a name that is not found."""

from __future__ import annotations

from collections.abc import Iterable


def closest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that is most similar to `name`, if one is similar."""
    import difflib

    folded = {known.casefold(): known for known in names}
    matches = difflib.get_close_matches(name.casefold(), list(folded), 1)
    return folded[matches[0]] if matches else None


def suggestion(name: str, names: Iterable[str], quote: str = "") -> str:
    """Return a question to append to a message, empty where no name is similar."""
    match = closest(name, names)
    return f"; did you mean {quote}{match}{quote}?" if match else ""
