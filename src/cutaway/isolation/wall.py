"""The whole wall, put up in the process that analyses: what the system has of it, in the order that it needs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from cutaway.core.record import dataclass
from cutaway.isolation import audit, landlock, resource_limits, seccomp
from cutaway.isolation.kernel import Kernel, KernelError, kernel
from cutaway.isolation.landlock import READ_FILE
from cutaway.isolation.readable import Right, code_folders

_PARENT_DEATH_SIGNAL, _NO_NEW_PRIVILEGES = 1, 38
_SIGKILL = 9


@dataclass(frozen=True, slots=True)
class Measure:
    """One part of the wall: whether it is in force, and what it does, or why it is missing."""

    name: str
    in_force: bool
    detail: str


def raise_wall(
    readable: Sequence[Right], seconds: float | None, stop: Callable[[str], NoReturn] | None
) -> tuple[Measure, ...]:
    """Take from this process, for good, what an analysis never needs.

    `stop` is told what was tried all the same, and ends the process; without it there is no hook.
    """
    mapped = resource_limits.mapped_bytes()  # as long as it can be read
    calls = kernel()
    files, system_calls = _missing("Landlock"), _missing("seccomp")
    if calls is not None:
        calls.prctl(_PARENT_DEATH_SIGNAL, _SIGKILL)
        calls.prctl(_NO_NEW_PRIVILEGES, 1)
        files = _restrict_files(calls, readable)
    limited = resource_limits.restrict(seconds, mapped)
    if calls is not None:
        system_calls = _filter_calls(calls)
    folders = [] if files.in_force else [os.path.realpath(path) for path, right in readable if right & READ_FILE]
    if stop is not None:
        audit.install(folders, code_folders(), stop, reads=not files.in_force)
    return (
        files,
        system_calls,
        Measure("audit hook", True, "ends the process where Python is asked for what an analysis never does"),
        Measure("limits", bool(limited), ", ".join(limited) or "this system has none"),
    )


def _restrict_files(calls: Kernel, readable: Sequence[Right]) -> Measure:
    try:
        version = landlock.restrict(calls, readable)
    except KernelError as error:
        return Measure("Landlock", False, f"the kernel refuses it ({error.strerror})")
    if not version:
        return Measure("Landlock", False, "the kernel has none, or it is switched off")
    words = ["files are read-only, and only where the analysis needs them"]
    words += ["no TCP"] * landlock.has_network(version) + ["no signals to other processes"] * landlock.has_scopes(
        version
    )
    return Measure("Landlock", True, f"ABI {version}: {', '.join(words)}")


def _filter_calls(calls: Kernel) -> Measure:
    machine = os.uname().machine
    try:
        if not seccomp.install(calls, machine):
            return Measure("seccomp", False, f"there is no filter for {machine}")
    except KernelError as error:
        return Measure("seccomp", False, f"the kernel refuses it ({error.strerror})")
    return Measure("seccomp", True, f"{machine}: {seccomp.count(machine)} system calls are allowed")


def _missing(name: str) -> Measure:
    reason = "Python was built without _ctypes" if sys.platform == "linux" else "only Linux has it"
    return Measure(name, False, reason)
