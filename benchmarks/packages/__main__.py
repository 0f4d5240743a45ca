"""Compare static results with the truth of a table of packages.

usage: python -m benchmarks.packages first|second|third [--truth FILE] [--only TEXT] [--jobs N] [--json FILE] [--verbose]

Needs the source of the packages, and nothing that can be imported of them: no torch. The truth that is kept was
recorded with `python -m benchmarks.packages.truth`.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
from pathlib import Path
from typing import Any

from benchmarks.packages.table import read_truth
from benchmarks.zoo.__main__ import report, summarise
from benchmarks.zoo.compare import EQUAL, WRONG
from benchmarks.zoo.measure import measure


def main() -> int:
    """Run the comparison and print the figures of each package."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.packages", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("table")
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--only", default="", help="only packages and targets with this in them")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    rows = read_truth(options.table, options.truth)
    rows = [row for row in rows if options.only in f"{row['package']} {row['target']}"]
    results = []
    with multiprocessing.get_context("fork").Pool(options.jobs, maxtasksperchild=20) as pool:
        for row, result in zip(rows, pool.imap(measure, rows)):
            results.append(result | {"package": row["package"]})
            report(result, options.verbose)
    print()
    for package in dict.fromkeys(row["package"] for row in rows):
        print(f"  {package:30} {figures([r for r in results if r['package'] == package])}")
    summarise(results)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return 1 if any(is_wrong(result) for result in results) else 0


def figures(results: list[dict[str, Any]]) -> str:
    """Return how many models are exact in everything that their truth has, and how many have a wrong fact."""
    exact = sum(all(verdict == EQUAL for verdict, _ in result["verdicts"].values()) for result in results)
    return f"{exact:3} of {len(results):3} exact, {sum(map(is_wrong, results))} wrong"


def is_wrong(result: dict[str, Any]) -> bool:
    """Tell whether any fact of a model is wrong."""
    return any(verdict == WRONG for verdict, _ in result["verdicts"].values())


if __name__ == "__main__":
    sys.exit(main())
