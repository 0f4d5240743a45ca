"""What a command leaves behind: output, whole or not at all, and its exit code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError
from cutaway.isolation.channel import CHANNEL, RESULT
from cutaway.isolation.files import write_file


def write(text: str | bytes, path: str | None) -> None:
    """Write a result to a file, or to standard output where no path is given."""
    if path is None:
        if isinstance(text, bytes):
            sys.stdout.buffer.write(text)
        else:
            sys.stdout.write(text)
        sys.stdout.flush()
        return
    content = text.encode() if isinstance(text, str) else text
    if CHANNEL.sealed:
        CHANNEL.send(RESULT, content)  # to the parent, which was told the path
        return
    try:
        write_file(content, path)
    except OSError as error:
        raise CutawayError(f"{path}: can't be written ({error.strerror})") from None


def exit_code(options: argparse.Namespace, found: Iterable[Architecture], otherwise: int = 0) -> int:
    """Return 1 if a network has faults, or with --strict if something in it is unknown."""
    from cutaway.passes.completeness import incompleteness  # late: --help needs none of it

    networks = list(found)
    if any(architecture.diagnostics for architecture in networks):
        return 1
    if options.strict and any(incompleteness(architecture) for architecture in networks):
        return 1
    return otherwise


def warn(found: Iterable[Architecture]) -> None:
    """Print which networks are incomplete, for output that has no place for it."""
    from cutaway.passes.completeness import all_incompleteness  # late: --help needs none of it

    for line in all_incompleteness(found):
        print(f"cutaway: {line}", file=sys.stderr)
