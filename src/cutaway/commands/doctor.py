"""`cutaway doctor`: what keeps an analysis from doing harm on this machine."""

from __future__ import annotations

import argparse
import json
from typing import Any

from cutaway.commands.options import add_output
from cutaway.commands.output import write


def add(commands: Any) -> None:
    """Enter the command into the parser."""
    doctor = commands.add_parser(
        "doctor",
        help="show what keeps an analysis from doing harm on this machine",
        description="Show which parts of the wall around an analysis are in force on this machine, and try to get past it.",
        epilog="exit code: 0 if all parts are in force and every attempt is refused, 1 otherwise, 2 on error",
    )
    doctor.add_argument("--format", choices=("text", "json"), default="text", help="default: text")
    add_output(doctor)
    doctor.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from cutaway.isolation.self_test import self_test  # late: --help needs none of it

    measures, attempts = self_test()
    good = all(each.in_force for each in measures) and all(each.refused for each in attempts)
    if options.format == "json":
        document = {
            "complete": good,
            "measures": [{"name": m.name, "in_force": m.in_force, "detail": m.detail} for m in measures],
            "attempts": [{"name": a.name, "refused": a.refused, "detail": a.detail} for a in attempts],
        }
        text = json.dumps(document, indent=1) + "\n"
    else:
        rows = [(m.name, "in force" if m.in_force else "MISSING", m.detail) for m in measures]
        tried = [(a.name, "refused" if a.refused else "POSSIBLE", a.detail) for a in attempts]
        text = _table("part of the wall", rows) + "\n" + _table("attempt", tried) if tried else _table("part", rows)
    write(text, options.output)
    return 0 if good else 1


def _table(title: str, rows: list[tuple[str, str, str]]) -> str:
    width = max(len(name) for name, _, _ in [(title, "", ""), *rows])
    state_width = max(len(state) for _, state, _ in rows)
    lines = [f"{name:<{width}}  {state:<{state_width}}  {detail}".rstrip() for name, state, detail in rows]
    return "\n".join([title, *lines, ""])
