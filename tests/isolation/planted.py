"""Code planted inside the analysis itself, as if the interpreter had failed to keep a target in: the wall is all that is left."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

NET = "from torch import nn\n\nnet = nn.Linear(2, 3)\n"

_PLANT = """
import sys
from cutaway import __main__, _api
from cutaway.isolation import audit, wall

analyse = _api._analyse

def planted(text, options):
    exec(code, {"__name__": "planted"})
    return analyse(text, options)

code = sys.stdin.read()
_api._analyse = planted
if not HOOK:
    audit.install = lambda *arguments, **options: None
if not KERNEL:
    wall.kernel = lambda: None
sys.argv = ["cutaway", *sys.argv[1:]]
__main__.entry()
"""


def run_planted(
    folder: Path, code: str, *arguments: str, hook: bool = True, kernel: bool = True, seconds: float = 60
) -> subprocess.CompletedProcess[str]:
    """Show a network of a folder by a command in whose analysis code is planted, which runs behind the wall."""
    (folder / "net.py").write_text(NET)
    plant = _PLANT.replace("HOOK", str(hook)).replace("KERNEL", str(kernel))
    return subprocess.run(
        [sys.executable, "-c", plant, "show", "net.py", "--no-cache", *arguments],
        input=code,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        timeout=seconds,
    )
