"""Running commands as a user does, with the wall, but forked from this process, which has imported what they need."""

from __future__ import annotations

import os
import resource
import signal
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO

from cutaway import cli
from cutaway.isolation.command import supervised

_PATIENCE_SECONDS = 30.0


@dataclass(frozen=True)
class Ended:
    """How a command ended, and what it took: seconds, seconds of processor time, and megabytes at its peak."""

    code: int
    out: str
    err: str
    seconds: float
    busy: float
    megabytes: int


def command(arguments: Sequence[str], folder: str | None = None) -> Ended:
    """Run `cutaway ARGUMENTS`; a code below zero is the signal that ended it."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        sys.stdout.flush()
        sys.stderr.flush()
        started = time.monotonic()
        process = os.fork()
        if process == 0:
            _be_the_command(arguments, folder, out, err)
        status, used = _wait(process, started + _PATIENCE_SECONDS)
        seconds = time.monotonic() - started
        return Ended(
            os.waitstatus_to_exitcode(status), _text(out), _text(err), seconds,
            used.ru_utime + used.ru_stime, used.ru_maxrss // 1024,
        )  # fmt: skip


def _be_the_command(arguments: Sequence[str], folder: str | None, out: IO[bytes], err: IO[bytes]) -> None:
    try:
        os.setpgid(0, 0)
        os.dup2(out.fileno(), 1)
        os.dup2(err.fileno(), 2)
        sys.stdout = open(1, "w", encoding="utf-8", closefd=False)  # noqa: SIM115
        sys.stderr = open(2, "w", encoding="utf-8", errors="backslashreplace", closefd=False, buffering=1)  # noqa: SIM115
        if folder is not None:
            os.chdir(folder)
        sys.argv = ["cutaway", *arguments]
        supervised(cli.program)
    finally:
        os._exit(70)


def _wait(process: int, deadline: float) -> tuple[int, resource.struct_rusage]:
    while True:
        ended, status, used = os.wait4(process, os.WNOHANG)
        if ended:
            return status, used
        if time.monotonic() > deadline:
            os.killpg(process, signal.SIGKILL)
        time.sleep(0.005)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")
