"""Show notebooks and scripts as people have them: nothing may crash, hang or be an internal error.

usage: python -m benchmarks.repositories.programs FOLDER --notebooks 200 --scripts 500 [--seconds 10]

FOLDER is searched for notebooks and for scripts, which have a main block; of each kind, as many as are asked for are
shown, spread over all that there are.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

SECONDS = 10.0
_MARGIN = 5.0
"""What the command may take beyond its time limit, on a busy machine."""


def outcome(file: Path, seconds: float) -> str:
    """Return what became of a file, in a word or two."""
    command = [sys.executable, "-m", "cutaway", "show", file.name, "--no-cache", f"--timeout={seconds}"]
    started = time.monotonic()
    try:
        done = subprocess.run(command, cwd=file.parent, capture_output=True, timeout=4 * seconds)
    except subprocess.TimeoutExpired:
        return "did not end"
    errors = done.stderr.decode(errors="replace")
    if "a bug in Cutaway" in errors or "Traceback" in errors:
        return "internal error"
    if done.returncode not in (0, 1, 2):
        return f"exit code {done.returncode}"
    if time.monotonic() - started > seconds + _MARGIN:
        return "over time"
    return "networks shown" if done.stdout else "no network"


def spread(files: list[Path], count: int) -> list[Path]:
    """Return a number of files, spread over all of them."""
    return [files[at * len(files) // count] for at in range(count)] if len(files) > count else files


def is_script(path: Path) -> bool:
    """Tell whether a file is a program with a main block."""
    return b"__main__" in path.read_bytes()


def main() -> int:
    """Show the files, and print how many became what."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.repositories.programs", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--notebooks", type=int, default=200)
    parser.add_argument("--scripts", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=SECONDS)
    options = parser.parse_args()
    notebooks = spread(sorted(options.folder.rglob("*.ipynb")), options.notebooks)
    scripts = spread([path for path in sorted(options.folder.rglob("*.py")) if is_script(path)], options.scripts)
    bad = 0
    for name, files in (("notebooks", notebooks), ("scripts", scripts)):
        counts: Counter[str] = Counter()
        for file in files:
            result = outcome(file, options.seconds)
            counts[result] += 1
            if result not in ("networks shown", "no network"):
                bad += 1
                print(f"{result}: {file}", flush=True)
        print(f"{len(files)} {name}: " + ", ".join(f"{count} {result}" for result, count in counts.most_common()))
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
