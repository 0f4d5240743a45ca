"""`cutaway view`: a page to look at a network, or at how two networks differ, in the browser."""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from typing import Any

from cutaway.commands.options import TARGET, add_output, add_reading, architectures, only
from cutaway.commands.output import exit_code, write
from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError
from cutaway.isolation.channel import CHANNEL, OPEN

_MOST = 2


def add(commands: Any) -> None:
    """Enter the command into the parser."""
    view = commands.add_parser(
        "view",
        help="look at a network in the browser",
        description="Write a page that shows a network, and open it in the browser. With two targets, it shows how the "
        "second differs from the first. The page is one file that loads nothing from anywhere.",
        epilog="exit code: 0 on success, 1 if a network has faults or, with --strict, unknowns, 2 on error",
    )
    view.add_argument("target", metavar="TARGET", nargs="+", help=TARGET)
    add_reading(view)
    add_output(view)
    view.add_argument("--format", choices=["html"], default="html", help="the page is always HTML")
    view.add_argument("--no-browser", action="store_true", help="only write the page, and print where it is")
    view.set_defaults(run=_run, destination=_destination)


def _destination(options: argparse.Namespace) -> str:
    """Return the file that the page is written to; a temporary one, which stays, where none is named."""
    if len(options.target) > _MOST:
        raise CutawayError(f"view shows one target, or compares two; {len(options.target)} are given")
    if options.output is None:
        name = re.sub(r"\W+", "-", options.target[-1])[-40:].strip("-") or "network"
        options.output = os.path.join(tempfile.mkdtemp(prefix="cutaway-"), f"{name}.html")
    if CHANNEL.is_open and not options.no_browser:
        CHANNEL.send(OPEN)
    return str(options.output)


def _run(options: argparse.Namespace) -> int:
    # late: --help needs none of it
    from cutaway.passes.diff import diff
    from cutaway.report import page

    path = options.output if CHANNEL.sealed else _destination(options)
    networks: list[Architecture] = []
    difference = None
    if len(options.target) == _MOST:
        networks = [only(architectures(options, target), target) for target in options.target]
        difference = diff(*networks)
    else:
        networks = list(architectures(options, options.target[0]))
    write(page.render(networks, difference), path)
    if not options.quiet:
        print(path, file=sys.stderr)
    if not CHANNEL.is_open and not options.no_browser:
        from cutaway.isolation.browser import open_page  # late: only where there is no parent that does it

        open_page(path)
    return exit_code(options, networks)
