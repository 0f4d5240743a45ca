"""`python -m benchmarks.bugs FOLDER...`: whether faults are found in the programs that have one, and in no other.

A folder is a checkout, or a part of one, in which each subject is a pair: `buggy.py` beside `correct.py`, or the
Python files of a folder `NAME-buggy` beside `NAME-fix`. Nothing of it runs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import cutaway


def pairs(root: Path) -> Iterator[tuple[str, list[Path], list[Path]]]:
    """Yield the name, the faulty and the mended files of each subject below a folder."""
    for faulty in sorted(root.rglob("buggy.py")):
        yield faulty.parent.name, [faulty], [faulty.with_name("correct.py")]
    for folder in sorted(root.rglob("*-buggy")):
        mended = folder.with_name(folder.name.removesuffix("-buggy") + "-fix")
        yield folder.parent.name, sorted(folder.glob("*.py")), sorted(mended.glob("*.py"))


def found(files: list[Path]) -> list[str]:
    """Return the faults in some files, each with its line, in the order in which they are found."""
    texts: dict[str, None] = {}
    for file in files:
        try:
            networks = cutaway.show(str(file))
        except cutaway.CutawayError as error:
            if "the program stops here" in str(error):  # a program without a network, which says where it fails
                texts[str(error)] = None
            continue
        for network in networks:
            for fault in network.diagnostics:
                texts[f"{fault.place.line if fault.place else '?'}: {fault.message}"] = None
    return list(texts)


def main() -> int:
    """Print what is found in each pair; the exit code is 1 if any pair is missed."""
    parser = argparse.ArgumentParser(prog="benchmarks.bugs", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--only", default="", help="subjects whose name begins so")
    arguments = parser.parse_args()
    right = total = 0
    for folder in arguments.folders:
        for name, faulty, mended in pairs(folder):
            if not name.startswith(arguments.only):
                continue
            total += 1
            reported, false = found(faulty), found(mended)
            right += bool(reported) and not false
            print(f"{'ok  ' if reported and not false else 'MISS'} {folder.name}/{name}")
            for text in reported:
                print(f"       faulty  {text}")
            for text in false:
                print(f"       mended  {text}")
    print(f"{right} of {total} pairs: the fault is found, and none where it is mended")
    return right < total


if __name__ == "__main__":
    sys.exit(main())
