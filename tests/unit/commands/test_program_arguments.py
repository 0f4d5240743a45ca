"""What follows `--` on the command line is the command line of the target."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutaway import cli

PROGRAM = """\
import argparse
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--width", type=int, default=8)
args = parser.parse_args()
model = nn.Linear(4, args.width)
"""


def test_the_program_gets_what_follows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "train.py").write_text(PROGRAM)
    arguments = ["show", str(tmp_path / "train.py"), "--input", "1x4", "--no-cache", "--", "--width", "3"]
    assert cli.main(arguments) == 0
    assert "1x3" in capsys.readouterr().out
