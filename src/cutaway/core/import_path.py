"""Where Cutaway's own imports are looked for: never in the working folder, which may be that of a hostile target.

Python looks there first at a prompt, with `-c` and with `-m`, so that a file such as `argparse.py` in it would be run.
This module is imported before anything else and imports only what Python itself has loaded when it starts; a future
statement would be an import as well.
"""

import _thread
import os
import sys

DROPPED: "list[str]" = []
"""Entries that were removed; the target's own imports are looked for in these, too."""


def drop_working_folder() -> bool:
    """Remove the working folder from `sys.path`, where Python has put it of its own accord; tell whether it was there."""
    try:
        here = os.getcwd()
    except OSError:  # it was deleted
        here = ""
    kept = [entry for at, entry in enumerate(sys.path) if entry and not (at == 0 and entry == here)]
    if len(kept) == len(sys.path):
        return False
    sys.path[:] = kept
    if here and here not in DROPPED:
        DROPPED.append(here)
    return True


class _State:
    """How many calls are in progress that keep the working folder out, and what to restore after the last one."""

    lock = _thread.allocate_lock()
    calls = 0
    path: "list[str]" = []
    dropped: "list[str]" = []


class WithoutWorkingFolder:
    """While this is entered, the working folder is not in `sys.path`; afterwards it is again, in its place."""

    def __enter__(self) -> None:
        with _State.lock:
            if _State.calls == 0:
                _State.path[:], _State.dropped[:] = sys.path, DROPPED
                drop_working_folder()
            _State.calls += 1

    def __exit__(self, *_: object) -> None:
        with _State.lock:
            _State.calls -= 1
            if _State.calls == 0:
                sys.path[:] = _State.path + [entry for entry in sys.path if entry not in _State.path]
                DROPPED[:] = _State.dropped
                _State.path.clear()
                _State.dropped.clear()
