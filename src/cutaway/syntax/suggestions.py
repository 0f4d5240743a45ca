"""Suggestions for a name that is not found."""

from __future__ import annotations

import os
from collections.abc import Iterable

from cutaway.core import disk


def closest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that is most similar to `name`, if one is similar."""
    import difflib

    folded = {known.casefold(): known for known in names}
    matches = difflib.get_close_matches(name.casefold(), list(folded), 1)
    return folded[matches[0]] if matches else None


def suggestion(name: str, names: Iterable[str]) -> str:
    """Return a question to append to a message, empty where no name is similar."""
    match = closest(name, names)
    return f"; did you mean {match}?" if match else ""


def file_suggestion(path: str) -> str:
    """Return a question that names a Python file with a similar path, empty where there is none."""
    folder, name = os.path.split(path)
    try:
        files = disk.names(folder or ".", ".py")
    except OSError:
        return f"; there is no folder {folder} either" if folder and not disk.is_folder(folder) else ""
    match = closest(name, files)
    return f"; did you mean {os.path.join(folder, match)}?" if match else ""
