"""A seccomp filter: the kernel refuses every system call that an analysis does not need.

The filter is a program for the kernel's packet filter machine (classic BPF) that sees a call's number and arguments, but
not the memory that they point to. A refused call fails with an error; one for another processor ends the process.
"""

from __future__ import annotations

import errno
import os

from cutaway.isolation.kernel import Kernel
from cutaway.isolation.system_calls import ABSENT, AUDIT_ARCH, CONDITIONAL, FREE, X86_64, numbers

KILL, ALLOW = 0x80000000, 0x7FFF0000
_ERROR = 0x00050000
REFUSE, LACK = _ERROR | errno.EPERM, _ERROR | errno.ENOSYS

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _ARGUMENTS = 0, 4, 16  # places in what the filter is given

_X32_BIT = 0x40000000  # on x86-64, calls with 32-bit pointers
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_PROT_WRITE, _PROT_EXEC, _MAP_ANONYMOUS = 2, 4, 0x20
_CLONE_THREAD = 0x10000
_FCNTL = (0, 1, 2, 3, 1030)  # duplicate a descriptor, get and set whether it stays open, get its flags
_IOCTL = (0x5401, 0x5413, 0x541B, 0x5450, 0x5451)  # a terminal's settings and size, bytes that wait, as for fcntl

_SET_MODE_FILTER = 1
_SECCOMP = {X86_64: 317, "aarch64": 277}

Instruction = tuple[int, int, int, int]
"""Operation, how many instructions to skip if a test holds and if it does not, and a constant."""


def install(kernel: Kernel, machine: str) -> bool:
    """Install the filter for good, in a process without new privileges; False where there is none for this processor."""
    if machine not in AUDIT_ARCH:
        return False
    code = b"".join(
        operation.to_bytes(2, "little") + bytes((then, otherwise)) + constant.to_bytes(4, "little")
        for operation, then, otherwise, constant in program(machine, os.getpid())
    )
    described = (len(code) // 8).to_bytes(8, "little") + kernel.address(code).to_bytes(8, "little")
    kernel.syscall(_SECCOMP[machine], _SET_MODE_FILTER, 0, described)
    return True


def count(machine: str) -> int:
    """Return how many calls are allowed, some of them with some arguments only."""
    return len(numbers(FREE, machine)) + len(numbers(CONDITIONAL, machine))


def program(machine: str, process: int) -> list[Instruction]:
    """Return the filter for a processor and the process that it is for."""
    code = [_load(_ARCH), (_EQUAL, 1, 0, AUDIT_ARCH[machine]), _return(KILL), _load(_NUMBER)]
    if machine == X86_64:
        code += [(_AT_LEAST, 0, 1, _X32_BIT), _return(KILL)]
    for number in numbers(FREE, machine).values():
        code += [(_EQUAL, 0, 1, number), _return(ALLOW)]
    for name, number in numbers(CONDITIONAL, machine).items():
        condition = [*_condition(name, process), _return(ALLOW)]
        code += [(_EQUAL, 0, len(condition), number), *condition]
    for number in numbers(ABSENT, machine).values():
        code += [(_EQUAL, 0, 1, number), _return(LACK)]
    return [*code, _return(REFUSE)]


def _condition(name: str, process: int) -> list[Instruction]:
    """Return the test of a call's arguments, which returns from the filter where they are refused."""
    match name:
        case "open":
            return [_argument(1), *_refuse_bits(_WRITING)]
        case "openat":
            return [_argument(2), *_refuse_bits(_WRITING)]
        case "mmap":  # code only from files, which can't be written
            code = [*_refuse_bits(_PROT_WRITE), _argument(3), *_refuse_bits(_MAP_ANONYMOUS)]
            return [_argument(2), (_ANY_BIT, 0, len(code), _PROT_EXEC), *code]
        case "mprotect":
            return [_argument(2), *_refuse_bits(_PROT_EXEC)]
        case "fcntl":
            return [_argument(1), *_require_one(*_FCNTL)]
        case "ioctl":
            return [_argument(1), *_require_one(*_IOCTL)]
        case "clone":  # a thread, not a process
            return [_argument(0), (_ANY_BIT, 1, 0, _CLONE_THREAD), _return(REFUSE)]
        case "prlimit64":  # to ask for limits, not to set them
            return [_argument(2), *_require_one(0), _argument(2, high=True), *_require_one(0)]
        case "tgkill":  # as abort() does
            return [_argument(0), *_require_one(process)]
    raise ValueError(f"{name} has no condition: allow it with any arguments, or describe which ones")


def _load(place: int) -> Instruction:
    return _LOAD, 0, 0, place


def _argument(index: int, high: bool = False) -> Instruction:
    return _load(_ARGUMENTS + 8 * index + 4 * high)  # both processors store the low half first


def _return(action: int) -> Instruction:
    return _RETURN, 0, 0, action


def _refuse_bits(bits: int) -> list[Instruction]:
    return [(_ANY_BIT, 0, 1, bits), _return(REFUSE)]


def _require_one(*values: int) -> list[Instruction]:
    tests = [(_EQUAL, len(values) - at, 0, value) for at, value in enumerate(values)]
    return [*tests, _return(REFUSE)]
