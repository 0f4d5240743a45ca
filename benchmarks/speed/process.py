"""What a process takes from its start to its end: seconds and memory."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_STARTER = """
import os, sys, time
started = time.perf_counter()
silent = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
process = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=silent)
_, status, usage = os.wait4(process, 0)
seconds = time.perf_counter() - started
unit = 1 if sys.platform == "darwin" else 1024
spent = usage.ru_utime + usage.ru_stime
print([os.waitstatus_to_exitcode(status), seconds, spent, usage.ru_maxrss * unit / 1e6])
"""


class Failed(Exception):
    """A process ended with an error; the message has the end of what it said."""


@dataclass(frozen=True)
class Run:
    """What one process took."""

    seconds: float
    processor_seconds: float
    megabytes: float


@dataclass(frozen=True)
class Result:
    """What one model took both ways."""

    model: str
    live: Run
    static: Run

    @property
    def speed(self) -> float:
        """How many times as fast static analysis is."""
        return self.live.seconds / self.static.seconds

    @property
    def share(self) -> float:
        """The part of the live time that static analysis takes."""
        return self.static.seconds / self.live.seconds

    @property
    def memory(self) -> float:
        """The part of the live process's peak memory that static analysis takes."""
        return self.static.megabytes / self.live.megabytes


def shown(python: str, target: str, *inputs: str) -> list[str]:
    """Return the command that shows a target, analysed anew each time."""
    return [
        python,
        "-m",
        "cutaway",
        "show",
        "--no-cache",
        target,
        *(part for text in inputs for part in ("--input", text)),
    ]


def run(command: list[str], allowed: tuple[int, ...] = (0,), environment: Mapping[str, str] = {}) -> Run:
    """Run a process to its end and measure it.

    A small process of its own starts it: a process is charged with the memory of the one that started it, and a
    benchmark that holds the truth of a zoo is larger than what it measures.
    """
    path = {"PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    starter = [sys.executable, "-I", "-S", "-c", _STARTER, *command]
    ended = subprocess.run(starter, env={**os.environ, **path, **environment}, capture_output=True, check=True)
    code, seconds, processor_seconds, megabytes = json.loads(ended.stdout)
    if code not in allowed:
        raise Failed(f"{' '.join(command)} failed:\n{ended.stderr.decode(errors='replace')[-2000:]}")
    return Run(seconds, processor_seconds, megabytes)


def median(runs: list[Run]) -> Run:
    """Return the median of each figure."""
    return Run(
        statistics.median(run.seconds for run in runs),
        statistics.median(run.processor_seconds for run in runs),
        statistics.median(run.megabytes for run in runs),
    )
