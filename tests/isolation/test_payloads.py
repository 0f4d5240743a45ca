"""A payload inside the interpreter has no effect: the hook ends the process, and the kernel alone refuses as well."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path

import pytest

from cutaway.isolation.system_calls import AUDIT_ARCH
from tests.isolation.planted import run_planted

kernel_only = pytest.mark.skipif(
    sys.platform != "linux" or platform.machine() not in AUDIT_ARCH, reason="there is no filter for this system"
)

ACTS = {
    "write": "open('made', 'w')",
    "append": "open('kept', 'a').write('more')",
    "write by descriptor": "import os; os.write(os.open('kept', os.O_WRONLY), b'x')",
    "truncate": "import os; os.truncate('kept', 0)",
    "delete": "import os; os.unlink('kept')",
    "rename": "import os; os.rename('kept', 'moved')",
    "link": "import os; os.link('kept', 'linked')",
    "symbolic link": "import os; os.symlink('kept', 'linked')",
    "make a folder": "import os; os.mkdir('made')",
    "remove a folder": "import os; os.rmdir('folder')",
    "change the mode": "import os; os.chmod('kept', 0o777)",
    "change the times": "import os; os.utime('kept', (1, 1))",
    "remove a tree": "import shutil; shutil.rmtree('folder')",
    "temporary file": "import tempfile; tempfile.mkstemp(dir='.')",
    "shell": "import os; assert os.system('touch made') == 0",
    "program": "import subprocess; subprocess.run(['touch', 'made'])",
    "replace the process": "import os; os.execvp('touch', ['touch', 'made'])",
    "spawn": "import os; os.posix_spawnp('touch', ['touch', 'made'], {})",
    "fork": "import os\nif os.fork() == 0:\n    open('made', 'w')",
    "socket": "import socket; socket.socket()",
    "local socket": "import socket; socket.socket(socket.AF_UNIX)",
    "connect": "import socket; socket.create_connection(('127.0.0.1', 9), 1)",
    "signal the parent": "import os; os.kill(os.getppid(), 0)",
    "signal a group": "import os; os.killpg(os.getpgrp(), 0)",
    "map memory as code": "import mmap; mmap.mmap(-1, 4096, prot=7)",
    "map a device": "import mmap, os; mmap.mmap(os.open('/dev/zero', os.O_RDONLY), 4096, prot=1)",
    "memory of the process": "open('/proc/self/mem', 'rb+')",
    "change the root": "import os; os.chroot('/tmp')",
    "leave the folder": "import os; os.chdir('/')",
    "raise a limit": "import resource; resource.setrlimit(resource.RLIMIT_CORE, (1, 1))",
    "type into the terminal": "import fcntl; fcntl.ioctl(0, 0x5412, b'x')",
    "change another's limits": "import os, resource; resource.prlimit(os.getppid(), resource.RLIMIT_CORE, (0, 0))",
}
READS = {
    "another file": "print('LOOT', len(open('/etc/passwd').read()))",
    "a link that leads out": "print('LOOT', len(open('out').read()))",
    "a hidden file": "print('LOOT', len(open('.secret').read()))",
    "another folder": "import os; print('LOOT', os.listdir('/etc'))",
    "the process's own state": "print('LOOT', open('/proc/self/environ').read())",
}
CALLS = {
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "mount": (165, 40),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "io_uring_setup": (425, 425),
    "userfaultfd": (323, 282),
    "keyctl": (250, 219),
    "memfd_create": (319, 279),
    "unshare": (272, 97),
    "setns": (308, 268),
    "pidfd_open": (434, 434),
    "open_by_handle_at": (304, 265),
    "init_module": (175, 105),
    "personality": (135, 92),
    "prctl": (157, 167),
    "seccomp": (317, 277),
    "shmget": (29, 194),
    "setsid": (112, 157),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with something to lose, and a folder beside it."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "kept").write_text("kept")
    (project / "kept").chmod(0o600)
    os.utime(project / "kept", (1000, 1000))
    (project / "folder").mkdir()
    (project / ".secret").write_text("secret")
    (tmp_path / "outside").write_text("secret")
    (project / "out").symlink_to(tmp_path / "outside")
    return project


def unharmed(folder: Path) -> bool:
    """Tell whether everything is as it was."""
    kept = folder / "kept"
    names = {path.name for path in folder.iterdir()}
    status = kept.stat()
    return (
        names == {"kept", "folder", ".secret", "out", "net.py"}
        and kept.read_text() == "kept"
        and (status.st_mode & 0o777, status.st_mtime) == (0o600, 1000)
    )


@pytest.mark.parametrize("act", [pytest.param(code, id=name) for name, code in ACTS.items()])
def test_a_forbidden_act_ends_the_process(folder: Path, act: str) -> None:
    done = run_planted(folder, act)
    assert unharmed(folder)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("cutaway: ") and done.stderr.count("\n") == 1, done.stderr


@kernel_only
@pytest.mark.parametrize("act", [pytest.param(code, id=name) for name, code in ACTS.items()])
def test_the_kernel_refuses_it_without_the_hook(folder: Path, act: str) -> None:
    lines = "\n".join(f"    {line}" for line in act.splitlines())
    done = run_planted(folder, f"try:\n{lines}\n    print('DONE')\nexcept Exception as error: pass", hook=False)
    assert unharmed(folder)
    assert done.returncode == 0 and "DONE" not in done.stdout, done.stdout


@kernel_only
@pytest.mark.parametrize("read", [pytest.param(code, id=name) for name, code in READS.items()])
def test_only_the_project_is_read(folder: Path, read: str) -> None:
    done = run_planted(folder, f"try: {read}\nexcept OSError as error: print('REFUSED', error.errno)")
    assert "LOOT" not in done.stdout and "REFUSED 13" in done.stdout, done.stdout + done.stderr


@pytest.mark.parametrize("act", [pytest.param(ACTS[name], id=name) for name in ("write", "shell", "fork", "socket")])
def test_the_hook_ends_it_without_the_kernel(folder: Path, act: str) -> None:
    done = run_planted(folder, act, kernel=False)
    assert unharmed(folder)
    assert (done.returncode, done.stdout) == (2, "") and "something forbidden" in done.stderr


@pytest.mark.parametrize("name", ["another file", "a link that leads out", "a hidden file"])
def test_the_hook_lets_only_the_project_be_read(folder: Path, name: str) -> None:
    done = run_planted(folder, f"try: {READS[name]}\nexcept OSError: print('REFUSED')", kernel=False)
    assert "LOOT" not in done.stdout and "REFUSED" in done.stdout and "Linear" in done.stdout, done.stderr


@kernel_only
@pytest.mark.parametrize("name", CALLS)
def test_a_system_call_is_refused_by_its_number(folder: Path, name: str) -> None:
    number = CALLS[name][platform.machine() == "aarch64"]
    code = (
        "import ctypes\n"
        "library = ctypes.CDLL(None, use_errno=True)\n"
        f"print('RESULT', library.syscall({number}, 0, 0, 0, 0, 0, 0), ctypes.get_errno())"
    )
    assert "RESULT -1 1\n" in run_planted(folder, code, hook=False).stdout


def test_modules_of_the_target_are_not_imported(folder: Path) -> None:
    done = run_planted(folder, "import sys\nsys.path.insert(0, '.')\nimport net")
    assert done.returncode == 2 and "ModuleNotFoundError" in done.stderr
    done = run_planted(folder, "exec(compile('pass', 'net.py', 'exec'))")
    assert done.returncode == 2 and "run the code of net.py" in done.stderr


def test_without_a_payload_the_network_is_shown(folder: Path) -> None:
    done = run_planted(folder, "import numpy as np; assert (np.ones((300, 300)) @ np.ones((300, 300))).sum() == 2.7e7")
    assert (done.returncode, done.stderr) == (0, "") and "Linear" in done.stdout
