"""`cutaway.show` in a process of its own gives what it gives in the caller's."""

from __future__ import annotations

import os
import sys
import threading
from pathlib import Path

import pytest

import cutaway
from cutaway import _api, cache
from cutaway.core.error import InternalError
from cutaway.isolation import call
from cutaway.syntax.target import FaultyTarget

TARGETS = [
    ("examples/classifier.py::Classifier", "Bx3x32x32"),
    ("examples/broken.py", "1x1x28x28"),
    ("examples/conditional.py::Net", ()),
    ("examples/encoder.py::Encoder", ()),
]
ROOT = Path(__file__).resolve().parents[2]
NET = "from torch import nn\n\nnet = nn.Linear(2, 3)\n"


@pytest.mark.parametrize(("target", "given"), TARGETS)
def test_both_ways_agree(target: str, given: str) -> None:
    target = str(ROOT / target)
    assert cutaway.show(target, input=given) == cutaway.show(target, input=given, isolated=False)


@pytest.mark.skipif(sys.platform != "linux", reason="it is the only way there")
@pytest.mark.parametrize(("target", "given"), TARGETS[:2])
def test_a_new_python_agrees(monkeypatch: pytest.MonkeyPatch, target: str, given: str) -> None:
    monkeypatch.setattr(call, "_forked", call._in_new_python)
    target = str(ROOT / target)
    assert cutaway.show(target, input=given) == cutaway.show(target, input=given, isolated=False)


@pytest.mark.skipif(sys.platform != "linux", reason="it is the only way there")
def test_errors_come_from_a_new_python(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(call, "_forked", call._in_new_python)
    with pytest.raises(cutaway.CutawayError, match="no such file"):
        cutaway.show(str(tmp_path / "net.py"))


def test_errors_keep_their_exit_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "net.py").write_text(NET)

    def fail(*_: object) -> None:
        raise FaultyTarget("net.py: has a fault")

    monkeypatch.setattr(_api, "_analyse", fail)
    with pytest.raises(cutaway.CutawayError, match="has a fault") as raised:
        cutaway.show(str(tmp_path / "net.py"))
    assert raised.value.exit_code == FaultyTarget.exit_code == 1


def test_a_bug_is_told_as_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "net.py").write_text(NET)
    monkeypatch.setattr(_api, "_analyse", lambda *_: 1 // 0)
    with pytest.raises(InternalError, match="ZeroDivisionError"):
        cutaway.show(str(tmp_path / "net.py"))


def test_a_forged_result_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "net.py").write_text(NET)
    for forged in (b"", b"[]", b'{"schema": 3}', b"\xff", b"[" * 100_000):
        monkeypatch.setattr(call, "answer", lambda *_, forged=forged: call.CHANNEL.send(call.RESULT, forged) or 0)
        with pytest.raises(cutaway.CutawayError):
            cutaway.show(str(tmp_path / "net.py"))


def test_a_result_is_cached_by_the_parent(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    monkeypatch.setattr(cache, "MIN_SECONDS", -1.0)
    target = tmp_path / "project" / "net.py"
    target.parent.mkdir()
    target.write_text(NET)
    first = cutaway.show(str(target), cache=True)
    (entry,) = (tmp_path / "cache").iterdir()
    os.utime(entry, (1, 1))
    monkeypatch.setattr(_api, "_analyse", lambda *_: 1 // 0)
    assert cutaway.show(str(target), cache=True) == first
    assert entry.stat().st_mtime > 1  # it was used


def test_nothing_of_the_caller_is_left_open(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "net.py").write_text(NET)
    log = os.open(tmp_path / "log", os.O_WRONLY | os.O_CREAT)
    analyse = _api._analyse

    def write(*arguments: object) -> object:
        os.write(log, b"from the child")
        return analyse(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(_api, "_analyse", write)
    with pytest.raises(cutaway.CutawayError):
        cutaway.show(str(tmp_path / "net.py"))
    os.close(log)
    assert (tmp_path / "log").read_bytes() == b""


def test_threads_analyse_at_once(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    shown: list[object] = []
    threads = [threading.Thread(target=lambda: shown.append(cutaway.show(str(tmp_path / "net.py")))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(shown) == 3 and shown[0] == shown[1] == shown[2]
