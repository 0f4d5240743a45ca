"""A command as a process: a parent that waits, and a child that reads the target and writes the result."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, NoReturn

from cutaway.core.message import print_message
from cutaway.core.progress import ERASE
from cutaway.isolation.channel import RESULT, SAID, Reception
from cutaway.isolation.child_process import FAILED, Ending, start, wait

INTERRUPTED = 130


def supervised(run: Callable[[], int]) -> NoReturn:
    """End the process with the exit code of `run`, which runs in a child process where possible, so nothing is fatal.

    The child is started before much is imported, because memory that two processes share is slow to write to.
    """
    _open_standard_streams()
    if not hasattr(os, "fork") or os.environ.get("CUTAWAY_DEBUG"):
        os._exit(_flushed(run))
    child, read_end = start(lambda: _flushed(run))
    os._exit(_parent(child, read_end))


def _open_standard_streams() -> None:
    """Open those that the caller has closed on nothing: another file would get their numbers, and be written to."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (it stays open)


def _flushed(run: Callable[[], int]) -> int:
    code = FAILED
    try:
        code = run()
    finally:
        with suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
    return code


def _parent(child: int, read_end: int) -> int:
    reception = Reception()
    ends: list[int] = []

    def end(number: int, _frame: Any) -> NoReturn:
        ends.append(number)
        raise KeyboardInterrupt

    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, end)
    try:
        ending = wait(child, read_end, reception)
    except KeyboardInterrupt:
        ending = Ending(INTERRUPTED, "interrupted")
    if ends:
        signal.signal(ends[0], signal.SIG_DFL)
        os.kill(os.getpid(), ends[0])
    if ending.reason and SAID in reception.contents:
        return ending.code
    if ending.reason:
        if sys.stderr.isatty():
            print(ERASE, end="", file=sys.stderr)
        print_message(ending.reason)
        return ending.code
    return _leave_files(reception, ending.code)


def _leave_files(reception: Reception, code: int) -> int:
    """Write what the child has handed over, and return the exit code."""
    # late: most commands write no file
    from cutaway.isolation.files import write_file
    from cutaway.isolation.leave import leave_files

    leave_files(reception)
    content = reception.contents.get(RESULT)
    if reception.output is not None and content is not None:
        try:
            write_file(content, reception.output)
        except OSError as error:
            print_message(f"{reception.output}: can't be written ({error.strerror})")
            return FAILED
        if reception.opens:
            from cutaway.isolation.browser import open_page  # late: only `view` opens one

            open_page(reception.output)
    return code
