"""Compare scanners: hostile files that they miss, and ordinary files that they flag.

    python -m benchmarks.scan ORDINARY [--hostile FOLDER...] [--sample N] [--only SCANNER...] [--details]

ORDINARY is a folder of ordinary files, from `python -m benchmarks.scan.ordinary_files ORDINARY`. Hostile files are made here,
and taken from more folders, such as the test files of other scanners. picklescan, modelscan and fickling take part if they are
installed; N ordinary files are a sample for them.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Callable
from pathlib import Path

from benchmarks.scan.other_scanners import SCANNERS, quiet
from cutaway.scan.files import scan_file
from cutaway.scan.finding import RUNS
from tests.scan.attacks.collection import NEED_CODE, attacks
from tests.scan.evasive_files import evasive_files
from tests.scan.hostile_files import CANARY, hostile_files


def cutaway_flags(path: Path) -> bool:
    """Tell whether `cutaway scan` says that a file would run code."""
    return scan_file(str(path)).verdict == RUNS


def scanners(chosen: list[str]) -> dict[str, Callable[[Path], bool]]:
    """Return what asks each scanner that is there."""
    found: dict[str, Callable[[Path], bool]] = {"cutaway": cutaway_flags}
    for name, make in SCANNERS.items():
        if name in chosen:
            try:
                flags = make()
            except ImportError as error:
                print(f"{name} is not installed: {error}")
                continue
            found[name] = lambda path, flags=flags, name=name: quiet(flags, path, on_error=name == "fickling")
    return found


def files(folder: Path) -> list[Path]:
    """Return the files below a folder."""
    return sorted(path for path in folder.rglob("*") if path.is_file())


def main() -> None:
    """Print a row for each scanner."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ordinary", type=Path)
    parser.add_argument("--hostile", type=Path, nargs="*", default=[])
    parser.add_argument("--sample", type=int, default=100)
    parser.add_argument("--only", nargs="*", default=list(SCANNERS))
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args()
    ordinary = files(options.ordinary)
    with tempfile.TemporaryDirectory() as folder:
        own = {name: content for name, content in attacks().items() if name not in NEED_CODE}
        for name, content in (*hostile_files(), *evasive_files(), *own.items()):
            (Path(folder) / name).write_bytes(content)
        hostile = [*files(Path(folder)), *(path for each in options.hostile for path in files(each))]
        os.chdir(folder)
        print(f"{'':12}{'hostile files missed':>24}{'ordinary files flagged':>26}")
        for scanner, flags in scanners(options.only).items():
            sample = ordinary if scanner == "cutaway" else ordinary[:: max(1, len(ordinary) // options.sample)]
            missed = [path.name for path in hostile if not flags(path)]
            wrong = [path.name for path in sample if flags(path)]
            counts = f"{len(missed)} of {len(hostile)}", f"{len(wrong)} of {len(sample)}"
            print(f"{scanner:12}{counts[0]:>24}{counts[1]:>26}", flush=True)
            for name in [*missed[:20], *wrong[:20]] if options.details else ():
                print(f"    {name}")
        print("nothing ran" if not Path(CANARY).exists() else "THE CANARY IS THERE: something ran")


if __name__ == "__main__":
    main()
