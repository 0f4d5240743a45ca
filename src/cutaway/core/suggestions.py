"""Suggestions for a name that is not found."""

from __future__ import annotations

from collections.abc import Iterable


def closest(name: str, names: Iterable[str], likeness: float = 0.6) -> str | None:
    """Return the name that is most similar to `name`, if one is similar."""
    import difflib

    folded = {known.casefold(): known for known in names}
    matches = difflib.get_close_matches(name.casefold(), list(folded), 1, likeness)
    return folded[matches[0]] if matches else None


def suggestion(name: str, names: Iterable[str], quote: str = "") -> str:
    """Return a question to append to a message, empty where no name is similar."""
    match = closest(name, names, 0.65 if quote else 0.6)
    return f"; did you mean {quote}{match}{quote}?" if match else ""
