"""Compare Cutaway with the live way over a whole zoo: cold start to finished result of each model, and memory.

usage: python -m benchmarks.speed.zoo timm|transformers [--truth FILE] [--every N] [--static PYTHON] [--live PYTHON]
                                      [--workers N] [--json FILE]

The models are those of the zoo's truth (`benchmarks.zoo.truth`) whose live forward works. Each is shown by a new
process of Cutaway, and by a new process that imports the package, builds the model on the meta device and has
torchinfo summarise it; the two take turns, `--workers` models at a time. Then it is shown once more, with a result
that was kept (docs/caching.md) where the first run was long enough for that. The exit code is 1 where the median is
above a tenth of the live time, the slowest above a third, the memory above a quarter, or the whole above the live
whole.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.speed.process import Failed, Result, Run, run, shown
from benchmarks.zoo.measure import inputs_of, read_truth, target_of

FOUND = (0, 1)  # exit codes: a fault may be found
MOST_MEDIAN, MOST_SLOWEST, MOST_MEMORY = 1 / 10, 1 / 3, 1 / 4


@dataclass(frozen=True)
class Measured(Result):
    """What one model took both ways, and once more with a result that was kept."""

    warm: Run


def compare(row: dict[str, Any], live: str, static: str) -> Measured | None:
    """Measure one model; None where the live way fails, which is said."""
    called, inputs = target_of(row), inputs_of(row)
    try:
        taken = run([live, "-m", "benchmarks.speed.live", row["target"], row.get("arguments") or "", *inputs])
    except Failed as failure:
        print(f"{called}: the live way fails: {str(failure).strip().splitlines()[-1]}", file=sys.stderr)
        return None
    command = shown(static, called, *inputs)
    cold = run(command, allowed=FOUND)
    with tempfile.TemporaryDirectory() as folder:
        command.remove("--no-cache")
        _, warm = (run(command, allowed=FOUND, environment={"CUTAWAY_CACHE": folder}) for _ in range(2))
    return Measured(called, taken, cold, warm)


def main() -> int:
    """Measure the models and print the figures."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.zoo", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("zoo", metavar="ZOO", help="timm or transformers")
    parser.add_argument("--truth", type=Path, metavar="FILE", help="the models; the repository's own if not given")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="take every Nth model")
    parser.add_argument("--static", default=sys.executable, metavar="PYTHON", help="runs Cutaway")
    parser.add_argument("--live", default=sys.executable, metavar="PYTHON", help="runs the live way")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="models at a time (1)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to a file")
    options = parser.parse_args()
    rows = [row for row in read_truth(options.zoo, options.truth) if row.get("output")][:: options.every]
    run([options.static, "-m", "cutaway", "--version"])
    with ThreadPoolExecutor(options.workers) as workers:
        found = list(workers.map(lambda row: compare(row, options.live, options.static), rows))
    results = sorted((result for result in found if result is not None), key=lambda result: result.share)
    if options.json:
        options.json.write_text(json.dumps([asdict(result) for result in results], indent=2) + "\n")
    return report(results)


def report(results: list[Measured]) -> int:
    """Print the figures, and return 1 where a goal is missed."""
    median = statistics.median(result.share for result in results)
    memory = max(result.memory for result in results)
    slowest = results[-1]
    live, static, warm = (sum(getattr(result, way).seconds for result in results) for way in ("live", "static", "warm"))
    print(f"{len(results)} models: {live:.0f} s live, {static:.0f} s cold, {warm:.0f} s warm")
    print(f"median {median:.3f} of the live time (at most {MOST_MEDIAN:.3f})")
    print(f"slowest {slowest.share:.3f} (at most {MOST_SLOWEST:.3f}): {slowest.model}")
    print(f"most memory {memory:.3f} of the live way's (at most {MOST_MEMORY:.3f})")
    for result in results[-1:-6:-1]:
        print(f"  {result.static.seconds:7.2f} s of {result.live.seconds:7.2f} s  {result.model}")
    reached = median <= MOST_MEDIAN and slowest.share <= MOST_SLOWEST and memory <= MOST_MEMORY and static < live
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
