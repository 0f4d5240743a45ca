"""The system calls that an analysis needs, and their numbers on each processor; all others are refused.

A number is None where the processor has no such call. Conditions on arguments are in `seccomp.py`.
"""

from __future__ import annotations

X86_64, ARM64 = "x86_64", "aarch64"

AUDIT_ARCH = {X86_64: 0xC000003E, ARM64: 0xC00000B7}
"""How the kernel calls each processor."""

FREE: dict[str, tuple[int | None, int | None]] = {
    # reading, and writing to what is open
    "read": (0, 63),
    "write": (1, 64),
    "close": (3, 57),
    "lseek": (8, 62),
    "pread64": (17, 67),
    "readv": (19, 65),
    "writev": (20, 66),
    "preadv": (295, 69),
    "fadvise64": (221, 223),
    # asking about files
    "fstat": (5, 80),
    "newfstatat": (262, 79),
    "stat": (4, None),
    "lstat": (6, None),
    "statx": (332, 291),
    "statfs": (137, 43),
    "fstatfs": (138, 44),
    "access": (21, None),
    "faccessat": (269, 48),
    "faccessat2": (439, 439),
    "readlink": (89, None),
    "readlinkat": (267, 78),
    "getdents": (78, None),
    "getdents64": (217, 61),
    "getcwd": (79, 17),
    "dup": (32, 23),
    # memory
    "munmap": (11, 215),
    "mremap": (25, 216),
    "madvise": (28, 233),
    "brk": (12, 214),
    # its own signals, clocks and waiting
    "rt_sigaction": (13, 134),
    "rt_sigprocmask": (14, 135),
    "rt_sigreturn": (15, 139),
    "rt_sigpending": (127, 136),
    "sigaltstack": (131, 132),
    "restart_syscall": (219, 128),
    "getitimer": (36, 102),
    "setitimer": (38, 103),
    "clock_gettime": (228, 113),
    "clock_getres": (229, 114),
    "clock_nanosleep": (230, 115),
    "nanosleep": (35, 101),
    "gettimeofday": (96, 169),
    "time": (201, None),
    "times": (100, 153),
    "poll": (7, None),
    "ppoll": (271, 73),
    "select": (23, None),
    "pselect6": (270, 72),
    # threads, which share this filter
    "futex": (202, 98),
    "set_robust_list": (273, 99),
    "get_robust_list": (274, 100),
    "set_tid_address": (218, 96),
    "rseq": (334, 293),
    "membarrier": (324, 283),
    "sched_yield": (24, 124),
    "sched_getaffinity": (204, 123),
    "getcpu": (309, 168),
    "arch_prctl": (158, None),
    # asking about itself and the machine
    "getpid": (39, 172),
    "getppid": (110, 173),
    "gettid": (186, 178),
    "getuid": (102, 174),
    "geteuid": (107, 175),
    "getgid": (104, 176),
    "getegid": (108, 177),
    "getrusage": (98, 165),
    "getrlimit": (97, 163),
    "uname": (63, 160),
    "sysinfo": (99, 179),
    "getrandom": (318, 278),
    # the end
    "exit": (60, 93),
    "exit_group": (231, 94),
}
"""Name -> its numbers on x86-64 and arm64; these are allowed with any arguments."""

CONDITIONAL: dict[str, tuple[int | None, int | None]] = {
    "open": (2, None),
    "openat": (257, 56),
    "mmap": (9, 222),
    "mprotect": (10, 226),
    "fcntl": (72, 25),
    "ioctl": (16, 29),
    "clone": (56, 220),
    "prlimit64": (302, 261),
    "tgkill": (234, 131),
}
"""The same for calls that are allowed with some arguments."""

ABSENT: dict[str, tuple[int | None, int | None]] = {"clone3": (435, 435), "openat2": (437, 437)}
"""The same for calls whose arguments a filter can't see: the C library uses the older ones where the kernel lacks them."""


def numbers(calls: dict[str, tuple[int | None, int | None]], machine: str) -> dict[str, int]:
    """Return the calls that a processor has, with their numbers."""
    column = (X86_64, ARM64).index(machine)
    return {name: pair[column] for name, pair in calls.items() if pair[column] is not None}  # type: ignore[misc]
