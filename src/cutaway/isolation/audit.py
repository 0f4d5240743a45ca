"""An audit hook: Python reports what it is about to do, and what an analysis never does ends the process.

Where the kernel has a wall of its own, this one says earlier and more clearly what was tried. Elsewhere it is the only
one, and not as strong: code that is not Python's, such as a compiled module, can do things that Python does not report.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

FORBIDDEN = frozenset(
    """
    code.__new__ cpython._PySys_ClearAuditHooks cpython.run_command cpython.run_file cpython.run_interactivehook
    cpython.run_module cpython.run_startup cpython.run_stdin ctypes.addressof ctypes.call_function ctypes.cdata
    ctypes.cdata/buffer ctypes.string_at ctypes.wstring_at fcntl.fcntl fcntl.flock fcntl.ioctl fcntl.lockf
    gc.get_objects gc.get_referents gc.get_referrers mmap.__new__
    msvcrt.get_osfhandle msvcrt.locking msvcrt.open_osfhandle
    os.add_dll_directory os.chdir os.chflags os.chmod os.chown os.exec os.fork os.forkpty os.kill os.killpg os.link
    os.lockf os.mkdir os.posix_spawn os.remove os.removexattr os.rename os.rmdir os.setxattr os.spawn
    os.startfile os.startfile/2 os.symlink os.system os.truncate os.utime
    pdb.Pdb pickle.find_class pty.spawn resource.prlimit resource.setrlimit setopencodehook
    shutil.chown shutil.copyfile shutil.copymode shutil.copystat shutil.copytree shutil.make_archive shutil.move
    shutil.rmtree shutil.unpack_archive signal.pthread_kill subprocess.Popen sys.setprofile sys.settrace
    tempfile.mkdtemp tempfile.mkstemp urllib.Request webbrowser.open
    """.split()
)
FORBIDDEN_FAMILIES = frozenset(
    "_winapi ftplib http imaplib nntplib poplib smtplib socket sqlite3 syslog telnetlib winreg".split()
)
"""The first words of events that are forbidden, whatever comes after the dot."""

_BUILD = f"_sysconfigdata_{getattr(sys, 'abiflags', '')}_{sys.platform}_{getattr(sys.implementation, '_multiarch', '')}"
"""The module of the standard library that says how this Python was built."""

IMPORTABLE = frozenset(sys.stdlib_module_names) | {
    "_yaml", "cutaway", "model_analysis", "numpy", "tomli", "yaml", _BUILD
}  # fmt: skip
"""What an analysis imports: its own packages and those that it is installed with. Others are not there."""

_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


def install(folders: Sequence[str], code: Sequence[str], stop: Callable[[str], NoReturn], reads: bool) -> None:
    """Install the hook for good.

    Args:
        folders: where files may be read.
        code: where code that is executed may come from.
        stop: ends the process; it is told what was tried.
        reads: refuse to open files elsewhere, too: only where the kernel does not.
    """
    sys.addaudithook(_hook(tuple(folders), tuple(code), stop, reads))


def _hook(
    folders: tuple[str, ...], code: tuple[str, ...], stop: Callable[[str], NoReturn], reads: bool
) -> Callable[[str, tuple[Any, ...]], None]:
    forbidden, families, importable, writing = FORBIDDEN, FORBIDDEN_FAMILIES, IMPORTABLE, _WRITING
    real_path, separator, fsdecode = os.path.realpath, os.sep, os.fsdecode
    real_code = tuple(map(real_path, code))

    def describe(event: str, arguments: tuple[Any, ...]) -> str:
        words = [repr(each) for each in arguments if type(each) in (str, bytes, int)]
        return f"{event} {', '.join(words)}"

    def check_open(path: Any, mode: Any, flags: Any) -> None:
        if (isinstance(flags, int) and flags & writing) or (isinstance(mode, str) and not {*"wax+"}.isdisjoint(mode)):
            if not isinstance(path, int):  # what is open already may be written to
                stop(describe("open for writing:", (path,)))
        if reads and isinstance(path, (str, bytes)):
            real = real_path(fsdecode(path))
            if not any(real == folder or real.startswith(folder.rstrip(separator) + separator) for folder in folders):
                raise PermissionError(13, "outside of what an analysis may read", path)

    def check(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "builtins.id" or event == "object.__getattr__":  # by far the most frequent
            return
        if event == "open":
            check_open(*arguments)
        elif event == "import":
            if arguments[0].partition(".")[0] not in importable:
                raise ModuleNotFoundError(f"{arguments[0]} is not imported by an analysis", name=arguments[0])
        elif event == "exec":
            file = arguments[0].co_filename
            if not file.startswith(("<", *code)) and not real_path(file).startswith(real_code):
                stop(f"run the code of {file}")
        elif (
            event in forbidden
            or event.partition(".")[0] in families
            or (event == "ctypes.dlopen" and arguments[0] is not None)
        ):
            stop(describe(event, arguments))

    return check
