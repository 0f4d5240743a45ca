"""`cutaway unique`: the unique modules of a network."""

from __future__ import annotations

import argparse
from typing import Any

from cutaway.commands.inventory import modules_of, one
from cutaway.commands.options import add_output, add_target
from cutaway.commands.output import exit_code, write
from cutaway.passes.unique_modules import FULL, KEYS
from cutaway.report.inventory import IDS, NUMBERED


def add(commands: Any) -> None:
    """Enter the command into the parser."""
    unique = commands.add_parser(
        "unique",
        help="list the distinct modules of a network",
        description="List the distinct modules of a network: those that differ in class, configuration, shapes, element "
        "types or submodules. Each is listed once, with all of its occurrences.",
        epilog="exit code: 0 on success, 1 if the network has faults or, with --strict, unknowns, 2 on error",
    )
    add_target(unique)
    unique.add_argument("--key", choices=KEYS, default=FULL, help="when modules count as the same (default: full)")
    unique.add_argument(
        "--ids",
        choices=IDS,
        default=NUMBERED,
        help="numbered: mod_004, (root); named: mod_004_conv1, full_model (default: numbered)",
    )
    unique.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_output(unique)
    unique.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from cutaway.report import inventory, inventory_text  # late: --help needs none of it

    architecture = one(options, options.target)
    document = modules_of(architecture, options, key=options.key, ids=options.ids)
    text = inventory.dumps(document) + "\n" if options.format == "json" else inventory_text.modules_text(document)
    write(text, options.output)
    return exit_code(options, [architecture])
