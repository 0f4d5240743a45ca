"""Limits on a command as a process: its time, memory and stack, and the messages when one is exceeded.

The interpreter has budgets of its own and ends in an unknown when they run out. What it can't interrupt, one
operation of the host that takes too much time or memory, is limited here.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, NoReturn

FAILED, INTERRUPTED = 2, 130

_STACK_BYTES = 100 << 20
_MAX_BYTES, _MIN_BYTES = 16 << 30, 4 << 30
_GRACE_SECONDS = 1.0
_REPORT_SECONDS = 90.0  # for describing and writing the result, and for operations that can't be interrupted


def supervised(run: Callable[[Callable[[float], None]], int]) -> NoReturn:
    """End the process with the exit code of `run`, which runs in a child process where possible, so nothing is fatal.

    `run` gets a function to call as soon as it knows how many seconds it may take; if it never calls it, it is not
    limited. The child is started before much is imported, because memory that two processes share is slow to write to.
    """
    if not hasattr(os, "fork") or os.environ.get("CUTAWAY_DEBUG"):
        _finish(run, lambda seconds: None)
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(read_end)

        def limit(seconds: float) -> None:
            os.write(write_end, str(seconds + _GRACE_SECONDS + _REPORT_SECONDS).encode())
            os.close(write_end)
            _restrict()

        _finish(run, limit)
    os.close(write_end)
    os._exit(_wait(child, read_end))


def _finish(run: Callable[[Callable[[float], None]], int], limit: Callable[[float], None]) -> NoReturn:
    code: Any = FAILED
    try:
        code = run(limit)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)  # without taking the analysis apart object by object


def _wait(child: int, read_end: int) -> int:
    signals: list[int] = []

    def end(number: int, _frame: Any) -> None:
        signals.append(number)
        os.kill(child, signal.SIGKILL)

    def interrupt(number: int, _frame: Any) -> None:
        signals.append(number)  # the child is interrupted too; if it ignores that, it is killed
        signal.setitimer(signal.ITIMER_REAL, 2.0)

    signal.signal(signal.SIGINT, interrupt)
    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    seconds = os.read(read_end, 64)  # empty if the child has ended
    if seconds:
        signal.setitimer(signal.ITIMER_REAL, float(seconds))
    _, status = os.waitpid(child, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if number in signals:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    if signal.SIGINT in signals:
        print("cutaway: interrupted", file=sys.stderr)
        return INTERRUPTED
    print(f"cutaway: {_cause(os.WTERMSIG(status), signals)}", file=sys.stderr)
    return FAILED


def _cause(number: int, signals: list[int]) -> str:
    if signal.SIGALRM in signals:
        return "gave up: one operation of the target takes too long; --timeout allows more time"
    if number == signal.SIGKILL:
        return "the analysis was killed by the system, probably because it took too much memory"
    name = signal.Signals(number).name
    return f"the analysis crashed ({name}): the target nests something too deeply for Python itself"


def _restrict() -> None:
    """Limit stack and memory where the system supports it."""
    with suppress(ImportError, ValueError, OSError, AttributeError):
        import resource

        physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        memory = min(_MAX_BYTES, max(_MIN_BYTES, physical * 3 // 4))
        for kind, limit in (
            (resource.RLIMIT_STACK, _STACK_BYTES),
            (resource.RLIMIT_AS, memory),
            (resource.RLIMIT_CORE, 0),
        ):
            soft, hard = resource.getrlimit(kind)
            if soft == resource.RLIM_INFINITY or kind != resource.RLIMIT_AS:
                resource.setrlimit(kind, (limit if hard == resource.RLIM_INFINITY else min(limit, hard), hard))


@contextmanager
def interrupted_after(seconds: float) -> Iterator[None]:
    """Interrupt an operation of the target that is still running after the time budget has run out."""
    try:
        before = signal.signal(signal.SIGALRM, _interrupt)
    except (AttributeError, ValueError):  # no such signal, or not the main thread
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE_SECONDS, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _interrupt(*_args: object) -> None:
    from cutaway.interp.run.interpreter import interpreter  # late: a command that interprets nothing needs none of it

    if interpreter().stack:
        interpreter().budget.exhaust("the time budget ran out inside one operation")
