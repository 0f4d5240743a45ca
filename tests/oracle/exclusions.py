"""What is known to differ from the real torch, with the reason beside it."""

from __future__ import annotations

from .check import Outcome

OPS: dict[str, str] = {}
"""Row name -> why a failing sample of it is tolerated."""

UNKNOWNS: dict[str, str] = {}
"""Row name -> why its result may stay unknown although all numbers are given."""

MODULES: dict[str, str] = {}
"""Name of a class in `module_db` -> why a failing sample of it is tolerated."""

SIGNATURES: dict[str, str] = {}
"""Row name -> why its signature may differ from torch's."""


def excluded(outcome: Outcome) -> str | None:
    """Return the reason why this outcome is tolerated, if there is one."""
    return OPS.get(outcome.call.name)

UNSAMPLED: dict[str, str] = {}
"""Row name -> why there is no sample of it."""

INVENTED: dict[str, str] = {}
"""Row name, or the start of one ending in a dot -> why it is there although torch has no such name."""


def excused(name: str) -> str | None:
    """Return the reason why a row may have a name that torch lacks."""
    return INVENTED.get(name) or next((why for start, why in INVENTED.items() if start[-1] == "." and name.startswith(start)), None)
