"""Bounds on a command as a process: its time, memory and stack, and what is said when one is crossed.

The interpreter has budgets of its own and ends in an unknown when they run out. What it can't see, one
operation of the host that takes too long or too much, is bounded here.
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
_MOST_BYTES, _LEAST_BYTES = 16 << 30, 4 << 30
_GRACE_SECONDS = 1.0
_LAST_SECONDS = 90.0  # for describing and writing what was found, and for operations that can't be interrupted


def supervised(run: Callable[[Callable[[float], None]], int]) -> NoReturn:
    """End the process with the exit code of `run`, run in a child process where there can be one: nothing is fatal.

    `run` is given what it is to call as soon as it knows how many seconds it may take; if it never does, it has no
    bounds. The child is started before much is imported, for memory that two processes share is slow to write to.
    """
    if not hasattr(os, "fork") or os.environ.get("CUTAWAY_DEBUG"):
        _finish(run, lambda seconds: None)
    told, tell = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(told)

        def bounded(seconds: float) -> None:
            os.write(tell, str(seconds + _GRACE_SECONDS + _LAST_SECONDS).encode())
            os.close(tell)
            _restrict()

        _finish(run, bounded)
    os.close(tell)
    os._exit(_wait(child, told))


def _finish(run: Callable[[Callable[[float], None]], int], bounded: Callable[[float], None]) -> NoReturn:
    code: Any = FAILED
    try:
        code = run(bounded)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)  # without taking the analysis apart object by object


def _wait(child: int, told: int) -> int:
    asked: list[int] = []

    def end(number: int, _frame: Any) -> None:
        asked.append(number)
        os.kill(child, signal.SIGKILL)

    def interrupt(number: int, _frame: Any) -> None:
        asked.append(number)  # the child is interrupted too; if it does not heed that, it is ended
        signal.setitimer(signal.ITIMER_REAL, 2.0)

    signal.signal(signal.SIGINT, interrupt)
    for number in (signal.SIGALRM, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    seconds = os.read(told, 64)  # nothing where the child has ended
    if seconds:
        signal.setitimer(signal.ITIMER_REAL, float(seconds))
    _, status = os.waitpid(child, 0)
    signal.setitimer(signal.ITIMER_REAL, 0)
    for number in (signal.SIGTERM, signal.SIGHUP):
        if number in asked:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)
    if os.WIFEXITED(status):
        return os.WEXITSTATUS(status)
    if signal.SIGINT in asked:
        print("cutaway: interrupted", file=sys.stderr)
        return INTERRUPTED
    print(f"cutaway: {_cause(os.WTERMSIG(status), asked)}", file=sys.stderr)
    return FAILED


def _cause(number: int, asked: list[int]) -> str:
    if signal.SIGALRM in asked:
        return "gave up: one operation of the target takes too long; --timeout allows more time"
    if number == signal.SIGKILL:
        return "the analysis was ended by the system, probably because it took too much memory"
    name = signal.Signals(number).name
    return f"the analysis crashed ({name}): the target nests something deeper than Python itself can follow"


def _restrict() -> None:
    """Bound stack and memory where the system can."""
    with suppress(ImportError, ValueError, OSError, AttributeError):
        import resource

        physical = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        memory = min(_MOST_BYTES, max(_LEAST_BYTES, physical * 3 // 4))
        for kind, wanted in (
            (resource.RLIMIT_STACK, _STACK_BYTES),
            (resource.RLIMIT_AS, memory),
            (resource.RLIMIT_CORE, 0),
        ):
            soft, hard = resource.getrlimit(kind)
            if soft == resource.RLIM_INFINITY or kind != resource.RLIMIT_AS:
                resource.setrlimit(kind, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))


@contextmanager
def alarmed(seconds: float) -> Iterator[None]:
    """Interrupt an operation of the target that is still at it when the time budget has long run out."""
    try:
        before = signal.signal(signal.SIGALRM, _late)
    except (AttributeError, ValueError):  # no such signal, or not the main thread
        yield
        return
    signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE_SECONDS, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _late(*_args: object) -> None:
    from cutaway.interp.run.interpreter import interpreter  # late: a command that interprets nothing needs none of it

    if interpreter().stack:
        interpreter().budget.exhaust("the time budget ran out inside one operation")
