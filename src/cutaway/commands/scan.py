"""`cutaway scan`: what a file would run if it were loaded."""

from __future__ import annotations

import argparse
from typing import Any

from cutaway.commands.options import add_output, seconds
from cutaway.commands.output import write


def add(commands: Any) -> None:
    """Enter the command into the parser."""
    scan = commands.add_parser(
        "scan",
        help="show what a saved file would run if it were loaded",
        description="Show what loading a file would run: imports and calls in pickles at any nesting, byte code, operators "
        "that touch files, templates, and archives that readers disagree about. Nothing is loaded.",
        epilog="exit code: 0 if nothing runs but the reconstruction of data, 1 if something else would run, 2 on error",
    )
    scan.add_argument("target", metavar="PATH", nargs="+", help="a file, or a folder of files")
    scan.add_argument("--format", choices=("text", "json", "sarif"), default="text", help="default: text")
    scan.add_argument("--all", action="store_true", help="list files of a folder that run nothing, too")
    scan.add_argument(
        "--strict", action="store_true", help="exit with code 1 also if a file imports code that is not in it"
    )
    scan.add_argument(
        "--timeout", type=seconds, default=600.0, metavar="SECONDS", help="time limit of the scan (default: 600)"
    )
    add_output(scan)
    scan.set_defaults(run=_run, live=False, no_cache=True, path=[], arguments=None)


def _run(options: argparse.Namespace) -> int:
    # late: --help needs none of it
    from cutaway.scan import report
    from cutaway.scan.files import scan_path

    reports = [each for path in options.target for each in scan_path(path)]
    if options.format == "text":
        text = report.text(reports, options.all)
    else:
        text = report.sarif(reports) if options.format == "sarif" else report.document(reports)
    write(text, options.output)
    return report.exit_code(reports, options.strict)
