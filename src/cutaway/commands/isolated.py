"""A command behind the wall: what it will need is said first, then the wall is raised, then the target is read."""

from __future__ import annotations

import argparse

from cutaway.commands.options import LIVE, reading_arguments
from cutaway.isolation import child
from cutaway.isolation.channel import CHANNEL, DEADLINE, OUTPUT
from cutaway.isolation.readable import rights


def isolate(options: argparse.Namespace) -> None:
    """Raise the wall around this process, unless the command runs the target's code."""
    targets = _targets(options)
    if options.live or getattr(options, "check", False) or any(target.startswith(LIVE) for target in targets):
        return
    CHANNEL.send(DEADLINE, str(options.timeout * getattr(options, "patience", 1)))
    destination = getattr(options, "destination", None)
    options.output = destination(options) if destination else options.output
    if options.output is not None:
        CHANNEL.send(OUTPUT, options.output)
    if hasattr(options, "prepare"):
        options.prepare(options)
    if not options.no_cache:
        _name_entries(options, targets)
    backend = [options.backend] if getattr(options, "backend", None) else []
    readable = rights([*targets, *_arguments(options)], [*options.path, *_fonts(options)], [*backend, *CHANNEL.entries])
    child.enter(readable, options.timeout)
    options.isolated = False  # it is, as a whole


def _targets(options: argparse.Namespace) -> list[str]:
    if hasattr(options, "before"):
        return [options.before, options.after]
    return [options.target] if isinstance(options.target, str) else options.target


def _fonts(options: argparse.Namespace) -> list[str]:
    if getattr(options, "format", None) != "png":
        return []
    from cutaway.report.png import font_folders  # late: only this output form needs it

    return font_folders()


def _arguments(options: argparse.Namespace) -> list[str]:
    return [each for each in (options.arguments, getattr(options, "checkpoint", None)) if each]


def _name_entries(options: argparse.Namespace, targets: list[str]) -> None:
    from cutaway._api import cache_entry  # late: it imports the interpreter, which --help does not need

    for target in targets:
        entry = cache_entry(target, **reading_arguments(options), timeout=options.timeout)
        if entry is not None:
            CHANNEL.name_entry(entry)
