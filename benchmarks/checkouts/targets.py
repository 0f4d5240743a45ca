"""The targets that two checkouts are compared on: models of the zoos, and all literate cases."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from benchmarks.zoo.measure import inputs_of, read_truth, target_of
from tests.literate import read

CASES = Path(__file__).resolve().parents[2] / "tests" / "cases"
MAIN = "model.py"


@dataclass(frozen=True)
class Job:
    """One call of `cutaway.show`: its name in the report, the files to write first, and the arguments."""

    name: str
    target: str
    input: list[str] = field(default_factory=list)
    files: dict[str, str] = field(default_factory=dict)
    set: dict[str, int] = field(default_factory=dict)
    path: list[str] = field(default_factory=list)
    assume: list[str] = field(default_factory=list)

    def line(self) -> str:
        """Return the job as one line of JSON."""
        return json.dumps(asdict(self))


def zoo_jobs(zoo: str, every: int, truth: Path | None) -> Iterator[Job]:
    """Yield every Nth model of a zoo, called as the recorded truth was."""
    for row in read_truth(zoo, truth)[::every]:
        yield Job(f"{zoo}: {row['target']}", target_of(row), inputs_of(row) if "output" in row else [])


def case_jobs() -> Iterator[Job]:
    """Yield every literate case that reads its program from a file."""
    for case in read(CASES):
        values: dict[str, list[str]] = {}
        for key, value in case.directives:
            values.setdefault(key, []).append(value)
        target = case.directive("show") or MAIN
        if target.startswith("-"):
            continue
        numbers = {name: int(number) for name, _, number in (text.partition("=") for text in values.get("set", []))}
        yield Job(
            f"case: {case.name}",
            target,
            values.get("input", []),
            case.sources(MAIN),
            numbers,
            values.get("path", []),
            values.get("assume", []),
        )
