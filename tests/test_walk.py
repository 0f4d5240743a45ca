"""The way of `cutaway show model.py::Net` to the first statement of the program, as ARCHITECTURE.md lists it."""

from __future__ import annotations

import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_FILES = 20
TRACE = """
import sys
from cutaway import cli

def look(frame, event, argument):
    code = frame.f_code
    if event == "call" and "interp/compile/statements" in code.co_filename and code.co_name.startswith("execute"):
        sys.setprofile(None)
        files = []
        while frame is not None:
            files.append(frame.f_code.co_filename)
            frame = frame.f_back
        print(*[file.partition("src/cutaway/")[2] for file in reversed(files) if "src/cutaway/" in file], file=sys.__stderr__)

sys.setprofile(look)
cli.main(["show", "model.py::Net", "--input", "1x2", "--no-cache"])
"""


def test_the_walk_is_short_and_goes_one_way(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(
        "import torch\n\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return x\n"
    )
    run = subprocess.run([sys.executable, "-c", TRACE], cwd=tmp_path, capture_output=True, text=True, check=True)
    walk = [file for file, _ in groupby(run.stderr.split())]
    assert len(set(walk)) == len(walk) <= MOST_FILES  # no file is entered twice
    text = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")
    listed = text.partition("<!-- walk -->")[2].partition("<!-- end of walk -->")[0]
    assert walk == re.findall(r"^\| `([\w/.]+)`", listed, re.MULTILINE)
