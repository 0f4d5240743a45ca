"""Suggestions for a file that is not found."""

from __future__ import annotations

import os

from cutaway.core import disk
from cutaway.core.suggestions import closest


def file_suggestion(path: str) -> str:
    """Return a question that names a Python file with a similar path, empty where there is none."""
    folder, name = os.path.split(path)
    try:
        files = disk.names(folder or ".", ".py")
    except OSError:
        return f"; there is no folder {folder} either" if folder and not disk.is_folder(folder) else ""
    match = closest(name, files)
    return f"; did you mean {os.path.join(folder, match)}?" if match else ""
