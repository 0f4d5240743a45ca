"""`cutaway verify`: the static result of a target against the network that it makes when it runs."""

from __future__ import annotations

import argparse
import json
from typing import Any

from cutaway.commands.options import add_output, add_reading, architectures
from cutaway.commands.output import exit_code, write
from cutaway.core.error import CutawayError


def add(commands: Any) -> None:
    """Enter the command into the parser."""
    verify = commands.add_parser(
        "verify",
        help="compare the static result with the running network",
        description="Read a target from source, then import and RUN it, and compare fact by fact: modules, "
        "configurations, weights, the shapes of every call, outputs, operations, multiply-accumulates.",
        epilog="exit code: 0 if no fact is wrong, 1 if one is, or the network has faults or, with --strict, unknowns, 2 on error",
    )
    verify.add_argument("target", metavar="TARGET", help="as for cutaway show")
    add_reading(verify, live=False)
    verify.add_argument(
        "--via",
        choices=("calls", "export", "onnx"),
        default="calls",
        help="how to observe operations: as API calls (default), or through torch.export or torch.onnx",
    )
    verify.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    verify.add_argument("--all", action="store_true", help="list all wrong and unknown facts")
    add_output(verify)
    verify.set_defaults(run=_run, live=True)


def _run(options: argparse.Namespace) -> int:
    # late: --help needs none of it
    from cutaway.knowledge.base.op_aliases import common
    from cutaway.passes.compare import WRONG, compare
    from cutaway.report import verification

    static = architectures(options, options.target, live=False)
    live = {each.name: each for each in architectures(options, options.target, live=True)}
    facts = []
    for architecture in static:
        if architecture.name not in live:
            raise CutawayError(f"{options.target}: {architecture.name} is not made when it runs; name one network")
        words = None if options.via == "calls" else common
        facts += compare(architecture, live[architecture.name], words)
    if options.format == "json":
        text = json.dumps(verification.document(options.target, facts), indent=1) + "\n"
    else:
        text = verification.text(options.target, facts, everything=options.all)
    write(text, options.output)
    return exit_code(options, static, otherwise=1 if any(fact.verdict == WRONG for fact in facts) else 0)
