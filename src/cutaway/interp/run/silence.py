"""What functions of the host say on a target's behalf is not said: prints, warnings, errors of last words."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout


class _Nowhere(io.TextIOBase):
    """A stream that keeps nothing."""

    def write(self, text: str) -> int:
        return len(text)


@contextmanager
def silence() -> Iterator[None]:
    """Let nothing be printed, unless Cutaway itself is being debugged."""
    hook = sys.unraisablehook
    sys.unraisablehook = lambda _unraisable: None
    debugging = bool(os.environ.get("CUTAWAY_DEBUG"))
    nowhere = _Nowhere()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            with (
                redirect_stdout(sys.stdout if debugging else nowhere),
                redirect_stderr(sys.stderr if debugging else nowhere),
            ):
                yield
    finally:
        sys.unraisablehook = hook
