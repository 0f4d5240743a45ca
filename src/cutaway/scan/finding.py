"""What is found in a file, and the verdict that follows from it."""

from __future__ import annotations

from dataclasses import dataclass, field

NOTHING, RECONSTRUCTS, IMPORTS, RUNS, UNREADABLE = "nothing", "reconstructs", "imports", "runs", "unreadable"
VERDICTS = {
    NOTHING: "runs nothing",
    RECONSTRUCTS: "runs known-good reconstruction",
    IMPORTS: "imports code that is not in it",
    RUNS: "would run code",
    UNREADABLE: "can't be read",
}
"""Verdicts, the mildest first, in words."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that loading a file would do: its level is one of `VERDICTS`.

    `rule` names the kind of danger, `inner` where in the file it is: members of archives, separated by `!`.
    """

    level: str
    rule: str
    text: str
    inner: str = ""


@dataclass(slots=True)
class Report:
    """All that is found in one file."""

    path: str
    findings: list[Finding] = field(default_factory=list)
    error: str = ""

    def add(self, level: str, rule: str, text: str, inner: str = "") -> None:
        """Enter a finding, once."""
        finding = Finding(level, rule, text, inner)
        if finding not in self.findings and len(self.findings) < 1000:
            self.findings.append(finding)

    @property
    def verdict(self) -> str:
        """The worst level of what is found."""
        order = list(VERDICTS)
        levels = [finding.level for finding in self.findings]
        if RUNS in levels:
            return RUNS
        if self.error:
            return UNREADABLE
        return max(levels, key=order.index, default=NOTHING)
