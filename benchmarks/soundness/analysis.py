"""One program, analysed by Cutaway and run by torch, with the verdict."""

from __future__ import annotations

import os
import signal
import tempfile
from pathlib import Path

import cutaway
from benchmarks.soundness.judge import Verdict, judge
from benchmarks.soundness.program import Program
from benchmarks.soundness.truth import runs
from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError, InternalError

SECONDS = 20


class Crash(Exception):
    """Cutaway fails by its own mistake, or does not end."""


def analysed(program: Program) -> Architecture | str:
    """Return what Cutaway shows of a program, or the error that it reports instead."""

    def late(*_args: object) -> None:
        raise Crash("it does not end")

    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        for path, source in program.files.items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(source)
        os.chdir(folder)
        handler = signal.signal(signal.SIGALRM, late)
        signal.setitimer(signal.ITIMER_REAL, SECONDS)
        try:
            found = cutaway.show(
                program.target,
                input=program.input,
                path=program.installed or (),
                timeout=SECONDS / 2,
                isolated=False,  # the process is one of a pool already; another for each program takes as long again
            )
            return found[0] if found else "nothing is shown"
        except InternalError as error:
            raise Crash(str(error)) from error
        except CutawayError as error:
            return str(error)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, handler)
            os.chdir(before)


def warm_up() -> None:
    """Import what analyses need, before processes are forked."""
    source = "import torch\nfrom torch import nn\n\nNet = nn.Linear(4, 4)\n"
    analysed(Program({"model.py": source}, ()))


def verdict_on(program: Program) -> Verdict:
    """Analyse a program, run it, and compare."""
    done = runs(program)
    try:
        result = analysed(program)
    except Crash as crash:
        return Verdict(crash=str(crash))
    return judge(program, result, done)
