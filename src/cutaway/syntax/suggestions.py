"""What a name that is not found may have been meant to be."""

from __future__ import annotations

import os
from collections.abc import Iterable

from cutaway.core import disk


def closest(name: str, names: Iterable[str]) -> str | None:
    """Return the name that is most like `name`, if one is like it."""
    import difflib

    folded = {known.casefold(): known for known in names}
    found = difflib.get_close_matches(name.casefold(), list(folded), 1)
    return folded[found[0]] if found else None


def meant(name: str, names: Iterable[str]) -> str:
    """Return a question to put behind a message, empty where nothing is near."""
    found = closest(name, names)
    return f"; did you mean {found}?" if found else ""


def meant_file(path: str) -> str:
    """Return a question that names a Python file near `path`, empty where there is none."""
    folder, name = os.path.split(path)
    try:
        files = disk.names(folder or ".", ".py")
    except OSError:
        return f"; there is no folder {folder} either" if folder and not disk.is_folder(folder) else ""
    found = closest(name, files)
    return f"; did you mean {os.path.join(folder, found)}?" if found else ""
