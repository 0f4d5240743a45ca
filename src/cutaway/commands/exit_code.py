"""The exit code of a command that reads targets: 1 if a network has faults, or is incomplete where that is not accepted."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable

from cutaway.core.architecture import Architecture


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
