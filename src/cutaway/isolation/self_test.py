"""What is in force on this machine: the wall is raised in a child process, which then tries what it must not do."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable

from cutaway.core.record import dataclass
from cutaway.isolation import child
from cutaway.isolation.call import call
from cutaway.isolation.readable import rights
from cutaway.isolation.wall import Measure

_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Attempt:
    """Something that an analysis must not do, and whether it was refused."""

    name: str
    refused: bool
    detail: str


def self_test() -> tuple[list[Measure], list[Attempt]]:
    """Return the parts of the wall, and what a process behind it could do."""
    found = json.loads(call(_report, seconds=_SECONDS))
    return [Measure(*each) for each in found["measures"]], [Attempt(*each) for each in found["attempts"]]


def _report() -> bytes:
    """Be the child: without the hook, which would end it at the first attempt."""
    parent, folder = os.getppid(), os.path.dirname(os.path.abspath(__file__))
    measures = child.enter(rights([], []), _SECONDS, hook=False)
    attempts = _attempts(parent, folder) if sys.platform == "linux" else []
    rows = [(each.name, each.in_force, each.detail) for each in measures]
    return json.dumps({"measures": rows, "attempts": attempts}).encode()


def _attempts(parent: int, folder: str) -> list[tuple[str, bool, str]]:
    import socket

    def write() -> None:
        path = os.path.join(folder, ".self_test")
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT))
        os.unlink(path)

    def fork() -> None:
        if os.fork() == 0:
            os._exit(0)

    return [
        _attempt("write a file", write),
        _attempt("read a file of the system", lambda: os.close(os.open("/etc/passwd", os.O_RDONLY))),
        _attempt("start a process", fork),
        _attempt("run a program", lambda: os.execv("/nonexistent/program", ["program"])),
        _attempt("open a socket", lambda: socket.socket().close()),
        _attempt("signal another process", lambda: os.kill(parent, 0)),
        _attempt("change a file's mode", lambda: os.chmod(folder, os.stat(folder).st_mode & 0o777)),
    ]


def _attempt(name: str, act: Callable[[], object]) -> tuple[str, bool, str]:
    try:
        act()
    except PermissionError as error:
        return name, True, error.strerror or ""
    except OSError as error:
        return name, False, error.strerror or ""
    return name, False, "it was possible"
