"""The process that an analysis runs in, as its parent sees it: started, waited for until its deadline, and its ending."""

from __future__ import annotations

import gc
import os
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from cutaway.core.frame_room import with_room
from cutaway.isolation.channel import CHANNEL, ENDED, TRIED, UNCOMPILED, Reception

FAILED = 2
GRACE_SECONDS = 1.5
"""How long a process may take beyond the time limit of the analysis."""

_CODES = ("0", "1", "2", "130")
_REPORT = "please report it, with the target"


def start(work: Callable[[], int]) -> tuple[int, int]:
    """Fork a child that does some work, whose result is its exit code; return it, and the end of its pipe to read from.

    Of the files that are open, the child keeps the standard streams alone.
    """
    read_end, write_end = os.pipe()
    child = os.fork()
    if child:
        os.close(write_end)
        return child, read_end
    gc.freeze()  # what the parent has created is not collected here, where its finalisers would act twice
    _close_others(write_end)
    finish(write_end, work)


def finish(descriptor: int, work: Callable[[], int]) -> NoReturn:
    """Do the work of this process, tell the parent that it is done, and end."""
    code = FAILED
    try:
        CHANNEL.open(descriptor)
        code = with_room(work)
        if CHANNEL.uncompiled:
            CHANNEL.send(UNCOMPILED, "\0".join(CHANNEL.uncompiled))
        CHANNEL.send(ENDED, str(code))
    finally:
        os._exit(code)  # without taking the analysis apart object by object


def _close_others(kept: int) -> None:
    most = os.sysconf("SC_OPEN_MAX")
    if most < 0 or sys.platform != "linux":  # where Python closes one after the other
        most = 1 << 16
    os.closerange(3, kept)
    os.closerange(kept + 1, most)


class Ending:
    """How a child ended: with an exit code, or for a reason."""

    __slots__ = ("code", "reason")

    def __init__(self, code: int, reason: str = "") -> None:
        self.code = code
        self.reason = reason


def wait(child: int, read_end: int, reception: Reception) -> Ending:
    """Receive what a child sends until it ends, and end it at its deadline, or where this process is interrupted."""
    try:
        cause = _receive(read_end, reception)
        if cause:
            _kill(child)
        status = _reap(child)
    except BaseException:
        if reception.sealed:
            _kill(child)
        _reap(child)  # a program that runs is interrupted too
        raise
    finally:
        os.close(read_end)
    return Ending(FAILED, cause) if cause else ending_of(status, reception)


LATE = "gave up: one operation of the target takes too long; --timeout allows more time"


def _receive(read_end: int, reception: Reception) -> str:
    """Receive until the pipe is closed; return why the child has to be ended before, if it has."""
    import select

    poll = select.poll()
    poll.register(read_end, select.POLLIN)
    started: float | None = None
    while True:
        milliseconds = None
        if reception.seconds is not None:
            started = time.monotonic() if started is None else started
            milliseconds = max(0.0, started + reception.seconds + GRACE_SECONDS - time.monotonic()) * 1000
        if not poll.poll(milliseconds):
            return LATE
        data = os.read(read_end, 1 << 20)
        if not data:
            return ""
        if not reception.feed(data):
            return "the analysis sent something unexpected"


def end(child: int, kill: bool) -> int:
    """Return the exit code of a child that has closed its pipe, or is to be killed."""
    if kill:
        _kill(child)
    return _reap(child)


def _kill(child: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(child, 9)


def _reap(child: int) -> int:
    """Return the exit code of a child that has closed its pipe, or the signal that ended it, negative.

    One that goes on all the same is ended.
    """
    until = time.monotonic() + GRACE_SECONDS
    pause = 0.0005
    while True:
        try:
            ended, status = os.waitpid(child, os.WNOHANG)
        except ChildProcessError:  # someone else has waited for it
            return 0
        if ended:
            return os.waitstatus_to_exitcode(status)
        if time.monotonic() > until:
            _kill(child)
        time.sleep(pause)
        pause = min(2 * pause, 0.05)


def ending_of(code: int, reception: Reception) -> Ending:
    """Return how a child ended, from its exit code, or the signal that ended it, and from what it has said."""
    tried = reception.text(TRIED)
    if tried:
        return Ending(FAILED, f"the analysis was ended, because it tried something forbidden ({tried}); {_REPORT}")
    if code < 0:
        return Ending(FAILED, _crash(-code))
    if not reception.sealed:
        return Ending(code)
    told = reception.text(ENDED)
    return Ending(int(told)) if told in _CODES else Ending(FAILED, "the analysis ended without a result")


def _crash(number: int) -> str:
    import signal

    if number == signal.SIGKILL:
        return "the analysis was killed by the system, probably because it took too much memory"
    if number == getattr(signal, "SIGXCPU", None):
        return LATE
    name = signal.Signals(number).name
    return f"the analysis crashed ({name}): the target nests something too deeply for Python itself"


def stop(tried: str) -> NoReturn:
    """End this process, a child, because it was about to do what an analysis never does."""
    try:
        CHANNEL.send(TRIED, tried[:500])
    finally:
        os._exit(FAILED)
