"""`cutaway unique`: the unique modules of a network."""

from __future__ import annotations

import argparse
from typing import Any

from cutaway.commands.inventory import modules_of, one
from cutaway.commands.options import add_arguments, add_output, add_target
from cutaway.commands.output import write
from cutaway.passes.unique_modules import FULL, KEYS
from cutaway.report.inventory import IDS, NUMBERED


def add(commands: Any) -> None:
    """Enter the command into the parser."""
    unique = commands.add_parser(
        "unique",
        help="the modules of a network that differ, each once",
        description="List the modules of a network that differ in class, configuration, shapes, element types or in "
        "what is below them, each once, with all its occurrences.",
        epilog="exit code: 0 listed, 2 could not be done",
    )
    add_target(unique)
    add_arguments(unique)
    unique.add_argument("--key", choices=KEYS, default=FULL, help="what makes modules the same (default: full)")
    unique.add_argument(
        "--ids", choices=IDS, default=NUMBERED, help="mod_004 and (root), or mod_004_conv1 and full_model"
    )
    unique.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_output(unique)
    unique.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from cutaway.report import inventory, inventory_text  # late: --help needs none of it

    document = modules_of(one(options, options.target), options, key=options.key, ids=options.ids)
    text = inventory.dumps(document) + "\n" if options.format == "json" else inventory_text.modules_text(document)
    write(text, options.output)
    return 0
