"""What a process takes from its start to its end: seconds and memory."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
_UNIT = 1 if sys.platform == "darwin" else 1024  # of ru_maxrss, in bytes


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


def run(command: list[str], allowed: tuple[int, ...] = (0,)) -> Run:
    """Run a process to its end and measure it."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}
    started = time.perf_counter()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    complaint = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - started
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode not in allowed:
        raise Failed(f"{' '.join(command)} failed:\n{complaint.decode(errors='replace')[-2000:]}")
    return Run(seconds, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * _UNIT / 1e6)


def median(runs: list[Run]) -> Run:
    """Return the median of each figure."""
    return Run(
        statistics.median(run.seconds for run in runs),
        statistics.median(run.processor_seconds for run in runs),
        statistics.median(run.megabytes for run in runs),
    )
