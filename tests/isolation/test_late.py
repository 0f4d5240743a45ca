"""What ends late: one line tells it, whoever of the two processes was first."""

from __future__ import annotations

import json
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from cutaway.core.context import IDLE
from cutaway.core.unknown import Exhausted
from cutaway.limits import interrupted_after


def test_a_header_that_takes_too_long_is_one_line(tmp_path: Path) -> None:
    """What was read by then is large, and takes long to free."""
    header = {f"a{n}": {"dtype": "F32", "shape": [1], "data_offsets": [4 * n, 4 * n + 4]} for n in range(300_000)}
    content = json.dumps(header).encode()
    file = tmp_path / "many.safetensors"
    file.write_bytes(struct.pack("<Q", len(content)) + content + bytes(4 * len(header)))
    command = [sys.executable, "-P", "-m", "cutaway", "show", str(file), "--timeout", "1", "--no-cache"]
    ended = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert (ended.returncode, ended.stderr.count("\n")) == (2, 1), ended.stderr
    assert "gave up" in ended.stderr


def test_the_alarm_finds_no_interpreter(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading JSON interprets nothing: there may be no interpreter when the time is over."""
    monkeypatch.setattr(IDLE, "interpreter", None)
    with pytest.raises(Exhausted), interrupted_after(0.01):
        while True:
            pass
