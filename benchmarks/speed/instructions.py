"""Compare two checkouts by the instructions that they execute: a ratio that a busy machine doesn't change.

usage: python -m benchmarks.speed.instructions BEFORE AFTER [--models NAME ...]

Valgrind counts the instructions of whole processes, `cutaway show` of each model from a cold start, with Python's hash
seed fixed. The exit code is 1 where AFTER executes more than 3 % more of them than BEFORE.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from benchmarks.speed.__main__ import MODELS
from benchmarks.speed.process import shown

MOST = 1.03


def count(checkout: Path, model: str) -> int:
    """Return how many instructions one command executes, its child processes included."""
    environment = {**os.environ, "PYTHONPATH": str(checkout / "src"), "PYTHONHASHSEED": "0"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    valgrind = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    process = subprocess.run(
        [*valgrind, *shown(sys.executable, *MODELS[model])],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        cwd=checkout.root,
    )
    counts = [int(number) for number in re.findall(r"Collected : (\d+)", process.stderr)]
    if process.returncode or not counts:
        sys.exit(f"{model} failed in {checkout}:\n{process.stderr[-2000:]}")
    return sum(counts)


def main() -> int:
    """Count for every model in both checkouts, and print the ratios."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.instructions",
        description=__doc__,
        formatter_class=argparse.RawTextHelpFormatter,
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--models", nargs="+", default=list(MODELS), choices=list(MODELS), metavar="NAME")
    options = parser.parse_args()
    checkouts = [options.before.resolve(), options.after.resolve()]
    for checkout in checkouts:  # nothing is compiled while it is counted
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(checkout / "src")], check=True)
    with ThreadPoolExecutor(2) as pool:
        counts = [
            list(pool.map(lambda checkout, model=model: count(checkout, model), checkouts)) for model in options.models
        ]
    print(f"{'model':16} {'before':>15} {'after':>15}  ratio")
    for model, (before, after) in zip(options.models, counts):
        print(f"{model:16} {before:15,} {after:15,}  {after / before:.3f}")
    return int(any(after > MOST * before for before, after in counts))


if __name__ == "__main__":
    sys.exit(main())
