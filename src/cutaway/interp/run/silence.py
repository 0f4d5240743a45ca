"""Output of host functions that run on a target's behalf is discarded: prints, warnings, unraisable errors."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout


class _NullStream(io.TextIOBase):
    """A stream that discards everything."""

    def write(self, text: str) -> int:
        return len(text)


@contextmanager
def silence() -> Iterator[None]:
    """Discard everything that is printed, unless Cutaway itself is being debugged."""
    hook = sys.unraisablehook
    sys.unraisablehook = lambda _unraisable: None
    debugging = bool(os.environ.get("CUTAWAY_DEBUG"))
    null = _NullStream()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with (
                redirect_stdout(sys.stdout if debugging else null),
                redirect_stderr(sys.stderr if debugging else null),
            ):
                yield
    finally:
        sys.unraisablehook = hook
