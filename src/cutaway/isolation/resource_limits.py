"""Limits of a process on memory, processor time, stack and files, where the system has them."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress

from cutaway.core import stack

_MAPPED_BYTES, _MEMORY_BYTES = 4 << 30, 850 << 20
"""What may be mapped in all, and what of it written: the rest of 1 GB is what Python and the libraries take."""
_MOST_FILES = 256


def restrict(seconds: float | None, mapped: tuple[int, int]) -> list[str]:
    """Limit this process for good; return what is limited, in words.

    `seconds` is the processor time that it may take, `mapped` the memory that it has, which only grows by so much.
    """
    try:
        import resource
    except ImportError:  # Windows
        return []
    limited = []

    def limit(kind: str, value: int, words: str) -> None:
        number = getattr(resource, f"RLIMIT_{kind}", None)
        if number is None:
            return
        with suppress(OSError, ValueError):
            _, most = resource.getrlimit(number)
            value = value if most == resource.RLIM_INFINITY else min(value, most)
            resource.setrlimit(number, (value, value))
            limited.append(words)

    limit("STACK", stack.BYTES, "stack")
    everything, data = mapped
    limit("AS", everything + _MAPPED_BYTES, "memory")
    if data:
        limit("DATA", data + _MEMORY_BYTES, "data")
    limit("CORE", 0, "core dumps")
    limit("NOFILE", _MOST_FILES, "open files")
    if seconds is not None and sys.platform != "linux":
        # On Linux the parent's deadline is enough: its child can't outlive it. With this limit, the kernel would tell the
        # processor time only in steps of milliseconds.
        limit("CPU", int(seconds) + 3, "processor time")
    if not _writes_to_a_file():
        limit("FSIZE", 0, "file size")
    if sys.platform != "linux":  # where threads count as processes, and a filter refuses these
        limit("NPROC", 0, "processes")
    return limited


def mapped_bytes() -> tuple[int, int]:
    """Return how much memory is mapped already, and how much of it can be written; 0 where the system does not say.

    A process that this one was forked from may have mapped much.
    """
    if sys.platform != "linux":
        return 0, 0
    with suppress(OSError, ValueError), open("/proc/self/statm", "rb") as file:
        pages = file.read().split()
        return int(pages[0]) * os.sysconf("SC_PAGE_SIZE"), int(pages[5]) * os.sysconf("SC_PAGE_SIZE")
    return 0, 0


def _writes_to_a_file() -> bool:
    """Tell whether standard output or the error stream is a file."""
    for descriptor in (1, 2):
        with suppress(OSError):
            if stat.S_ISREG(os.fstat(descriptor).st_mode):
                return True
    return False
