"""Measure a package that is given with `--path` against the same package installed: processor time and memory.

usage: python -m benchmarks.speed.path [--repeat N]

The sources of the packages are copied to a folder that is not called `site-packages`. Whole processes are measured, in
turns. The exit code is 1 where a copy takes more than 1.3 times the time or memory.
"""

from __future__ import annotations

import argparse
import importlib.util
import shutil
import sys
import tempfile
from pathlib import Path

from benchmarks.speed.process import Run, median, run, shown

MOST = 1.3
MODELS = {
    "torchvision": ("torchvision.models:resnet18", "1x3x224x224"),
    "timm": ("timm:create_model('resnet18')", "1x3x224x224"),
}


def copied(package: str, folder: Path) -> None:
    """Copy the source of an installed package."""
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        sys.exit(f"{package} is not installed")
    source = Path(found.origin).parent
    shutil.copytree(source, folder / package, ignore=shutil.ignore_patterns("*.so", "*.pyc", "__pycache__", "*.libs"))


def main() -> int:
    """Measure both and print a table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.path", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each that are counted (3)")
    options = parser.parse_args()
    worst = 0.0
    print(f"{'package':14}{'installed':>20}{'--path':>20}{'time':>8}{'memory':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for package, (target, shape) in MODELS.items():
            copied(package, Path(folder))
            command = shown(sys.executable, target, shape)
            pairs = [(run(command), run([*command, "--path", folder])) for _ in range(options.repeat)]
            installed, own = (median([pair[side] for pair in pairs]) for side in (0, 1))
            time, memory = own.processor_seconds / installed.processor_seconds, own.megabytes / installed.megabytes
            worst = max(worst, time, memory)
            print(f"{package:14}{_figures(installed):>20}{_figures(own):>20}{time:8.2f}{memory:8.2f}", flush=True)
    return 1 if worst > MOST else 0


def _figures(result: Run) -> str:
    return f"{result.processor_seconds:.2f} s, {result.megabytes:.0f} MB"


if __name__ == "__main__":
    sys.exit(main())
