"""The seccomp filters of both processors, run on a machine of the packet filter that is written out here."""

from __future__ import annotations

import mmap
import os
import struct

import pytest

from cutaway.isolation.seccomp import ALLOW, KILL, LACK, REFUSE, program
from cutaway.isolation.system_calls import ABSENT, ARM64, AUDIT_ARCH, CONDITIONAL, FREE, X86_64, numbers

PROCESS = 4711
REFUSED = {
    X86_64: {"execve": 59, "fork": 57, "vfork": 58, "socket": 41, "ptrace": 101, "kill": 62, "unlink": 87, "creat": 85,
             "execveat": 322, "mount": 165, "bpf": 321, "io_uring_setup": 425, "chmod": 90, "utimensat": 280,
             "process_vm_writev": 311, "prctl": 157, "seccomp": 317, "a call of the future": 9999},
    ARM64: {"execve": 221, "socket": 198, "ptrace": 117, "kill": 129, "unlinkat": 35, "execveat": 281, "mount": 40,
            "bpf": 280, "io_uring_setup": 425, "fchmodat": 53, "utimensat": 88, "process_vm_writev": 271,
            "prctl": 167, "seccomp": 277, "a call of the future": 9999},
}  # fmt: skip


def verdict(machine: str, number: int, *arguments: int, arch: int | None = None) -> int:
    """Return what the filter says to a call."""
    words = [*arguments, *[0] * (6 - len(arguments))]
    data = struct.pack("<IIQ6Q", number, AUDIT_ARCH[machine] if arch is None else arch, 0, *words)
    code = program(machine, PROCESS)
    at, accumulator = 0, 0
    while True:
        operation, then, otherwise, constant = code[at]
        at += 1
        if operation == 0x20:  # load a word
            (accumulator,) = struct.unpack_from("<I", data, constant)
        elif operation == 0x06:
            return constant
        else:
            tests = {0x15: accumulator == constant, 0x35: accumulator >= constant, 0x45: bool(accumulator & constant)}
            at += then if tests[operation] else otherwise


@pytest.mark.parametrize("machine", AUDIT_ARCH)
def test_what_an_analysis_needs_is_allowed(machine: str) -> None:
    assert {verdict(machine, number) for number in numbers(FREE, machine).values()} == {ALLOW}


@pytest.mark.parametrize("machine", AUDIT_ARCH)
def test_everything_else_is_refused(machine: str) -> None:
    wrong = {name for name, number in REFUSED[machine].items() if verdict(machine, number) != REFUSE}
    assert not wrong
    listed = {
        *numbers(FREE, machine).values(),
        *numbers(CONDITIONAL, machine).values(),
        *numbers(ABSENT, machine).values(),
    }
    assert {verdict(machine, number) for number in set(range(600)) - listed} == {REFUSE}


@pytest.mark.parametrize("machine", AUDIT_ARCH)
def test_another_processor_ends_the_process(machine: str) -> None:
    assert verdict(machine, 0, arch=0x40000003) == KILL  # 32-bit x86
    if machine == X86_64:
        assert verdict(machine, 0x40000000) == KILL  # x32
        assert verdict(machine, 0x40000000 | 59) == KILL


OPEN_FOR_WRITING = [
    os.O_WRONLY,
    os.O_RDWR,
    os.O_CREAT,
    os.O_TRUNC,
    os.O_APPEND,
    os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC,
]


@pytest.mark.parametrize("machine", AUDIT_ARCH)
def test_files_are_opened_for_reading_alone(machine: str) -> None:
    places = {"open": 1, "openat": 2}
    for name, number in numbers({name: CONDITIONAL[name] for name in places}, machine).items():
        before = [0] * places[name]
        assert verdict(machine, number, *before, os.O_RDONLY | os.O_CLOEXEC | os.O_DIRECTORY) == ALLOW
        assert {verdict(machine, number, *before, flags) for flags in OPEN_FOR_WRITING} == {REFUSE}


@pytest.mark.parametrize("machine", AUDIT_ARCH)
def test_memory_is_never_made_code(machine: str) -> None:
    mapped, protected = CONDITIONAL["mmap"], CONDITIONAL["mprotect"]
    (map_number,) = numbers({"mmap": mapped}, machine).values()
    (protect_number,) = numbers({"mprotect": protected}, machine).values()
    read, write, code, private, anonymous = 1, 2, 4, mmap.MAP_PRIVATE, mmap.MAP_ANONYMOUS
    assert verdict(machine, map_number, 0, 4096, read | write, private | anonymous) == ALLOW
    assert verdict(machine, map_number, 0, 4096, read | code, private) == ALLOW  # a shared library
    assert verdict(machine, map_number, 0, 4096, read | code, private | anonymous) == REFUSE
    assert verdict(machine, map_number, 0, 4096, read | write | code, private) == REFUSE
    assert verdict(machine, protect_number, 0, 4096, read | write) == ALLOW
    assert verdict(machine, protect_number, 0, 4096, read | code) == REFUSE


@pytest.mark.parametrize("machine", AUDIT_ARCH)
def test_conditions_on_other_calls(machine: str) -> None:
    number = numbers(CONDITIONAL, machine)
    thread, process = 0x10000 | 0x100, 17
    assert verdict(machine, number["clone"], thread) == ALLOW
    assert verdict(machine, number["clone"], process) == REFUSE
    assert verdict(machine, number["tgkill"], PROCESS, PROCESS, 6) == ALLOW
    assert verdict(machine, number["tgkill"], 1, 1, 9) == REFUSE
    assert verdict(machine, number["prlimit64"], 0, 7, 0, 1 << 40) == ALLOW
    assert verdict(machine, number["prlimit64"], 0, 7, 1 << 40, 0) == REFUSE
    assert verdict(machine, number["ioctl"], 1, 0x5413) == ALLOW
    assert verdict(machine, number["ioctl"], 0, 0x5412) == REFUSE
    assert verdict(machine, number["fcntl"], 1, 3) == ALLOW
    assert verdict(machine, number["fcntl"], 1, 8) == REFUSE
    assert {verdict(machine, absent) for absent in numbers(ABSENT, machine).values()} == {LACK}
