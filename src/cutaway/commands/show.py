"""`cutaway show`: the architecture of a network."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from typing import Any

from cutaway.commands.options import add_output, add_target, architectures
from cutaway.commands.output import exit_code, write
from cutaway.core.error import CutawayError


def add(commands: Any) -> None:
    """Enter the command into the parser."""
    show = commands.add_parser(
        "show",
        help="show the architecture of a network",
        description="Show the architecture of a network, read from source. The target is not run unless you pass --live.",
        epilog="exit code: 0 on success, 1 if the network has faults or, with --strict, unknowns, 2 on error",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add_target(show)
    show.add_argument(
        "--format", choices=("table", "tree", "summary", "json", "tensorboard"), default="table", help="default: table"
    )
    add_output(show)
    show.add_argument("--depth", type=_positive, metavar="N", help="show only N levels of modules")
    show.add_argument(
        "--explain",
        action="store_true",
        help="show the causes of unknowns, and how much of the network depends on each",
    )
    show.add_argument("--no-fold", action="store_true", help="list repeated modules one by one")
    show.set_defaults(run=_run, destination=_destination)


def _run(options: argparse.Namespace) -> int:
    if os.path.isdir(options.target) and not options.live:
        from cutaway._api import network_files  # late: only a folder needs it

        paths = network_files(options.target)
        if paths is not None:
            return _list_networks(options, paths)
    found = architectures(options, options.target)
    if options.format == "tensorboard":
        _write_events(found, options)
    else:
        write(_render(found, options), options.output)
    return exit_code(options, found)


def _list_networks(options: argparse.Namespace, paths: Sequence[str]) -> int:
    """List the networks of a repository."""
    # late: only a repository needs them
    from cutaway.commands.repository import read_files
    from cutaway.report import listing

    if not paths:
        raise CutawayError(f"{options.target}: no file in it defines a network, and it has no config.json")
    files = read_files(options, paths)
    found = [network for file in files for network in file.networks]
    if options.format == "table" and not options.explain:
        write(listing.render(options.target, files), options.output)
    else:
        write(_render(found, options), options.output)
    return exit_code(options, found)


def _write_events(found: Any, options: argparse.Namespace) -> None:
    """Write an event file; into a folder, under a name that TensorBoard looks for."""
    from cutaway.formats import tensorboard  # late: only this output form needs it

    if options.output is None or len(found) != 1:
        what = "names one network" if options.output else "needs --output: a folder of runs, or a file"
        raise CutawayError(f"{options.target}: --format tensorboard {what}")
    write(tensorboard.write(found[0]), _destination(options))


def _destination(options: argparse.Namespace) -> str | None:
    """Return where the result is written to; in a folder, it gets a name that TensorBoard looks for."""
    path: str | None = options.output
    if path is None or options.format != "tensorboard" or not os.path.isdir(path):
        return path
    return os.path.join(path, f"events.out.tfevents.{int(time.time())}.cutaway")


def _render(found: Any, options: argparse.Namespace) -> str:
    if options.format == "json":
        from cutaway.report import json  # late: only this output form needs it

        return json.dumps(found) + "\n"
    from cutaway.report import terminal  # late: JSON needs no terminal

    seen = terminal.detect(sys.stdout)
    if options.output:
        seen = terminal.Terminal(seen.width, False, True)
    if options.explain:
        from cutaway.report import causes  # late: only --explain needs it

        return causes.render(found, width=seen.width, colour=seen.colour, unicode=seen.unicode)
    form = import_module(f"cutaway.report.{options.format}")
    text: str = form.render(
        found,
        width=seen.width,
        colour=seen.colour,
        unicode=seen.unicode,
        depth=options.depth,
        fold=not options.no_fold,
    )
    return text


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of levels: give 1 or more")
    return int(text)
