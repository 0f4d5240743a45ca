"""`cutaway show`: the architecture of a network."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from cutaway.commands.options import add_output, add_target, architectures
from cutaway.commands.output import write


def add(commands: Any) -> None:
    """Enter the command into the parser."""
    show = commands.add_parser(
        "show",
        help="the architecture of a network",
        description="Show the architecture of a network, read from its source. Nothing of the target is run, "
        "unless --live is given.",
        epilog="exit code: 0 shown, 1 shown and faults were found in it, 2 could not be shown",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_target(show)
    show.add_argument("--format", choices=("table", "tree", "json"), default="table", help="default: table")
    add_output(show)
    show.add_argument("--depth", type=_positive, metavar="N", help="show only N levels of modules")
    show.add_argument(
        "--explain",
        action="store_true",
        help="show where unknowns come from, and how much of the network hangs on each",
    )
    show.add_argument("--no-fold", action="store_true", help="show repeated modules one by one")
    show.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    found = architectures(options, options.target)
    write(_render(found, options), options.output)
    return 1 if any(architecture.diagnostics for architecture in found) else 0


def _render(found: Any, options: argparse.Namespace) -> str:
    if options.format == "json":
        from cutaway.report import json

        return json.dumps(found) + "\n"
    from cutaway.report import explanation, table, terminal, tree

    seen = terminal.detect(sys.stdout)
    if options.output:
        seen = terminal.Terminal(seen.width, False, True)
    if options.explain:
        return explanation.render(found, width=seen.width, colour=seen.colour, unicode=seen.unicode)
    render = tree.render if options.format == "tree" else table.render
    return render(
        found,
        width=seen.width,
        colour=seen.colour,
        unicode=seen.unicode,
        depth=options.depth,
        fold=not options.no_fold,
    )


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of levels: give 1 or more")
    return int(text)
