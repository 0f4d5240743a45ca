"""Type what the documents say, each in a new environment that has only what that document says to install.

usage: python -m benchmarks.documents [--only TEXT] [--verbose]

A wheel is built, and for each document that has something to type a virtual environment is made with it. Commands that
are forms (`TARGET`), name files of the reader's own (`model.py`), install a whole framework, or are for those who change
Cutaway, are counted and not tried.
"""

from __future__ import annotations

import argparse
import tempfile
from collections import Counter
from pathlib import Path

from benchmarks.documents.steps import DOCUMENTS, ROOT, checkout, environment, run, steps, wheel, why_not


def main() -> None:
    """Print what fails, and how much was tried."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", default="", help="documents whose names contain this")
    parser.add_argument("--verbose", action="store_true", help="print each step")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as scratch:
        package = wheel(Path(scratch))
        for document in DOCUMENTS:
            if options.only in document.name:
                counts += _try(document, package, Path(scratch, document.stem), options.verbose)
    for reason, count in counts.most_common():
        print(f"{count:>4}  {reason}")


def _try(document: Path, package: Path, folder: Path, verbose: bool) -> Counter[str]:
    counts: Counter[str] = Counter()
    files = folder / "files"
    files.mkdir(parents=True)
    checkout(files)
    programs: Path | None = None
    for step in steps(document):
        reason = "works" if step.text == "pip install ." else why_not(step, files)
        if reason is None:
            programs = programs or environment(folder / "environment", package)
            problem = run(step, programs, files)
            reason = "works" if problem is None else "FAILS"
            if problem is not None:
                print(
                    f"{document.relative_to(ROOT)}:{step.line}  {step.text.splitlines()[0]}\n    {problem}", flush=True
                )
        if verbose:
            print(f"{document.relative_to(ROOT)}:{step.line}  {reason}: {step.text.splitlines()[0]}", flush=True)
        counts[reason] += 1
    return counts


if __name__ == "__main__":
    main()
