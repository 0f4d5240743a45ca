"""Where Cutaway's own imports are looked for: never in the working folder, which may be that of a hostile target.

Python looks there first at a prompt, with `-c` and with `-m`, so that a file such as `argparse.py` in it would be run.
This module is imported before anything else and imports only what Python itself has loaded when it starts; a future
statement would be an import as well.
"""

import os
import sys

DROPPED: "list[str]" = []
"""Entries that were removed; the target's own imports are looked for in these, too."""


def drop_working_folder() -> "list[str]":
    """Remove the working folder from `sys.path`, where Python has put it of its own accord; return what was removed."""
    try:
        here = os.getcwd()
    except OSError:  # it was deleted
        here = ""
    dropped = [entry for at, entry in enumerate(sys.path) if not entry or (at == 0 and entry == here)]
    if dropped:
        first = sys.path[0] in dropped
        sys.path[:] = [entry for at, entry in enumerate(sys.path) if entry and not (at == 0 and first)]
        DROPPED[:] = [*DROPPED, *(here for _ in dropped if here and here not in DROPPED)]
    return dropped


class WithoutWorkingFolder:
    """While this is entered, the working folder is not in `sys.path`; afterwards it is again, in its place."""

    def __enter__(self) -> None:
        self._before = list(sys.path)
        self._dropped = drop_working_folder()

    def __exit__(self, *_: object) -> None:
        if self._dropped:
            sys.path[:] = self._before + [entry for entry in sys.path if entry not in self._before]
