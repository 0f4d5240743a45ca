"""`python -m benchmarks.questions`: which faults of question sites `check` finds, and what it reports of the fixed programs.

Each program stands in a Markdown file, as a diff: lines that begin with - belong to the faulty version, lines that begin
with + to the fixed one. Both are run with the real framework. A fault is found if an error is reported in the line that
raises, or in one that the fix changes. Where the faulty program runs, its text names the code that is expected; where the
fault is not found, it says why. An error, or
an expected code, in a fixed version that runs is an alarm.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from benchmarks.mutants.checked import lines_of, print_problems
from cutaway.checking.file_check import check_files
from cutaway.core.problem import CheckedFile, Problem, Severity

HERE = Path(__file__).resolve().parent
SECONDS = 20.0
_PROGRAM = re.compile(r"^## (?P<title>.*?)\n(?P<text>.*?)^```diff\n(?P<diff>.*?)^```$", re.M | re.S)
_EXPECTED = re.compile(r"Reports `(?P<code>[\w-]+)`")
_NOT_FOUND = re.compile(r"^Not found: (?P<why>.+)\.$", re.M)


@dataclass(frozen=True)
class Version:
    """The faulty or the fixed version of a program."""

    page: str
    title: str
    path: Path
    text: str
    expected: str
    is_faulty: bool
    not_found: str
    changed: frozenset[int]


def versions(folder: Path, only: str) -> list[Version]:
    """Write both versions of each program to a folder."""
    found = []
    for page in sorted(HERE.glob("*.md")):
        for at, program in enumerate(_PROGRAM.finditer(page.read_text(encoding="utf-8"))):
            if only not in f"{page.stem}_{at}" and only not in program["title"]:
                continue
            expected, not_found = _EXPECTED.search(program["text"]), _NOT_FOUND.search(program["text"])
            for sign, name in (("-", "faulty"), ("+", "fixed")):
                lines, changed = _version(program["diff"], sign)
                path = folder / f"{page.stem}_{at}_{name}.py"
                text = "\n".join(lines) + "\n"
                path.write_text(text, encoding="utf-8")
                code = expected["code"] if expected else ""
                why = not_found["why"] if not_found else ""
                found.append(Version(page.stem, program["title"], path, text, code, sign == "-", why, changed))
    return found


def _version(diff: str, sign: str) -> tuple[list[str], frozenset[int]]:
    """Return the lines of a version, and the numbers of those that differ; a missing line is the one before and after."""
    lines: list[str] = []
    changed: set[int] = set()
    for line in diff.splitlines():
        if line[:1] == sign:
            lines.append(line[1:])
            changed.add(len(lines))
        elif line[:1] in ("-", "+"):
            changed |= {len(lines), len(lines) + 1}
        else:
            lines.append(line)
    return lines, frozenset(changed)


def run(found: list[Version]) -> dict[int, tuple[int, str]]:
    """Return the line in which each version raises, 0 if it ends well, and the exception; a page is run in one process."""
    endings: dict[int, tuple[int, str]] = {}
    for page in dict.fromkeys(version.page for version in found):
        numbers = [number for number, version in enumerate(found) if version.page == page]
        names = "\n".join(str(found[number].path) for number in numbers)
        done = subprocess.run(
            [sys.executable, "-m", "benchmarks.mutants.live"], input=names, capture_output=True, text=True, check=True
        )
        for row in done.stdout.splitlines():
            at, line, error = row.split("\t")
            endings[numbers[int(at)]] = int(line), error
    return endings


def reports(version: Version, checked: CheckedFile) -> list[Problem]:
    """Return the problems that a version is about, or may not have: those of the expected code, and all errors."""
    if version.is_faulty and version.expected:
        return [each for each in checked.problems if each.code == version.expected]
    return [each for each in checked.problems if each.severity is Severity.ERROR or each.code == version.expected]


def judged(version: Version, ending: tuple[int, str], checked: CheckedFile) -> str:
    """Return what became of a version."""
    line, _ = ending
    reported = reports(version, checked)
    if not version.is_faulty:
        return "breaks" if line else "alarm" if reported else "clean"
    if not line and not version.expected:
        return "runs"
    if not reported:
        return "missed"
    return "found elsewhere" if lines_of(reported).isdisjoint({line, *version.changed}) else "found"


def main() -> int:
    """Print what became of each program that is not as it should be, and the figures."""
    parser = argparse.ArgumentParser(prog="benchmarks.questions", description=__doc__)
    parser.add_argument("--only", default="", help="programs whose file or title contains this")
    parser.add_argument("--keep", type=Path, help="a folder to leave the programs in")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        found = versions(folder, arguments.only)
        endings = run(found)
        results = dict(check_files([str(each.path) for each in found], (), SECONDS, os.cpu_count() or 1))
        counts: Counter[str] = Counter()
        for at, version in enumerate(found):
            checked = results[at][0]
            what = judged(version, endings[at], checked)
            counts[what] += 1
            if what not in ("clean", "found"):
                line, error = endings[at]
                print(f"{what}: {version.path.name} ({version.title}); really line {line} {error}")
                print_problems(checked)
    faulty = counts["found"] + counts["found elsewhere"] + counts["missed"]
    print(f"{faulty} faulty programs: {faulty - counts['missed']} found, {counts['found']} with the line")
    print(f"{counts['clean'] + counts['alarm']} fixed programs: {counts['alarm']} alarms")
    return int(counts["clean"] + counts["found"] < len(found))


if __name__ == "__main__":
    sys.exit(main())
