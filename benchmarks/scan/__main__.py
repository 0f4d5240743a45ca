"""Compare scanners: `python -m benchmarks.scan ORDINARY [SCANNERS]`.

ORDINARY is a folder of ordinary files, from `python -m benchmarks.scan.ordinary_files ORDINARY`. SCANNERS is the folder
of the programs of a virtual environment in which picklescan, modelscan and fickling are installed.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from cutaway.scan.files import scan_file
from cutaway.scan.finding import RUNS
from tests.scan.hostile_files import CANARY, hostile_files


def cutaway_flags(path: Path) -> bool:
    return scan_file(str(path)).verdict == RUNS


def exit_code(*command: str) -> int:
    return subprocess.run(command, capture_output=True, timeout=120, check=False).returncode


def flagged(scanner: str, programs: Path, path: Path) -> bool:
    """Tell whether another scanner warns of a file."""
    if scanner == "picklescan":
        return exit_code(str(programs / "picklescan"), "-p", str(path)) == 1
    if scanner == "modelscan":
        return exit_code(str(programs / "modelscan"), "-p", str(path)) == 1
    return exit_code(str(programs / "fickling"), "--check-safety", str(path)) != 0


def main() -> None:
    ordinary = sorted(path for path in Path(sys.argv[1]).rglob("*") if path.is_file())
    programs = Path(sys.argv[2]) if len(sys.argv) > 2 else None
    scanners = ["cutaway", *(["picklescan", "modelscan", "fickling"] if programs else [])]
    with tempfile.TemporaryDirectory() as folder:
        hostile = []
        for name, content in hostile_files():
            path = Path(folder) / name.replace(" ", "_").replace(",", "")
            path.write_bytes(content)
            hostile.append(path)
        table = {}
        for scanner in scanners:
            check = (
                cutaway_flags
                if programs is None or scanner == "cutaway"
                else lambda p, s=scanner: flagged(s, programs, p)
            )
            every = max(1, len(ordinary) // 40) if scanner != "cutaway" else 1
            sample = ordinary[::every]
            missed = [path.name for path in hostile if not check(path)]
            wrong = [path.name for path in sample if check(path)]
            table[scanner] = {
                "missed": len(missed),
                "of": len(hostile),
                "flagged": len(wrong),
                "of ordinary": len(sample),
            }
            print(scanner, table[scanner], *(wrong[:8] if scanner == "cutaway" else missed[:4]), flush=True)
        assert not (Path.cwd() / CANARY).exists()
        print(json.dumps(table, indent=1))


if __name__ == "__main__":
    main()
