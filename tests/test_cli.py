"""The real command, in processes of its own: what it writes where, how it ends, and that nothing ends it badly."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

NET = """\
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(*[nn.Linear(4, 4) for _ in range(3)])
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(self.blocks(x))
"""

DEEP = "t = ()\nfor _ in range(2 * 10**6):\n    t = (t,)\nx = {t}\n"
BACKTRACKING = "import re\nre.match('(a+)+$', 'a' * 60 + 'b')\n"


def command(
    *arguments: str, text: bytes = b"", seconds: float = 60, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    """Run `python -m cutaway` to its end."""
    run = [sys.executable, "-m", "cutaway", *arguments]
    return subprocess.run(run, input=text, capture_output=True, timeout=seconds, env={**_environment(), **environment})


def _environment() -> dict[str, str]:
    kept = ("PATH", "PYTHONPATH", "HOME", "CUTAWAY_CACHE", "LD_LIBRARY_PATH", "SYSTEMROOT")
    return {name: os.environ[name] for name in kept if name in os.environ}


def _wait_for_work(process: int) -> None:
    """Wait until a command is well under way: where that can be seen, until it has its child for half a second."""
    children = Path(f"/proc/{process}/task/{process}/children")
    for _ in range(100):
        if not children.exists() or children.read_text():
            break
        time.sleep(0.05)
    time.sleep(0.5 if children.exists() else 2.0)


SPINNING = "def spin():\n    return [].copy()\n\nfor number in range(10**9):\n    spin()\n"


@pytest.fixture
def model(tmp_path: Path) -> str:
    path = tmp_path / "model.py"
    path.write_text(NET)
    return str(path)


def test_a_network_is_shown(model: str) -> None:
    done = command("show", model, "--input", "1x4")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Linear" in done.stdout and b"\x1b" not in done.stdout


def test_faults_are_told_by_the_exit_code(model: str) -> None:
    done = command("show", model, "--input", "1x5")
    assert (done.returncode, done.stderr) == (1, b"")
    assert b"shape-mismatch" in done.stdout


def test_what_can_not_be_shown_is_said_on_the_error_stream(model: str) -> None:
    done = command("show", f"{model}::Nte")
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.decode() == f"cutaway: {model}::Nte: {model} has no Nte; did you mean Net?\n"


def test_a_network_comes_from_standard_input() -> None:
    done = command("show", "-::Net", "--input", "1x4", "--format", "tree", text=NET.encode())
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"blocks" in done.stdout


def test_a_reader_that_leaves_early_is_no_fault(model: str) -> None:
    run = [sys.executable, "-m", "cutaway", "show", model, "--format", "json"]
    process = subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=_environment())
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    assert process.stderr.read() == b""
    assert process.wait(60) in (0, 1)


def test_a_stream_of_few_letters_gets_only_those(model: str) -> None:
    done = command("show", model, "--input", "1x4", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii() and b"|- " in done.stdout


def test_a_message_is_written_in_the_letters_of_the_stream(tmp_path: Path) -> None:
    done = command("show", f"{tmp_path}/größe.py", PYTHONIOENCODING="ascii", LC_ALL="C")
    assert done.returncode == 2 and done.stderr.isascii() and b"no such file" in done.stderr


def test_a_narrow_terminal_gets_narrow_lines(model: str) -> None:
    done = command("show", model, "--input", "1x4", COLUMNS="40")
    assert max(len(line) for line in done.stdout.decode().splitlines()) <= 40


@pytest.mark.skipif(sys.platform == "win32", reason="there are no child processes to crash")
def test_a_target_that_crashes_the_interpreter_gets_a_message(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(DEEP + NET)
    done = command("show", str(tmp_path / "model.py"), "--timeout", "20")
    assert done.returncode in (0, 2) and b"Traceback" not in done.stderr
    if done.returncode == 2:
        assert done.stdout == b"" and done.stderr.startswith(b"cutaway: ") and done.stderr.count(b"\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="there is no alarm")
def test_an_operation_without_end_is_interrupted(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(f"{NET}net = Net()\n{BACKTRACKING}")
    done = command("show", str(tmp_path / "model.py"), "--timeout", "0.5")
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"the time budget ran out inside one operation" in done.stdout and b"Linear" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_an_interruption_by_the_user_leaves_at_once(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(SPINNING + NET)
    run = [sys.executable, "-m", "cutaway", "show", str(tmp_path / "model.py")]
    process = subprocess.Popen(
        run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=_environment(), start_new_session=True
    )
    _wait_for_work(process.pid)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, out, err) == (130, b"", b"cutaway: interrupted\n")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no such signals")
def test_ending_the_command_ends_its_child(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(SPINNING + NET)
    run = [sys.executable, "-m", "cutaway", "show", str(tmp_path / "model.py")]
    process = subprocess.Popen(run, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=_environment())
    _wait_for_work(process.pid)
    process.terminate()
    out, err = process.communicate(timeout=20)  # returns only when no child holds the pipes any more
    assert (process.returncode, out, err) == (-signal.SIGTERM, b"", b"")


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({"TERM": "xterm"}, True), ({"TERM": "xterm", "NO_COLOR": "1"}, False), ({"TERM": "dumb"}, False)],
    ids=["xterm", "NO_COLOR", "dumb"],
)
def test_a_terminal_gets_colours_unless_they_are_refused(
    model: str, environment: dict[str, str], coloured: bool
) -> None:
    ours, theirs = os.openpty()
    run = [sys.executable, "-m", "cutaway", "show", model, "--input", "1x5"]
    process = subprocess.Popen(run, stdout=theirs, stderr=theirs, env={**_environment(), **environment})
    os.close(theirs)
    shown = b""
    try:
        while part := os.read(ours, 1 << 16):
            shown += part
    except OSError:  # the other side is closed
        pass
    os.close(ours)
    assert process.wait(60) == 1
    assert b"shape-mismatch" in shown and (b"\x1b[" in shown) == coloured
