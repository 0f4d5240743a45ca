"""A file that a process behind the wall may fill: another process writes it, and moves it to its place when it is whole."""

from __future__ import annotations

import os
from contextlib import suppress
from typing import BinaryIO

_PIECE = 1 << 20
_WHOLE = b"\1"


class Sink:
    """The end of a pipe that bytes are written to; `finish` says that they are all there."""

    def __init__(self, path: str) -> None:
        folder = os.path.dirname(os.path.realpath(path))
        self._path = os.path.realpath(path)
        self._beside = os.path.join(folder, f".{os.urandom(6).hex()}.tmp")
        descriptor = os.open(self._beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o644)
        self._child = 0
        if not hasattr(os, "fork"):
            self.file: BinaryIO = os.fdopen(descriptor, "wb")
            return
        reader, writer = os.pipe()
        self._child = os.fork()
        if not self._child:
            os.close(writer)
            os._exit(_copied(reader, descriptor, self._beside, self._path))
        os.close(reader)
        os.close(descriptor)
        self.file = os.fdopen(writer, "wb")

    def finish(self) -> bool:
        """Have the file moved to its place, and tell whether it is there."""
        if self._child:
            self.file.write(_WHOLE)
            self.file.close()
            with suppress(OSError):  # behind the wall it may not be waited for
                return os.waitpid(self._child, 0)[1] == 0
            return True
        self.file.close()
        os.replace(self._beside, self._path)
        return True

    def abandon(self) -> None:
        """Leave nothing behind."""
        with suppress(OSError):  # the other process may have ended, for want of room
            self.file.close()
        if not self._child:
            os.unlink(self._beside)
            return
        with suppress(OSError):  # behind the wall it may not be waited for
            os.waitpid(self._child, 0)


def _copied(reader: int, descriptor: int, beside: str, path: str) -> int:
    """Copy from a pipe to a file, which is moved to its place if the last byte says that it is whole."""
    held = b""
    try:
        while piece := os.read(reader, _PIECE):
            held += piece
            view = memoryview(held)[:-1]
            while view:
                view = view[os.write(descriptor, view) :]
            held = held[-1:]
        if held == _WHOLE:
            os.replace(beside, path)
            return 0
        os.unlink(beside)
    except OSError:
        with suppress(OSError):
            os.unlink(beside)
    return 1
