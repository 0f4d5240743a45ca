"""Show every file of the listed repositories that defines a network, without any option.

usage: python -m benchmarks.repositories LIST CHECKOUTS [--mirror FOLDER] [--only TEXT] [--most N] [--every N] [--json FILE]

LIST is `first`, `second` or `third`: first.txt, second.txt and third.txt name repositories with their commits. CHECKOUTS is a folder with the files of each repository; with `--mirror`, they are written there first, from git directories
FOLDER/OWNER+NAME/repo. Each file is shown by the command, from the root of its repository.
"""

from __future__ import annotations

import argparse
import json
import resource
import statistics
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.repositories.table import MOST_FILES, check_out, lists, network_files, read_list
from cutaway.passes.provenance import Provenance
from cutaway.report.json import loads

SECONDS = 30
"""What a command may take."""


def shown(folder: Path, file: Path, seconds: float = 4 * SECONDS) -> dict[str, Any]:
    """Return what the command says of a file, and the processor time that it takes: machines may be busy."""
    name = str(file.relative_to(folder))
    started = _processor_seconds()
    command = [sys.executable, "-m", "cutaway", "show", name, "--no-cache", "--format", "json", f"--timeout={seconds}"]
    row: dict[str, Any] = {"repository": folder.name, "file": name}
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=2 * seconds)
    except subprocess.TimeoutExpired:
        return row | {"seconds": seconds, "error": "the command did not end", "networks": []}
    row |= {"seconds": round(_processor_seconds() - started, 1), "error": done.stderr.decode()[-2000:].strip()}
    networks = loads(done.stdout) if done.stdout else ()
    return row | {"networks": [_figures(network) for network in networks]}


def _processor_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _figures(network: Any) -> dict[str, Any]:
    known = Provenance(network).counted()
    return {
        "name": network.name,
        "known": round(known.share, 4),
        "facts": known.facts,
        "assumed": known.assumed,
        "faults": [f"{fault.place}: {fault.message} [{fault.code}]" for fault in network.diagnostics],
        "unknowns": [f"{note.place}: {note.text}" for note in network.unknowns[:5]],
        "inputs": [f"{value.name} {value.shape}" for value in network.inputs],
    }


def summary(rows: list[dict[str, Any]]) -> Iterator[str]:
    """Yield the figures of all files."""
    networks = [network for row in rows for network in row["networks"]]
    shares = sorted(network["known"] for network in networks)
    yield f"{len(rows)} files, {len(networks)} networks"
    nothing = [row for row in rows if not row["networks"]]
    losses = sum("only losses" in row["error"] for row in nothing)
    yield f"nothing shown: {len(nothing)}, {losses} of them because there are only losses"
    yield f"internal error: {sum('a bug in Cutaway' in row['error'] for row in rows)}"
    yield f"over {SECONDS} s: {sum(row['seconds'] > SECONDS for row in rows)}"
    yield f"faults: {sum(len(network['faults']) for network in networks)}"
    if shares:
        whole = sum(share == 1 for share in shares)
        yield f"known share: {statistics.median(shares):.1%} in the middle, {statistics.mean(shares):.1%} on average"
        yield f"known whole: {whole} of {len(shares)}"


def main() -> int:
    """Show the files and print the figures."""
    parser = argparse.ArgumentParser(
        prog="benchmarks.repositories", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("list", choices=lists())
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("--mirror", type=Path)
    parser.add_argument("--only", default="", help="only repositories and files with this in them")
    parser.add_argument(
        "--most", type=int, default=MOST_FILES, metavar="N", help="at most about N files of a repository"
    )
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only every Nth file")
    parser.add_argument("--seconds", type=float, default=4 * SECONDS, help="time limit of a command")
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    files = []
    for repository in read_list(options.list):
        folder = repository.folder(options.checkouts)
        if options.mirror and not folder.is_dir():
            check_out(repository, options.mirror, options.checkouts)
        files += [
            (folder, file) for file in network_files(folder, options.most) if options.only in f"{folder.name} {file}"
        ]
    rows = []
    for folder, file in files[:: options.every]:
        row = shown(folder, file, options.seconds)
        rows.append(row)
        shares = " ".join(f"{network['name']} {network['known']:.0%}" for network in row["networks"])
        print(f"{row['seconds']:6} {folder.name}/{row['file']}  {shares or row['error'][-300:]}", flush=True)
        for network in row["networks"]:
            for fault in network["faults"]:
                print(f"        fault: {network['name']} {network['inputs']} {fault}", flush=True)
    print(*summary(rows), sep="\n")
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
