"""`cutaway fit`: which class of a repository, with which arguments, a file of weights belongs to."""

from __future__ import annotations

import argparse
import json
import os
from typing import Any

from cutaway.commands.options import add_output, add_reading
from cutaway.commands.output import write
from cutaway.core.error import CutawayError

_PATIENCE = 20
"""Seconds to wait for each second of the processor that the search may take: the machine may be busy."""


def add(commands: Any) -> None:
    """Enter the command into the parser."""
    fit = commands.add_parser(
        "fit",
        help="find the class and arguments that a file of weights belongs to",
        description="Find which class of a repository or file, with which arguments, has the weights of a saved file.",
        epilog="exit code: 0 if all weights fit, 1 if none does in all of them, 2 on error",
    )
    fit.add_argument("target", metavar="PATH", nargs=2, help="a saved file, and a Python file or a folder of them")
    add_reading(fit, live=False)
    fit.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_output(fit)
    fit.set_defaults(run=_run, live=False, patience=_PATIENCE)


def _run(options: argparse.Namespace) -> int:
    # late: --help needs none of it
    from cutaway._api import fit

    weights, place = options.target
    if not os.path.exists(place):
        raise CutawayError(f"{place}: no such file or folder")
    matches = fit(weights, place, path=options.path, timeout=options.timeout)
    if options.format == "json":
        entries = [
            {
                "target": m.target,
                "exact": m.is_exact,
                "arguments": dict(m.arguments),
                "undetermined": m.undetermined,
                "fit": m.fit.lines(),
            }
            for m in matches
        ]
        text = json.dumps({"matches": entries}, indent=1) + "\n"
    else:
        text = _text(weights, matches)
    write(text, options.output)
    return 0 if matches and matches[0].is_exact else 1


def _text(weights: str, matches: Any) -> str:
    if not matches:
        return f"{weights}: no class there has such weights\n"
    lines = []
    for match in matches[:3]:
        lines.append(match.target)
        lines += [f"  {line}" for line in match.fit.lines()]
        if match.undetermined:
            lines.append(f"  no weight depends on {', '.join(match.undetermined)}")
        if match.is_exact:
            break
    return "\n".join(lines) + "\n"
