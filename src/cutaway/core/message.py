"""Messages on the error stream: a line each, in which nothing that a target chose is obeyed."""

from __future__ import annotations

import sys
from contextlib import suppress

from cutaway.core.progress import PROGRESS


def print_message(text: str) -> None:
    """Print a message after the name of the program, in the characters that the error stream can encode."""
    PROGRESS.clear()
    encoding = getattr(sys.stderr, "encoding", None) or "ascii"
    text = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)
    with suppress(OSError, ValueError):
        print(f"cutaway: {text}".encode(encoding, "backslashreplace").decode(encoding), file=sys.stderr, flush=True)
