"""Running a function in a child process, so that what it does to its host is seen and goes no further."""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any

_MEMORY = 3 << 30
"""Bytes that a child may add to what its parent has mapped: frameworks that other tests import are gigabytes."""


class Lost(AssertionError):
    """The child did not come back: it was killed, crashed, or took too long."""


def apart(function: Callable[..., Any], *args: Any, seconds: float = 60.0) -> Any:
    """Return what `function(*args)` returns in a forked child of bounded memory, or raise what it raises."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        _run(function, args, writing)
    os.close(writing)
    data = _receive(reading, child, time.monotonic() + seconds)
    _, status = os.waitpid(child, 0)
    if not data:
        raise Lost(f"the child ended with {_ending(status)}")
    good, value = pickle.loads(data)
    if not good:
        raise AssertionError(value)
    return value


def seconds_of_children() -> float:
    """Return the processor time of the children that have ended: other processes on the machine do not count."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _run(function: Callable[..., Any], args: tuple[Any, ...], writing: int) -> None:
    """Be the child: send the outcome and leave without the parent's clean-up."""
    code = 0
    write, leave, dumps = os.write, os._exit, pickle.dumps
    try:
        limit = _mapped() + _MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        outcome = (True, function(*args))
    except BaseException:
        outcome = (False, traceback.format_exc())
    try:
        sys.stdout.flush()
        sys.stderr.flush()
        data = dumps(outcome)
        while data:
            data = data[write(writing, data) :]
    finally:
        leave(code)


def _mapped() -> int:
    """Return the bytes of address space that this process has mapped."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[0]) * resource.getpagesize()


def _receive(reading: int, child: int, deadline: float) -> bytes:
    import select

    parts = []
    with os.fdopen(reading, "rb", buffering=0) as pipe:
        while True:
            ready, _, _ = select.select([pipe], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                os.kill(child, signal.SIGKILL)
                return b""
            part = pipe.read(1 << 16)
            if not part:
                return b"".join(parts)
            parts.append(part)


def _ending(status: int) -> str:
    if os.WIFSIGNALED(status):
        return f"signal {signal.Signals(os.WTERMSIG(status)).name}"
    return f"exit code {os.WEXITSTATUS(status)}"
