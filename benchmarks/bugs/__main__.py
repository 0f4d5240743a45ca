"""`python -m benchmarks.bugs FOLDER...`: whether `check` finds faults in the programs that have one, and in no other.

A folder is a checkout, or a part of one, in which each subject is a pair: `buggy.py` beside `correct.py`, or the
Python files of a folder `NAME-buggy` beside `NAME-fix`. Nothing of it runs. `--record FILE` writes a line for each subject:
whether it is found, missed or falsely alarmed, and the first message.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from cutaway.checking.file_check import check_files
from cutaway.core.problem import CheckedFile, Severity

SECONDS = 20.0  # for one file


def pairs(root: Path) -> Iterator[tuple[str, list[Path], list[Path]]]:
    """Yield the name, the faulty and the fixed files of each subject below a folder."""
    for faulty in sorted(root.rglob("buggy.py")):
        yield faulty.parent.name, [faulty], [faulty.with_name("correct.py")]
    for folder in sorted(root.rglob("*-buggy")):
        fixed = folder.with_name(folder.name.removesuffix("-buggy") + "-fix")
        yield folder.parent.name, sorted(folder.glob("*.py")), sorted(fixed.glob("*.py"))


def problems(results: dict[Path, CheckedFile], files: list[Path]) -> list[str]:
    """Return the errors and warnings in some files, each with its line and code."""
    texts: dict[str, None] = {}
    for file in files:
        for problem in results[file].problems if file in results else ():
            if problem.severity is not Severity.HINT:
                texts[f"{Path(problem.file).name}:{problem.line}: [{problem.code}] {problem.message}"] = None
    return list(texts)


def verdict(reported: list[str], false: list[str]) -> str:
    """Return what became of a subject; what is said of both of its programs does not tell them apart."""
    texts = {text.partition(" ")[2] for text in false}
    told = [text for text in reported if text.partition(" ")[2] not in texts]
    if told:
        return "found" if len(texts) <= len(reported) - len(told) else "found, with an alarm where it is fixed"
    return "alarm where it is fixed" if false and not reported else "missed"


def main() -> int:
    """Print what is found in each pair; the exit code is 1 if any pair is missed."""
    parser = argparse.ArgumentParser(prog="benchmarks.bugs", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--only", default="", help="subjects whose name begins so")
    parser.add_argument("--record", type=Path, help="a file to write a line for each subject to")
    arguments = parser.parse_args()
    subjects = [
        (folder, *pair) for folder in arguments.folders for pair in pairs(folder) if pair[0].startswith(arguments.only)
    ]
    files = list(dict.fromkeys(file for _, _, faulty, fixed in subjects for file in (*faulty, *fixed) if file.exists()))
    results: dict[Path, CheckedFile] = {}
    for at, (checked, _) in check_files([str(file) for file in files], (), SECONDS, os.cpu_count() or 1):
        results[files[at]] = checked
    verdicts: dict[str, int] = {}
    lines: list[str] = []
    for folder, name, faulty, fixed in subjects:
        reported, false = problems(results, faulty), problems(results, fixed)
        what = verdict(reported, false)
        verdicts[what] = verdicts.get(what, 0) + 1
        notes = [results[file].note for file in faulty if file in results and results[file].note]
        print(f"{what:8} {folder.name}/{name}")
        for kind, texts in (("faulty", reported), ("fixed", false), ("note", notes)):
            for text in texts:
                print(f"       {kind}  {text}")
        lines.append("\t".join([folder.name, name, what, *reported[:1]]))
    print(", ".join(f"{count} {what}" for what, count in sorted(verdicts.items())), f"of {len(subjects)}")
    if arguments.record:
        arguments.record.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return int(verdicts.get("found", 0) < len(subjects))


if __name__ == "__main__":
    sys.exit(main())
