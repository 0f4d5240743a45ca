"""Damaged files of torch, safetensors, GGUF, numpy, flax and ExecuTorch: each must be read or refused, soon, with little memory.

    python -m benchmarks.torch_files.fuzz FOLDER... [--inputs 1000000] [--seconds 60] [--seed 0] [--record FILE]

An input is a file with random changes; members of archives are changed inside of the archive, too, so that the changes reach
what is packed. It goes to one reader, or to the scan. A process of its own takes one input after the other; its parent notices
if it ends or hangs. More than 2 seconds of the processor, or 200 MB, are failures; their inputs are kept in `fuzz-failures/`.
A line of the record has the commit, the seed, and the number of inputs of each reader. Other seeds give other inputs.
"""

from __future__ import annotations

import argparse
import io
import json
import multiprocessing
import random
import resource
import signal
import subprocess
import sys
import time
import zipfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.formats.fuzz import mutated
from cutaway.core.error import CutawayError

READERS = {
    ".pt": ("torch_save", "torchscript", "scan"), ".pth": ("torch_save", "scan"), ".bin": ("torch_save", "scan"),
    ".ptl": ("torchscript", "scan"), ".pt2": ("torch_save", "scan"), ".npz": ("torch_save", "scan"),
    ".npy": ("numpy_file", "scan"), ".pkl": ("pickled", "scan"), ".joblib": ("scan",), ".z": ("scan",), ".gz": ("scan",),
    ".safetensors": ("safetensors", "scan"), ".gguf": ("gguf", "scan"), ".msgpack": ("flax_msgpack",), ".pte": ("executorch",),
    ".keras": ("scan",), ".json": ("scan",), ".jinja": ("scan",), ".yaml": ("scan",), ".pb": ("scan",), ".h5": ("scan",),
    ".onnx": ("scan",), ".tar": ("tar_save", "scan"),
}  # fmt: skip
LONGEST, MOST_MEGABYTES, LARGEST_SEED = 2.0, 200, 1 << 16
_PATIENCE = 60.0  # seconds without an answer: others may need the processor, too
_REPORT_EVERY = 200
_MOST_FAILURES = 50
_KEPT = Path("fuzz-failures")


@dataclass(frozen=True, slots=True)
class Seed:
    """A file to change: its content, and its members if it is an archive."""

    suffix: str
    content: bytes
    members: tuple[tuple[str, bytes], ...] = ()


@dataclass(slots=True)
class Outcome:
    """What became of inputs."""

    number: int = 0
    counts: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    seconds: float = 0.0
    megabytes: int = 0


def seeds_of(folders: Sequence[Path]) -> list[Seed]:
    """Return the small files below folders that a reader is for."""
    found = []
    for path in (path for folder in folders for path in sorted(folder.rglob("*"))):
        if path.suffix in READERS and path.is_file() and path.stat().st_size <= LARGEST_SEED:
            content = path.read_bytes()
            found.append(Seed(path.suffix, content, _members(content)))
    return found


def _members(content: bytes) -> tuple[tuple[str, bytes], ...]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            return tuple((entry.filename, archive.read(entry)) for entry in archive.infolist())
    except (zipfile.BadZipFile, OSError, RuntimeError, NotImplementedError):
        return ()


def input_of(seeds: Sequence[Seed], by_suffix: dict[str, list[Seed]], seed: int, number: int) -> tuple[str, bytes]:
    """Return the reader and the bytes of an input."""
    chance = random.Random(f"{seed}/{number}")
    chosen = by_suffix[chance.choice(sorted(by_suffix))][:]
    origin = chance.choice(chosen)
    others = [each.content for each in chance.sample(chosen, min(3, len(chosen)))]
    reader = chance.choice(READERS[origin.suffix])
    if not origin.members or chance.random() < 0.4:
        return reader, mutated(origin.content, others, chance)
    changed = chance.randrange(len(origin.members))
    sink = io.BytesIO()
    with zipfile.ZipFile(sink, "w") as archive:
        for at, (name, data) in enumerate(origin.members):
            if not name.endswith("/"):
                archive.writestr(name, mutated(data, [m for _, m in origin.members], chance) if at == changed else data)
    return reader, sink.getvalue()


def attempt(reader: str, content: bytes) -> str:
    """Return what a reader makes of bytes: `read` or `refused`; any other exception is a bug, and is raised."""
    try:
        if reader == "scan":
            import_module("cutaway.scan.files").scan_content(io.BytesIO(content), "fuzzed.bin")
        elif reader == "torchscript":
            with import_module("cutaway.formats.torch_save").told("fuzzed"):
                import_module("cutaway.formats.torchscript").read(io.BytesIO(content), "fuzzed", "fuzzed")
        else:
            import_module(f"cutaway.formats.{reader}").read(io.BytesIO(content), "fuzzed")
    except CutawayError as error:
        if "\n" in str(error):
            raise AssertionError(f"a message of several lines: {error}") from error
        return "refused"
    return "read"


class _TooLong(BaseException):
    pass


def _work(make: Callable[[int], tuple[str, bytes]], start: int, pipe: Any) -> None:
    def late(*_: Any) -> None:
        raise _TooLong(f"it takes more than {LONGEST} s")

    signal.signal(signal.SIGVTALRM, late)
    before = _peak_megabytes()
    counts: Counter[str] = Counter()
    number = start
    while True:
        reader, content = make(number)
        signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
        failure = ""
        try:
            counts[f"{reader} {attempt(reader, content)}"] += 1
        except BaseException as error:
            failure = f"{type(error).__name__}: {error}"
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        peak = _peak_megabytes()
        if peak - before > MOST_MEGABYTES:
            failure = f"it takes {peak - before} MB"
        number += 1
        if failure or (number - start) % _REPORT_EVERY == 0:
            pipe.send(
                (number, counts, failure, reader, content if failure else b"", time.process_time(), peak - before)
            )
            counts = Counter()
            if "MB" in failure:
                return  # a new process begins with the next input


def _peak_megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def fuzz(seeds: Sequence[Seed], inputs: int, seconds: float, seed: int, start: int = 0) -> Outcome:
    """Return what became of inputs."""
    by_suffix: dict[str, list[Seed]] = {}
    for each in seeds:
        by_suffix.setdefault(each.suffix, []).append(each)

    def make(number: int) -> tuple[str, bytes]:
        return input_of(seeds, by_suffix, seed, number)

    outcome = Outcome(start)
    deadline = time.monotonic() + seconds
    while outcome.number < start + inputs and time.monotonic() < deadline and len(outcome.failures) < _MOST_FAILURES:
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.Process(target=_work, args=(make, outcome.number, theirs))
        process.start()
        theirs.close()
        used = 0.0
        try:
            while outcome.number < start + inputs and time.monotonic() < deadline:
                if not ours.poll(_PATIENCE):
                    outcome.failures.append(f"no answer in {_PATIENCE:.0f} s behind input {outcome.number}")
                    outcome.number += _REPORT_EVERY
                    break
                outcome.number, counts, failure, reader, content, used, megabytes = ours.recv()
                outcome.counts.update(counts)
                outcome.megabytes = max(outcome.megabytes, megabytes)
                if failure:
                    outcome.failures.append(_kept(reader, content, outcome.number - 1, failure))
        except EOFError:
            if not (outcome.failures and "MB" in outcome.failures[-1]):
                outcome.failures.append(f"the process ended behind input {outcome.number}")
                outcome.number += _REPORT_EVERY
        finally:
            process.kill()
            process.join()
            outcome.seconds += used
    return outcome


def _kept(reader: str, content: bytes, number: int, text: str) -> str:
    _KEPT.mkdir(exist_ok=True)
    path = _KEPT / f"{number}.{reader}"
    path.write_bytes(content)
    return f"{path}: {text[:300]}"


def main() -> int:
    """Change and read, and print what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--inputs", type=int, default=1_000_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--start", type=int, default=0)
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    seeds = seeds_of(options.folders)
    for reader in {reader for each in seeds for reader in READERS[each.suffix]} - {"scan"}:
        import_module(f"cutaway.formats.{reader}")
    import_module("cutaway.scan.files")
    outcome = fuzz(seeds, options.inputs, options.seconds, options.seed, options.start)
    for text in outcome.failures:
        print(text)
    counts = dict(sorted(outcome.counts.items()))
    total = sum(counts.values())
    print(
        f"{total:,} inputs from {len(seeds)} files in {outcome.seconds:.0f} s, {outcome.megabytes} MB: {len(outcome.failures)} failures"
    )
    print("  ".join(f"{name} {count:,}" for name, count in counts.items()))
    if options.record is not None:
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True)
        entry = {
            "commit": commit.stdout.strip(), "seed": options.seed, "first": options.start, "inputs": total,
            "failures": len(outcome.failures), "megabytes": outcome.megabytes, "counts": counts,
        }  # fmt: skip
        with options.record.open("a", encoding="utf-8") as file:
            file.write(json.dumps(entry) + "\n")
    return 1 if outcome.failures else 0


if __name__ == "__main__":
    sys.exit(main())
