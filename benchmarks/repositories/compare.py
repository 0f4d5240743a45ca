"""Compare static results with the truth of the listed repositories.

usage: python -m benchmarks.repositories.compare CHECKOUTS TRUTH [--only TEXT] [--json FILE]

TRUTH was recorded with `python -m benchmarks.repositories.truth`. No code of the repositories is run.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from benchmarks.zoo.__main__ import report, summarise
from benchmarks.zoo.compare import WRONG
from benchmarks.zoo.measure import measure


def main() -> int:
    """Compare every row and print the figures."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.repositories.compare", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("truth", type=Path)
    parser.add_argument("--only", default="", help="only repositories and targets with this in them")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results = []
    outside = Path.cwd()
    for line in options.truth.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        if options.only not in f"{row['repository']} {row['target']}":
            continue
        os.chdir(options.checkouts / row["repository"])
        try:
            result = measure(row)
        finally:
            os.chdir(outside)
        results.append(result | {"repository": row["repository"]})
        report(result, True)
    summarise(results)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return 1 if any(verdict == WRONG for each in results for verdict, _ in each["verdicts"].values()) else 0


if __name__ == "__main__":
    sys.exit(main())
