"""Calls of the Linux kernel that Python has no function for.

They go through `_ctypes`, the compiled part of `ctypes`: importing the rest would take longer than all of the calls.
"""

from __future__ import annotations

import sys
from typing import Any


class KernelError(OSError):
    """A call that the kernel refused."""


class Kernel:
    """The C library's `syscall` and `prctl`."""

    def __init__(self) -> None:
        import _ctypes

        class Long(_ctypes._SimpleCData):  # type: ignore[type-arg]
            _type_ = "l"

        class Int(_ctypes._SimpleCData):  # type: ignore[type-arg]
            _type_ = "i"

        class Function(_ctypes.CFuncPtr):
            _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
            _restype_ = Long

        class IntFunction(_ctypes.CFuncPtr):
            _flags_ = _ctypes.FUNCFLAG_CDECL | _ctypes.FUNCFLAG_USE_ERRNO
            _restype_ = Int

        library = _ctypes.dlopen(None, 0)  # type: ignore[arg-type]
        self._long = Long
        self._errno = _ctypes.get_errno
        self._syscall = Function(_ctypes.dlsym(library, "syscall"))
        self._prctl = IntFunction(_ctypes.dlsym(library, "prctl"))

    def syscall(self, number: int, *arguments: int | bytes) -> int:
        """Make a system call; numbers are passed as they are, bytes as a pointer to them."""
        return self._called(self._syscall, number, *arguments)

    def prctl(self, *arguments: int | bytes) -> int:
        """Change the process itself."""
        return self._called(self._prctl, *arguments)

    def _called(self, function: Any, *arguments: int | bytes) -> int:
        words = [each if isinstance(each, bytes) else self._long(each) for each in arguments]
        words += [self._long(0)] * (7 - len(words))
        result: int = function(*words)
        if result < 0:
            import os

            number = self._errno()
            raise KernelError(number, os.strerror(number))
        return result

    @staticmethod
    def address(data: bytes) -> int:
        """Return where the content of a bytes object is in memory, for as long as the object lives."""
        return id(data) + bytes.__basicsize__ - 1


def kernel() -> Kernel | None:
    """Return the calls, None on other systems and where Python was built without `_ctypes`."""
    if sys.platform != "linux" or sys.implementation.name != "cpython":
        return None
    try:
        return Kernel()
    except (ImportError, OSError, AttributeError):
        return None
