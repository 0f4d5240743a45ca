"""Compare the results of two checkouts, target by target.

usage: python -m benchmarks.checkouts OLD NEW [--truth FOLDER] [--only TEXT] [--sample] [--limit N]

Both are run on every model of torchvision, every 10th of timm, every 10th of transformers, keras.applications
and all literate cases of the checkout that this command is run in. Their JSON must be equal but for the wording of
messages and the numbers of values; codes of faults that changed are printed. `--truth` names a
folder with the truth of all models (ZOO.jsonl.gz); without it the models are those whose truth is in the repository.
`--sample` takes every tenth target of these. The exit code is 1 where anything differs.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.checkouts.compare import codes, differences, without_prose
from benchmarks.checkouts.targets import Job, case_jobs, zoo_jobs

WORKER = Path(__file__).with_name("worker.py")
ZOOS = {"torchvision": 1, "timm": 10, "transformers": 10, "keras": 1}
"""Zoo -> every how many models of the whole one is taken."""
_RESTART_EVERY = 40
"""Jobs after which a worker is replaced, so that memory stays bounded."""


class Worker:
    """A process that runs jobs with one checkout."""

    def __init__(self, checkout: Path) -> None:
        self.environment = {**os.environ, "PYTHONPATH": str(checkout / "src")}
        self.done = 0
        self.process: subprocess.Popen[str] | None = None

    def run(self, job: Job) -> dict[str, Any]:
        """Return the document of a job."""
        if self.process is None or self.done % _RESTART_EVERY == 0:
            self.stop()
            self.process = subprocess.Popen(
                [sys.executable, "-P", str(WORKER)] if sys.version_info >= (3, 11) else [sys.executable, str(WORKER)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                env=self.environment,
            )
        self.done += 1
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(job.line() + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        if not answer:
            self.process = None
            return {"error": "the worker ended"}
        document: dict[str, Any] = json.loads(answer)
        return document

    def stop(self) -> None:
        """End the process."""
        if self.process is not None and self.process.stdin is not None:
            self.process.stdin.close()
            self.process.wait()
        self.process = None


def jobs(truth: Path | None) -> Iterator[Job]:
    """Yield what is compared."""
    for zoo, every in ZOOS.items():
        file = truth / f"{zoo}.jsonl.gz" if truth else None
        recorded_all = file is not None and file.is_file()
        yield from zoo_jobs(zoo, every if recorded_all else 1, file if recorded_all else None)
    yield from case_jobs()


def main() -> int:
    """Compare and print what differs."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.checkouts", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--truth", type=Path)
    parser.add_argument("--only", default="")
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--limit", type=int)
    options = parser.parse_args()
    chosen = [job for job in jobs(options.truth) if options.only in job.name]
    chosen = chosen[:: 10 if options.sample else 1][: options.limit]
    workers = [Worker(options.old.resolve()), Worker(options.new.resolve())]
    renamed: dict[str, collections.Counter[str]] = collections.defaultdict(collections.Counter)
    different = 0
    with ThreadPoolExecutor(2) as pool:
        for job in chosen:
            old, new = pool.map(Worker.run, workers, (job, job))
            if len(codes(old)) == len(codes(new)):
                for before, after in zip(codes(old), codes(new)):
                    renamed[before][after] += 1
            found = list(differences(without_prose(old), without_prose(new)))
            if found:
                different += 1
                print(f"{job.name}: {len(found)} differences", flush=True)
                for text in found[:5]:
                    print(f"    {text}", flush=True)
    for worker in workers:
        worker.stop()
    split = {before: after for before, after in renamed.items() if len(after) > 1}
    for before, names in renamed.items():
        for after in names:
            if after != before:
                print(f"code {before} is now {after}")
    for before, names in split.items():
        print(f"code {before} became several: {', '.join(names)}")
    print(f"{len(chosen)} targets: {len(chosen) - different} equal, {different} differ")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
