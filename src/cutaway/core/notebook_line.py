"""A line of code as a notebook's file holds it: a string of JSON in a line of its own."""

from __future__ import annotations


def stored_line(line: str) -> str | None:
    """Return the line of code that a line of a notebook's file holds, None where it holds something else."""
    import json  # late: few commands read notebooks

    line = line.strip().removesuffix(",")
    if not line.startswith('"'):
        return None
    try:
        value = json.loads(line)
    except ValueError:
        return None
    return value.removesuffix("\n") if isinstance(value, str) else None
