"""The line on a terminal that says what is being read, once a command takes longer than a second."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from typing import TextIO

_FIRST = 1.0  # seconds before the line appears
_PAUSE = 0.1  # seconds between two versions of it
ERASE = "\r\x1b[K"


class Progress:
    """What a process is doing; nothing is written until a terminal is given."""

    def __init__(self) -> None:
        self.title = ""  # which of several targets it is
        self.doing = ""
        self._stream: TextIO | None = None
        self._columns = 80
        self._started = self._next = 0.0
        self._is_shown = False

    def show_on(self, stream: TextIO) -> None:
        """Show the line on a stream if that is a terminal; asked before the wall is up, which hides the terminal."""
        if stream.isatty():
            self._stream = stream
            with suppress(OSError, ValueError):
                self._columns = os.get_terminal_size(stream.fileno()).columns or self._columns
            self._started = time.monotonic()
            self._next = self._started + _FIRST

    def tick(self) -> None:
        """Write the line anew if it is time; called often."""
        if self._stream is None or time.monotonic() < self._next:
            return
        self._next = time.monotonic() + _PAUSE
        self._write(f"{ERASE}{self._line()}")
        self._is_shown = True

    def clear(self) -> None:
        """Erase the line, because something else is about to be printed."""
        if self._is_shown:
            self._write(ERASE)
            self._is_shown = False

    def _line(self) -> str:
        seconds = f" ({time.monotonic() - self._started:.0f} s)"
        text = "".join(letter if letter.isprintable() else "?" for letter in (self.title or self.doing))
        return text[: max(0, self._columns - len(seconds) - 1)] + seconds

    def _write(self, text: str) -> None:
        assert self._stream is not None
        encoding = getattr(self._stream, "encoding", None) or "ascii"
        with suppress(OSError, ValueError):
            self._stream.write(text.encode(encoding, "replace").decode(encoding))
            self._stream.flush()


PROGRESS = Progress()
"""That of this process."""
