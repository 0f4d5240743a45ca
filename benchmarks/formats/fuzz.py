"""Damaged files: each reader gets files that are mutated at random, and must answer or refuse, soon and with little memory.

    python -m benchmarks.formats.fuzz FOLDER... [--inputs 100000] [--seconds 60] [--seed 0] [--readers saved_model]

One process mutates and reads; this one watches it. An input that takes longer than 2 seconds of the processor, that ends
the process, or with which it needs more than 200 MB, is kept in `fuzz-failures/`.
"""

from __future__ import annotations

import argparse
import gc
import io
import multiprocessing
import random
import resource
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

SUFFIXES = {
    ".onnx": "onnx", ".ort": "ort", ".tflite": "tflite", ".pt": "torch_save", ".pth": "torch_save", ".ptl": "torch_save",
    ".pt2": "torch_save", ".npz": "torch_save", ".npy": "numpy_file", ".pkl": "pickled", ".safetensors": "safetensors",
    ".gguf": "gguf", ".msgpack": "flax_msgpack", ".pte": "executorch",
}  # fmt: skip
ASKED = (".pb", ".pbtxt", ".meta", ".index", ".h5", ".hdf5", ".keras", ".json", ".yaml")
"""Endings of files of several formats: which reader they are for is asked."""
LONGEST, MOST_MEGABYTES, LARGEST_SEED = 2.0, 200, 1 << 18
_PATIENCE = 20.0  # seconds without an answer: others may need the processor, too
_INTERESTING = (0, 1, 0x7F, 0x80, 0xFF, 0x7FFF, 0xFFFF, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF)
_SCANNED = ("torch_save", "pickled", "numpy_file", "gguf", "safetensors")
_KEPT = Path("fuzz-failures")


def mutated(data: bytes, others: Sequence[bytes], chance: random.Random) -> bytes:
    """Return bytes with a few random changes."""
    content = bytearray(data)
    for _ in range(1 + int(chance.expovariate(0.5))):
        if not content:
            return bytes(content)
        at = chance.randrange(len(content))
        match chance.randrange(8):
            case 0:
                content[at] ^= 1 << chance.randrange(8)
            case 1:
                content[at] = chance.randrange(256)
            case 2:
                width = chance.choice((1, 2, 4, 8))
                number = chance.choice(_INTERESTING) & ((1 << (8 * width)) - 1)
                content[at : at + width] = number.to_bytes(width, "little")
            case 3:
                del content[at : at + 1 + int(chance.expovariate(0.05))]
            case 4:
                content[at:at] = chance.randbytes(1 + int(chance.expovariate(0.2)))
            case 5:
                content = content[:at]
            case 6:
                length = 1 + int(chance.expovariate(0.02))
                content[at:at] = content[chance.randrange(len(content)) :][:length]
            case 7:
                other = chance.choice(others)
                start = chance.randrange(len(other)) if other else 0
                content[at : at + 64] = other[start : start + 64]
    return bytes(content)


def attempt(reader: str, data: bytes) -> str:
    """Return what a reader makes of bytes: `read` or `refused`; any other exception is a bug, and is raised."""
    from cutaway.core.error import CutawayError

    try:
        module = import_module(f"cutaway.formats.{reader}")
        if reader == "torch_save":
            with module.told("fuzzed"):
                import_module("cutaway.formats.torchscript").read(io.BytesIO(data), "fuzzed", "fuzzed")
        if reader in _SCANNED:
            import_module("cutaway.scan.files").scan_content(io.BytesIO(data), "fuzzed.bin")
        module.read(io.BytesIO(data), "fuzzed")
    except CutawayError as error:
        if "\n" in str(error):
            raise AssertionError(f"a message of several lines: {error}") from error
        return "refused"
    return "read"


def _work(seeds: list[tuple[str, bytes]], start: int, seed: int, pipe: Any) -> None:
    by_reader: dict[str, list[bytes]] = {}
    for reader, data in seeds:
        by_reader.setdefault(reader, []).append(data)
    number = start
    gc.freeze()  # else looking for garbage among all that is inherited counts as time of a reader
    inherited = _peak_megabytes()  # of the process that started this one
    while True:
        chance = random.Random(f"{seed}/{number}")
        reader, data = chance.choice(seeds)
        content = mutated(data, by_reader[reader], chance)
        pipe.send(("begin", number, reader, content))
        started = time.process_time()
        try:
            answer = attempt(reader, content)
        except BaseException as error:
            answer = f"{type(error).__name__}: {error}"
        taken = time.process_time() - started
        if taken > LONGEST:
            answer = f"it takes {taken:.1f} s"
        megabytes = _peak_megabytes() - inherited
        pipe.send(("end", number, answer, megabytes))
        number += 1


def _peak_megabytes() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10


def fuzz(seeds: list[tuple[str, bytes]], inputs: int, seconds: float, seed: int = 0) -> tuple[int, list[str]]:
    """Return how many inputs were read, and what went wrong."""
    failures: list[str] = []
    number, deadline = 0, time.monotonic() + seconds
    while number < inputs and time.monotonic() < deadline and len(failures) < 20:
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.Process(target=_work, args=(seeds, number, seed, theirs))
        process.start()
        theirs.close()
        reader, content = "", b""
        try:
            while number < inputs and time.monotonic() < deadline:
                if not ours.poll(_PATIENCE):
                    failures.append(_kept(reader, content, number, f"no answer in {_PATIENCE:.0f} s"))
                    number += 1
                    break
                message = ours.recv()
                if message[0] == "begin":
                    _, number, reader, content = message
                    continue
                _, _, answer, megabytes = message
                number += 1
                if answer not in ("read", "refused"):
                    failures.append(_kept(reader, content, number, answer))
                if megabytes > MOST_MEGABYTES:
                    failures.append(_kept(reader, content, number, f"it takes {megabytes} MB"))
                    break
        except EOFError:
            failures.append(_kept(reader, content, number, "the process ended"))
            number += 1
        finally:
            process.kill()
            process.join()
    return number, failures


def _kept(reader: str, content: bytes, number: int, text: str) -> str:
    _KEPT.mkdir(exist_ok=True)
    path = _KEPT / f"{number}.{reader}"
    path.write_bytes(content)
    return f"{path}: {text}"


def seeds_of(folders: Sequence[Path], largest: int = LARGEST_SEED) -> list[tuple[str, bytes]]:
    """Return the reader and the bytes of each small file below folders."""
    from cutaway.formats import dispatch

    seeds = []
    for path in (path for folder in folders for path in sorted(folder.rglob("*"))):
        if path.suffix not in SUFFIXES and path.suffix not in ASKED:
            continue
        if path.is_file() and path.stat().st_size <= largest:
            reader = SUFFIXES.get(path.suffix) or dispatch._reader(str(path))
            if reader not in (None, "recognised"):
                seeds.append((reader, path.read_bytes()))
    return seeds


def main() -> int:
    """Mutate and read, and print what went wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--inputs", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--largest", type=int, default=LARGEST_SEED, help="bytes of the largest file that is taken")
    parser.add_argument("--readers", nargs="*", help="the names of readers, all if none is named")
    arguments = parser.parse_args()
    seeds = seeds_of(arguments.folders, arguments.largest)
    seeds = [each for each in seeds if not arguments.readers or each[0] in arguments.readers]
    for reader in {reader for reader, _ in seeds}:
        import_module(f"cutaway.formats.{reader}")
    count, failures = fuzz(seeds, arguments.inputs, arguments.seconds, arguments.seed)
    for text in failures:
        print(text)
    readers = ", ".join(sorted({reader for reader, _ in seeds}))
    print(f"{count:,} inputs from {len(seeds)} files for {readers}: {len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
