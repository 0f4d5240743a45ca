"""Facts with their verdicts, as text and as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cutaway.passes.compare import EQUAL, FACTS, UNKNOWN, WRONG, Fact, counted

MOST = 20
"""Facts of a verdict that are listed, unless all are asked for."""


def text(target: str, facts: Sequence[Fact], *, everything: bool = False) -> str:
    """Return the counts of each kind of fact, then what is wrong and what is unknown."""
    lines = [f"{target}: static against live", "", f"{'':15}{EQUAL:>8}{UNKNOWN:>9}{WRONG:>7}"]
    counts = counted(facts)
    for kind in FACTS:
        row = counts[kind]
        if row:
            lines.append(f"{kind:15}{row[EQUAL]:>8}{row[UNKNOWN]:>9}{row[WRONG]:>7}")
    for verdict in (WRONG, UNKNOWN):
        matching = [fact for fact in facts if fact.verdict == verdict]
        if not matching:
            continue
        lines += ["", f"{verdict.capitalize()} ({len(matching)})"]
        shown = matching if everything else matching[:MOST]
        lines += [f"  {fact.kind}: {fact.subject}: {fact.detail}" for fact in shown]
        if len(matching) > len(shown):
            lines.append(f"  and {len(matching) - len(shown)} more; --all lists them")
    return "\n".join(lines) + "\n"


def document(target: str, facts: Sequence[Fact]) -> dict[str, Any]:
    """Return the counts, and each fact that is not equal."""
    return {
        "target": target,
        "counts": {
            kind: {verdict: row[verdict] for verdict in (EQUAL, UNKNOWN, WRONG)}
            for kind, row in counted(facts).items()
            if row
        },
        "facts": [
            {"kind": fact.kind, "subject": fact.subject, "verdict": fact.verdict, "detail": fact.detail}
            for fact in facts
            if fact.verdict != EQUAL
        ],
    }
