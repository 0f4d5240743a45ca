"""`cutaway serve`: the networks and saved files of a folder, in the browser."""

from __future__ import annotations

import argparse
import os
from typing import Any

from cutaway.core.error import CutawayError


def add(commands: Any) -> None:
    """Enter the command into the parser."""
    serve = commands.add_parser(
        "serve",
        help="browse the networks and saved files of a folder",
        description="Serve a page on this machine that lists the networks and saved files below a folder, shows each, and "
        "follows changes. Nothing of them is run. The address has a token, which other users of the machine don't have.",
        epilog="exit code: 130 when it is interrupted, 2 on error",
    )
    serve.add_argument("folder", metavar="DIR", nargs="?", default=".", help="default: the current folder")
    serve.add_argument("--host", default="127.0.0.1", help="the address to listen on (default: this machine alone)")
    serve.add_argument("--port", type=int, default=0, help="default: a free one")
    serve.add_argument("--no-browser", action="store_true", help="only print the address")
    serve.add_argument(
        "--file-timeout", type=float, default=30.0, metavar="SECONDS", help="time limit for a file (default: 30)"
    )
    serve.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    # late: --help needs none of it
    from cutaway.isolation.browser import open_address
    from cutaway.serving.folder import Folder
    from cutaway.serving.server import Server, Site

    if not os.path.isdir(options.folder):
        raise CutawayError(f"{options.folder}: is not a folder; `cutaway view` shows a single target")
    try:
        server = Server(Site(Folder(options.folder), options.file_timeout), options.host, options.port)
    except (OSError, OverflowError) as error:
        raise CutawayError(f"can't listen on {options.host} port {options.port} ({error})") from None
    print(f"{server.address}\nCtrl-C ends it", flush=True)
    if not options.no_browser:
        open_address(server.address)
    with server:
        server.serve_forever()
    return 0
