"""`cutaway diff` and `cutaway fingerprint`: two networks compared, and a hash of one."""

from __future__ import annotations

import argparse
import json
from typing import Any

from cutaway.commands.options import LIVE, TARGET, add_output, add_reading, architectures, only
from cutaway.commands.output import exit_code, warn, write
from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError
from cutaway.formats.dispatch import is_saved

_FORMS = "a target, a saved file, a JSON file from `show --format json`, or live:TARGET to RUN the target"


def add(commands: Any) -> None:
    """Enter the commands into the parser."""
    diff = commands.add_parser(
        "diff",
        help="show what changed between two networks",
        description="Compare two networks: modules that were added, removed, renamed, or changed in configuration, "
        "weights or wiring, and the effect on parameters and multiply-accumulates.",
        epilog="exit code: 0 if the networks are equal, 1 if they differ or one has faults or, with --strict, unknowns, 2 on error",
    )
    diff.add_argument("before", metavar="A", help=_FORMS)
    diff.add_argument("after", metavar="B", help=_FORMS)
    add_reading(diff, live=False)
    diff.add_argument("--format", choices=("text", "json", "markdown"), default="text", help="default: text")
    add_output(diff)
    diff.set_defaults(run=_diff, live=False)
    fingerprint = commands.add_parser(
        "fingerprint",
        help="print a hash of a network",
        description="Print a hash of a network's weights and dataflow. The hash does not depend on the versions of "
        "the framework and of Python, or on the order of definitions.",
        epilog="exit code: 0 on success, 1 if the network has faults or, with --strict, unknowns, 2 on error",
    )
    fingerprint.add_argument("target", metavar="TARGET", help=TARGET)
    add_reading(fingerprint)
    fingerprint.add_argument("--no-names", action="store_true", help="ignore the names of modules and weights")
    add_output(fingerprint)
    fingerprint.set_defaults(run=_fingerprint)


def _diff(options: argparse.Namespace) -> int:
    # late: --help needs none of it
    from cutaway.passes.diff import diff
    from cutaway.report import diff_text

    before, after = _one(options, options.before), _one(options, options.after)
    difference = diff(before, after)
    if options.format == "json":
        text = json.dumps(diff_text.document(options.before, options.after, difference), indent=1) + "\n"
    else:
        render = diff_text.markdown if options.format == "markdown" else diff_text.text
        text = render(options.before, options.after, difference) + _fit(before, after)
    write(text, options.output)
    warn([before, after], options)
    return exit_code(options, [before, after], otherwise=1 if difference else 0)


def _fit(before: Architecture, after: Architecture) -> str:
    """Say whether the weights of a file fit a network, where one is a file and the other is not."""
    # late: --help needs none of it
    from cutaway.passes.module_matching import has_classes
    from cutaway.passes.weight_contents import is_renamed
    from cutaway.passes.weight_fit import fit

    if has_classes(before) == has_classes(after):
        return ""
    network, file = (before, after) if has_classes(before) else (after, before)
    if is_renamed(file, network):
        return "\nthe file has names of its own for all weights: they are compared by their sizes\n"
    return "\n" + "\n".join(fit(network, file).lines()) + "\n"


def _fingerprint(options: argparse.Namespace) -> int:
    from cutaway.passes.fingerprint import fingerprint  # late: --help needs none of it

    network = _one(options, options.target, live=options.live)
    warn([network], options)
    write(f"{fingerprint(network, names=not options.no_names)}  {options.target}\n", options.output)
    return exit_code(options, [network])


def _one(options: argparse.Namespace, target: str, live: bool = False) -> Architecture:
    """Return the network of a target, of a JSON file, or of one that is run."""
    if target.startswith(LIVE):
        target, live = target.removeprefix(LIVE), True
    document = target.endswith(".json") and not is_saved(target)
    networks = _read(target) if document else architectures(options, target, live=live)
    return only(networks, target)


def _read(path: str) -> tuple[Architecture, ...]:
    from cutaway.report.json import MalformedDocument, loads  # late: only a JSON file needs it

    try:
        with open(path, encoding="utf-8") as file:
            return loads(file.read())
    except OSError as error:
        raise CutawayError(f"{path}: can't be read ({error.strerror})") from None
    except (MalformedDocument, UnicodeDecodeError, RecursionError) as error:
        raise CutawayError(f"{path}: {error}") from None
