"""Exits belong to Cutaway: whatever happens in an analysis, its parent decides how the command ends, and when."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import pytest

import cutaway
from cutaway import _api
from tests.isolation.planted import NET, run_planted

ENDINGS = {
    "SystemExit": ("raise SystemExit(0)", "its code raises SystemExit: 0"),
    "KeyboardInterrupt": ("raise KeyboardInterrupt", "its code raises KeyboardInterrupt"),
    "GeneratorExit": ("raise GeneratorExit", "its code raises GeneratorExit"),
    "an exception of its own": ("class Own(BaseException): pass\nraise Own('gone')", "its code raises Own: gone"),
    "os._exit": ("import os; os._exit(0)", "ended without a result"),
    "a crash": ("import faulthandler; faulthandler._sigsegv()", "the analysis crashed (SIGSEGV)"),
    "an abort": ("import os; os.abort()", "the analysis crashed (SIGABRT)"),
    "too much memory": ("x = bytearray(1 << 40)", "not enough memory"),
}


@pytest.mark.parametrize(("code", "message"), [pytest.param(*pair, id=name) for name, pair in ENDINGS.items()])
def test_an_ending_is_one_line(tmp_path: Path, code: str, message: str) -> None:
    done = run_planted(tmp_path, code)
    assert (done.returncode, done.stdout) == (2, "")
    assert message in done.stderr and done.stderr.count("\n") == 1, done.stderr


@pytest.mark.parametrize("code", ["while True: pass", "'a' * 60\nimport re; re.match('(a+)+$', 'a' * 60 + 'b')"])
def test_one_deadline_covers_what_nothing_interrupts(tmp_path: Path, code: str) -> None:
    started = time.monotonic()
    done = run_planted(tmp_path, f"import signal; signal.setitimer(signal.ITIMER_REAL, 0)\n{code}", "--timeout", "1")
    assert time.monotonic() - started < 20  # the deadline is 3 seconds; the machine may be busy
    assert (done.returncode, done.stdout) == (2, "") and "gave up" in done.stderr


_SLOW_READER = """
import sys, time
from cutaway import __main__
from cutaway.formats import safetensors

def read(file, path):
    while True:
        pass

safetensors.read = read
sys.argv = ["cutaway", "show", "net.safetensors", "--timeout", "1"]
__main__.entry()
"""


def test_the_deadline_covers_saved_files(tmp_path: Path) -> None:
    header = b'{"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    (tmp_path / "net.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(8))
    done = subprocess.run(
        [sys.executable, "-c", _SLOW_READER], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert (done.returncode, done.stdout) == (2, "") and "gave up" in done.stderr


class Own(BaseException):
    """An exception that no handler of ours names."""


@pytest.mark.parametrize("error", [SystemExit(0), KeyboardInterrupt(), GeneratorExit(), Own(), Own(3)])
def test_no_exception_leaves_the_api(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
    (tmp_path / "net.py").write_text(NET)

    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr(_api, "_analyse", fail)
    with pytest.raises(cutaway.CutawayError, match="its code raises"):
        cutaway.show(str(tmp_path / "net.py"))


def test_a_metaclass_that_exits_decides_nothing(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "from torch import nn\n\n"
        "class Meta(type):\n"
        "    def __instancecheck__(cls, other):\n        raise SystemExit(0)\n"
        "    def __getattribute__(cls, name):\n        raise SystemExit(0)\n\n"
        "class Net(nn.Module, metaclass=Meta):\n    pass\n\nnet = nn.Linear(2, 3)\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "cutaway", "show", "net.py"], cwd=tmp_path, capture_output=True, text=True, timeout=60
    )
    assert done.stdout or (done.returncode == 2 and done.stderr.count("\n") == 1)
    assert "Traceback" not in done.stderr
