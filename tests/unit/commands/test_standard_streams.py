"""Standard output that is full or closed is the user's matter: it is named as such, and is no bug in Cutaway."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = "import torch.nn as nn\nnet = nn.Linear(2, 3)\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no device that is always full")
@pytest.mark.parametrize("command", ["show", "scan", "check", "rule"])
def test_output_on_a_full_device_is_an_error_in_one_line(command: str, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(SOURCE)
    target = [] if command == "rule" else ["net.py"]
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "cutaway", command, *target],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            cwd=tmp_path,
            env=_environment(),
        )
    assert (done.returncode, done.stderr) == (
        2,
        "cutaway: standard output can't be written (No space left on device)\n",
    )


@pytest.mark.skipif(os.name != "posix", reason="a shell of POSIX closes the stream")
@pytest.mark.parametrize("command", ["show", "scan"])
def test_a_file_is_written_while_standard_output_is_closed(command: str, tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(SOURCE)
    line = f'"{sys.executable}" -m cutaway {command} net.py -o result >&- <&-'
    done = subprocess.run(["sh", "-c", line], stderr=subprocess.PIPE, text=True, cwd=tmp_path, env=_environment())
    assert (done.returncode, done.stderr) == (0, "")
    assert "net" in (tmp_path / "result").read_text()


def _environment() -> dict[str, str]:
    root = Path(__file__).parents[3]
    return {**os.environ, "PYTHONPATH": str(root / "src")}
