"""A function that runs in a process of its own: its arguments go there, and bytes come back.

On Linux the process is forked from the caller's. Elsewhere that is not possible, or not safe once system libraries are
in use, and it is a new Python, which takes longer to start.
"""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from typing import Any

from cutaway.core.error import CutawayError, InternalError
from cutaway.core.import_path import DROPPED
from cutaway.isolation.channel import CHANNEL, ERROR, IMPORTED, RESULT, Reception
from cutaway.isolation.child_process import FAILED, GRACE_SECONDS, LATE, Ending, ending_of, finish, start, wait
from cutaway.isolation.leave import leave_files

_START_SECONDS = 10.0  # for a new Python
_SHARED = ("numpy", "yaml")
_NEEDED: list[str] = []  # modules that a child has imported: the next one need not


def call(function: Callable[..., bytes], *arguments: Any, seconds: float | None) -> bytes:
    """Return what a module's function returns in a process of its own, or raise the `CutawayError` that it raises there.

    The function enters the wall itself, when it has said what it needs.
    """
    import_needed()
    reception = Reception(seconds)
    run = _forked if sys.platform == "linux" else _in_new_python
    try:
        ending = run(function, arguments, reception)
    except OSError as error:
        raise CutawayError(
            f"no process can be started for the analysis ({error.strerror}); with isolated=False it needs none"
        ) from None
    return result_of(ending, reception)


def import_needed() -> None:
    """Import what earlier children have imported, so that the next one need not."""
    for name in _NEEDED:
        with suppress(ImportError):
            import_module(name)
    _NEEDED.clear()


def result_of(ending: Ending, reception: Reception) -> bytes:
    """Return what a child has returned, or raise what it has raised, or why it has ended."""
    if ending.reason:
        raise CutawayError(ending.reason)
    leave_files(reception)
    if ERROR in reception.contents:
        raise _error(reception.contents[ERROR].decode("utf-8", "replace"))
    if RESULT not in reception.contents:
        raise CutawayError("the analysis ended without a result")
    names = reception.contents.get(IMPORTED, b"").decode("utf-8", "replace").split()
    _NEEDED.extend(name for name in names if name in _SHARED or name.startswith("cutaway."))
    return reception.contents[RESULT]


def _forked(function: Callable[..., bytes], arguments: tuple[Any, ...], reception: Reception) -> Ending:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of threads, whose locks the child does not take
        child, read_end = start(lambda: answer(function, arguments))
    return wait(child, read_end, reception)


def answer(function: Callable[..., bytes], arguments: tuple[Any, ...]) -> int:
    """Be the child: send what the function returns or raises, and return the exit code."""
    null = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(null, descriptor)
    before = set(sys.modules)
    try:
        result = function(*arguments)
    except CutawayError as error:
        kind = "internal" if isinstance(error, InternalError) else "error"
        CHANNEL.send(ERROR, f"{kind} {error.exit_code} {error}")
        return FAILED
    CHANNEL.send(IMPORTED, " ".join(name for name in list(sys.modules) if name not in before))
    CHANNEL.send(RESULT, result)
    return 0


def _error(text: str) -> CutawayError:
    kind, code, message = [*text.split(" ", 2), "", ""][:3]
    error = InternalError(message) if kind == "internal" else CutawayError(message)
    error.exit_code = 1 if code == "1" else FAILED
    return error


_BOOT = """
import pickle, sys
path, dropped, request = pickle.load(sys.stdin.buffer)
sys.path[:] = path
from cutaway.isolation.call import serve
serve(dropped, request)
"""


def _in_new_python(function: Callable[..., bytes], arguments: tuple[Any, ...], reception: Reception) -> Ending:
    """Run a function in a new Python, which gets its name and arguments; it trusts us, and we do not trust it."""
    import subprocess

    request = pickle.dumps((sys.path, DROPPED, (function.__module__, function.__qualname__, arguments)))
    limit = None if reception.seconds is None else reception.seconds + GRACE_SECONDS + _START_SECONDS
    process = subprocess.Popen(
        [sys.executable, "-I", "-c", _BOOT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        sent, _ = process.communicate(request, limit)
    except subprocess.TimeoutExpired:
        return Ending(FAILED, LATE)
    finally:
        process.kill()
        process.wait()
    if not reception.feed(sent):
        return Ending(FAILED, "the analysis sent something unexpected")
    return ending_of(process.returncode, reception)


def serve(dropped: list[str], request: tuple[str, str, tuple[Any, ...]]) -> None:
    """Be the new Python: answer on what was standard output."""
    module, name, arguments = request
    DROPPED[:] = dropped
    answers = os.dup(1)
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(answers, os.O_BINARY)
    finish(answers, lambda: answer(getattr(import_module(module), name), arguments))
