"""The child's side of the wall: it is raised here, once everything that the parent has to know has been said."""

from __future__ import annotations

import os
import signal
from collections.abc import Sequence

from cutaway.isolation import bytecode
from cutaway.isolation.channel import CHANNEL
from cutaway.isolation.child_process import GRACE_SECONDS, stop
from cutaway.isolation.readable import Right
from cutaway.isolation.wall import Measure, raise_wall


def enter(readable: Sequence[Right], seconds: float | None, hook: bool = True) -> tuple[Measure, ...]:
    """Raise the wall around this process, if asked without its hook; `seconds` is its time limit."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides: no KeyboardInterrupt in here is the user's
    os.environ["OPENBLAS_NUM_THREADS"] = "1"  # numpy starts one for each core, with memory of its own
    CHANNEL.uncompiled = bytecode.note_uncompiled()
    measures = raise_wall(readable, None if seconds is None else seconds + GRACE_SECONDS, stop if hook else None)
    CHANNEL.seal()
    return measures
