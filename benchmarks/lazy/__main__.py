"""Compare the results with modules evaluated lazily, as usual, and eagerly, where they are imported.

usage: python -m benchmarks.lazy [generated|torchvision|timm|transformers|keras|first|second|third ...] [--truth FILE]
                                 [--every N] [--only TEXT]

`generated` are small packages with a registry of each kind; the others are the models of the zoos and of the tables of
packages. The JSON must be the same, to the letter, but for assumptions: evaluating a module that nothing is used of may add
some. The exit code is 1 where anything differs.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.checkouts.__main__ import Worker
from benchmarks.checkouts.compare import differences, without_assumptions
from benchmarks.checkouts.targets import Job, zoo_jobs
from benchmarks.lazy.registries import registry_jobs
from benchmarks.packages.table import read_truth
from benchmarks.zoo.measure import inputs_of, target_of

ROOT = Path(__file__).resolve().parents[2]
DEVICE = "lazy-modules"
_TABLES = ("first", "second", "third")


def workers() -> tuple[Worker, Worker]:
    """Return a worker that evaluates modules lazily, and one that does so where they are imported."""
    lazy, eager = Worker(ROOT), Worker(ROOT)
    eager.environment = {**os.environ, **eager.environment, "CUTAWAY_WITHOUT": DEVICE}
    return lazy, eager


def compared(lazy: Worker, eager: Worker, job: Job) -> list[str]:
    """Return where the results of a job differ."""
    return list(differences(without_assumptions(eager.run(job)), without_assumptions(lazy.run(job))))


def jobs(name: str, truth: Path | None) -> Iterator[Job]:
    """Yield the targets of a zoo, of a table of packages, or the generated ones."""
    if name == "generated":
        yield from registry_jobs()
    elif name in _TABLES:
        for row in read_truth(name, truth):
            yield Job(f"{row['package']}: {row['target']}", target_of(row), inputs_of(row) if "output" in row else [])
    else:
        yield from zoo_jobs(name, 1, truth)


def main() -> int:
    """Compare and print what differs."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.lazy", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("names", nargs="*", default=["generated", "torchvision"])
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    lazy, eager = workers()
    chosen = [job for name in options.names for job in jobs(name, options.truth) if options.only in job.name]
    chosen = chosen[:: options.every]
    different = 0
    try:
        for job in chosen:
            found = compared(lazy, eager, job)
            if found:
                different += 1
                print(f"{job.name}: {len(found)} differences", *found[:5], sep="\n    ", flush=True)
    finally:
        lazy.stop()
        eager.stop()
    print(f"{len(chosen)} targets: {len(chosen) - different} equal, {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
