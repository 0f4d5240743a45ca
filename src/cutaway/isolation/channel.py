"""What a child process tells its parent, over a pipe: each message is a kind, a length and its content.

Before the wall is up, the child is trusted: it says which files are to be written and how long it may take. Afterwards it
only hands over contents, and the parent writes these to the files that were named before.
"""

from __future__ import annotations

import os

DEADLINE, OUTPUT, ENTRY_PATH, SEALED, OPEN = b"d", b"o", b"p", b"s", b"b"
RESULT, ENTRY, ENTRY_USED, UNCOMPILED, IMPORTED, TRIED, ENDED, ERROR, SAID = (
    b"r", b"e", b"u", b"c", b"i", b"t", b"x", b"f", b"m",
)  # fmt: skip
_LENGTH_BYTES = 8
LARGEST = 1 << 30
"""Bytes that a parent accepts."""


class Channel:
    """The child's end; it is closed in a process that has no parent of this kind."""

    def __init__(self) -> None:
        self._descriptor = -1
        self.sealed = False
        self.entries: set[str] = set()
        self.uncompiled: list[str] = []

    @property
    def is_open(self) -> bool:
        """Tell whether a parent listens."""
        return self._descriptor >= 0

    def open(self, descriptor: int) -> None:
        """Send to a descriptor from now on."""
        self._descriptor = descriptor

    def send(self, kind: bytes, content: bytes | str = b"") -> None:
        """Send a message, whole."""
        content = content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
        message = memoryview(kind + len(content).to_bytes(_LENGTH_BYTES, "big") + content)
        while message:
            message = message[os.write(self._descriptor, message) :]

    def name_entry(self, path: str) -> None:
        """Say that a file of the cache may be written, or noted as used."""
        self.entries.add(path)
        self.send(ENTRY_PATH, path)

    def seal(self) -> None:
        """Say that the wall is up."""
        self.sealed = True
        self.send(SEALED)


CHANNEL = Channel()
"""That of this process."""


class Reception:
    """The parent's end: what was received so far."""

    def __init__(self, seconds: float | None = None, sealed: bool = False) -> None:
        self.seconds = seconds
        self.sealed = sealed
        self.output: str | None = None
        self.opens = False
        self.paths: list[str] = []
        self.contents: dict[bytes, bytes] = {}
        self.entries: dict[str, bytes] = {}
        self.used: list[str] = []
        self._waiting = bytearray()
        self._total = 0

    def feed(self, data: bytes) -> bool:
        """Take in bytes as they arrive; False if they are more, or others, than a child of ours sends."""
        self._waiting += data
        self._total += len(data)
        start = 1 + _LENGTH_BYTES
        while len(self._waiting) >= start:
            end = start + int.from_bytes(self._waiting[1:start], "big")
            if end > LARGEST:
                return False
            if len(self._waiting) < end:
                break
            kind, content = bytes(self._waiting[:1]), bytes(self._waiting[start:end])
            del self._waiting[:end]
            if not self._take(kind, content):
                return False
        return self._total <= LARGEST

    def _take(self, kind: bytes, content: bytes) -> bool:
        if kind in (DEADLINE, OUTPUT, ENTRY_PATH, SEALED, OPEN):
            return not self.sealed and self._announce(kind, content)
        if kind in (ENTRY, ENTRY_USED):
            path, _, entry = content.partition(b"\0")
            name = path.decode("utf-8", "surrogateescape")
            if name not in self.paths:
                return False
            if kind == ENTRY:
                self.entries[name] = entry
            else:
                self.used.append(name)
        else:
            self.contents[kind] = content
        return True

    def _announce(self, kind: bytes, content: bytes) -> bool:
        text = content.decode("utf-8", "surrogateescape")
        if kind == DEADLINE:
            self.seconds = float(text)
        elif kind == OUTPUT:
            self.output = text
        elif kind == ENTRY_PATH:
            self.paths.append(text)
        elif kind == OPEN:
            self.opens = True
        else:
            self.sealed = True
        return True

    def text(self, kind: bytes) -> str:
        """Return the content of a message, or nothing; it may be anything, so it is one line of printable characters."""
        text = self.contents.get(kind, b"").decode("utf-8", "replace")[:2000]
        return "".join(letter if letter.isprintable() else " " for letter in text)
