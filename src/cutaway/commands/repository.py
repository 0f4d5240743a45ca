"""The networks of a repository: each file that may have some is shown by itself."""

from __future__ import annotations

import argparse
import copy
import gc
import os
import time
from collections.abc import Sequence
from contextlib import suppress

from cutaway.commands.options import architectures
from cutaway.core import disk
from cutaway.core.error import CutawayError
from cutaway.core.progress import PROGRESS
from cutaway.report.listing import File

_FILE_SECONDS = 15.0  # that one file may take


def read_files(options: argparse.Namespace, paths: Sequence[str]) -> list[File]:
    """Return the networks of files, with the reason where a file has none that can be shown.

    The time limit is one of all files together.
    """
    deadline = time.monotonic() + options.timeout
    options = copy.copy(options)
    files: list[File] = []
    for number, path in enumerate(paths, 1):
        path = os.path.normpath(path)
        PROGRESS.title = f"{number} of {len(paths)}: {path}"
        PROGRESS.tick()
        options.timeout = min(_FILE_SECONDS, deadline - time.monotonic())
        if options.timeout <= 0:
            files.append(File(path, (), f"{path}: the time ran out before it was read; --timeout allows more"))
            continue
        try:
            files.append(File(path, architectures(options, path)))
        except CutawayError as error:
            files.append(File(path, (), "" if error.lacks_network else str(error)))
        gc.collect()  # an analysis leaves cycles behind
    PROGRESS.title = ""
    return files


def saved_files(folder: str) -> list[str]:
    """Return the saved files in a folder, without those below it."""
    from cutaway.formats.dispatch import is_saved  # late: only a folder without programs needs it

    paths = []
    for name in disk.names(folder):
        path = os.path.normpath(os.path.join(folder, name))
        with suppress(CutawayError):  # it can't be opened
            paths += [path] if is_saved(path) else []
    return paths
