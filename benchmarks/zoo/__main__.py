"""Compare static results with the truth of a zoo.

usage: python -m benchmarks.zoo ZOO [--truth FILE] [--only TEXT] [--limit N] [--jobs N] [--json FILE] [--verbose]

The truth is a file of JSON lines, one model each; `python -m benchmarks.zoo.truth ZOO` records it from
the live package. Comparing needs the package's source, but neither torch nor anything else to import it.
"""

from __future__ import annotations

import argparse
import collections
import gc
import json
import multiprocessing
import sys
from pathlib import Path
from typing import Any

from benchmarks.zoo.compare import EQUAL, UNKNOWN, WRONG
from benchmarks.zoo.measure import FACTS, measure, read_truth


def main() -> int:
    """Run the comparison and print the figures."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.zoo", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("zoo")
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    rows = [row for row in read_truth(options.zoo, options.truth) if options.only in row["target"]][:: options.every][
        : options.limit
    ]
    gc.freeze()  # the truth is large, and no garbage
    with multiprocessing.get_context("fork").Pool(options.jobs, maxtasksperchild=100) as pool:
        results = []
        for result in pool.imap(measure, rows):
            results.append(result)
            report(result, options.verbose)
    summarise(results)
    if options.json:
        options.json.write_text(json.dumps(results, indent=1))
    return 1 if any(v == WRONG for r in results for v, _ in r["verdicts"].values()) else 0


def report(result: dict[str, Any], verbose: bool) -> None:
    """Print one model, if there is something to say of it."""
    bad = {fact: v for fact, v in result["verdicts"].items() if v[0] != EQUAL}
    if not bad and not verbose:
        return
    print(f"{result['target']}  {result['seconds']:.2f} s", flush=True)
    for fact, (verdict, detail) in bad.items():
        print(f"    {fact}: {verdict}: {detail[:300]}")
    for text in [*result["unknowns"][:3], *result.get("faults", [])[:2]] if bad else []:
        print(f"      {text[:300]}")


def summarise(results: list[dict[str, Any]]) -> None:
    """Print the figures over all models."""
    print(f"\n{len(results)} models", file=sys.stdout)
    for fact in FACTS:
        counts = collections.Counter(r["verdicts"][fact][0] for r in results if fact in r["verdicts"])
        print(f"  {fact:8} equal {counts[EQUAL]:5}  unknown {counts[UNKNOWN]:5}  WRONG {counts[WRONG]:5}")
    both = sum(r["verdicts"]["tree"][0] == r["verdicts"]["weights"][0] == EQUAL for r in results)
    whole = sum(all(v == EQUAL for v, _ in r["verdicts"].values()) for r in results if "calls" in r["verdicts"])
    forward = sum("calls" in r["verdicts"] for r in results)
    print(f"  exact in tree and weights {both} of {len(results)}; exact in outputs and calls too {whole} of {forward}")
    times = sorted(r["seconds"] for r in results)
    if times:
        print(f"  seconds: median {times[len(times) // 2]:.2f}, slowest {times[-1]:.2f}")


if __name__ == "__main__":
    sys.exit(main())
