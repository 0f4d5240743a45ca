"""Room on the stack for what a target nests: frames of Python that call each other through C are counted, not measured."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress

BYTES = 100 << 20
"""Of the main thread's stack, which the system extends up to its limit; it keeps 128 MB free for it."""
_FRAMES, _FRAMES_OF_A_THREAD = 20_000, 5_000


@contextmanager
def deep() -> Iterator[None]:
    """Let frames nest as deep as the stack of this thread allows, until the end of the block."""
    frames, limits = sys.getrecursionlimit(), _raised()
    sys.setrecursionlimit(max(frames, _FRAMES if limits is not None else _FRAMES_OF_A_THREAD))
    try:
        yield
    finally:
        sys.setrecursionlimit(frames)
        if limits:
            _set(limits)


def _raised() -> tuple[int, int] | tuple[()] | None:
    """Raise the limit of the stack if it is lower; return the limits before, nothing if they are fine, None if it can't be."""
    threading = sys.modules.get("threading")  # as long as it is not imported, there is no other thread
    if threading is not None and threading.current_thread() is not threading.main_thread():
        return None
    try:
        import resource
    except ImportError:  # Windows
        return None
    before = resource.getrlimit(resource.RLIMIT_STACK)
    soft, hard = before
    if soft == resource.RLIM_INFINITY or soft >= BYTES:
        return ()
    return before if _set((BYTES, hard)) else None


def _set(limits: tuple[int, int]) -> bool:
    import resource

    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_STACK, limits)
        return True
    return False
