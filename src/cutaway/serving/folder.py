"""What a folder has to show: programs that may define networks, and saved files; and whether something has changed."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from contextlib import suppress

from cutaway._api import network_files
from cutaway.core.error import CutawayError
from cutaway.formats.dispatch import is_saved

_SOURCES = (".py", ".ipynb")
_WATCHED = (*_SOURCES, ".json", ".yaml", ".yml", ".toml")
"""Endings of files whose change may change a network: a program, or what it reads."""
_SKIPPED = frozenset(("node_modules", "site-packages", "__pycache__"))
_MOST_FILES = 20_000


class Folder:
    """A folder tree; paths of its files are relative to it, with `/` between the parts."""

    def __init__(self, root: str) -> None:
        self.root = os.path.abspath(root)

    def targets(self) -> list[str]:
        """Return the files that can be shown, in order."""
        programs = network_files(self.root)
        if programs is None:  # the folder itself is one network
            return ["."]
        saved = [path for path in self._files() if not path.endswith(_SOURCES) and _is_saved(path)]
        return sorted({os.path.relpath(path, self.root).replace(os.sep, "/") for path in (*programs, *saved)})

    def state(self) -> str:
        """Return a text that differs once a file is added, removed or written."""
        digest = hashlib.sha256()
        for path in self._files():
            with suppress(OSError):
                found = os.stat(path)
                digest.update(f"{path}\0{found.st_mtime_ns}\0{found.st_size}\n".encode("utf-8", "surrogateescape"))
        return digest.hexdigest()

    def _files(self) -> Iterator[str]:
        """Yield the files that are not hidden, of an environment, or links, up to a number."""
        left = _MOST_FILES
        for folder, names, files in os.walk(self.root):
            if "pyvenv.cfg" in files:
                names.clear()
                continue
            names[:] = sorted(name for name in names if not name.startswith(".") and name not in _SKIPPED)
            for name in sorted(files):
                path = os.path.join(folder, name)
                if not name.startswith(".") and os.path.isfile(path) and not os.path.islink(path):
                    left -= 1
                    if left < 0:
                        return
                    yield path


def _is_saved(path: str) -> bool:
    try:
        return not path.endswith(_WATCHED) and is_saved(path)
    except (CutawayError, OSError):  # it can't be opened
        return False
