"""Many inputs in one process: generated and mutated sources, and damaged files, under a supervisor.

The worker tells the number of each input before it reads it. A worker that crashes, takes too long or too much memory is
replaced by one that continues with the next input; so is each after some thousand inputs.
"""

from __future__ import annotations

import io
import json
import os
import random
import resource
import select
import signal
import struct
import tempfile
import time
from collections import Counter
from pathlib import Path

import cutaway
from benchmarks.hostile.campaign import mutated, real_sources
from benchmarks.hostile.grammar import program
from cutaway.formats import safetensors, tensorboard, torch_save
from cutaway.knowledge.base import registry
from tests.unit.formats import test_weights as weights
from tests.unit.formats.test_tensorboard import event_file

_CASES = Path(__file__).parents[2] / "tests" / "cases"
_TIMEOUT = 2.0
_MOST_SECONDS = _TIMEOUT + 2
_MOST_MEGABYTES = 1000
_PER_WORKER = 4000
_NUMBER = struct.Struct("<q")
_FINE, _REFUSED = "read", "refused"

Sample = tuple[str, bytes]
"""The kind of an input, and its content."""


def _damaged(content: bytes, chance: random.Random) -> bytes:
    """Return bytes with some of them changed, cut out, doubled or replaced by extreme numbers."""
    data = bytearray(content)
    for _ in range(chance.randint(1, 6)):
        at = chance.randrange(len(data) or 1)
        kind = chance.randrange(6)
        if kind == 0:
            data[at : at + 1] = bytes([chance.randrange(256)])
        elif kind == 1:
            del data[at : at + chance.choice((1, 4, 64))]
        elif kind == 2:
            data[at:at] = data[at : at + chance.choice((1, 8, 200))]
        elif kind == 3:
            data[at : at + 8] = struct.pack("<Q", chance.choice((0, 1, 2**31, 2**63, 2**64 - 1)))
        elif kind == 4:
            del data[at:]
        else:
            data[at:at] = chance.choice(
                (b"[" * 500, b"{" * 500, b'"a":', b"\x80\x04", b"(" * 500, b"0" * 20, b"h\x00h\x00b")
            )
    return bytes(data)


class Inputs:
    """The inputs of a campaign, each made from its number alone."""

    def __init__(self, seed: int, files: list[Sample]) -> None:
        self._seed = seed
        self._sources = [source for source in real_sources(_CASES) if len(source) < 3000]
        self._files = files

    def __getitem__(self, number: int) -> Sample:
        chance = random.Random(self._seed * 1_000_003 + number)
        kind = number % 4
        if kind == 0:
            return "generated source", program(chance).encode()
        if kind == 1:
            return "mutated source", mutated(chance.choice(self._sources), chance).encode("utf-8", "surrogatepass")
        name, content = chance.choice(self._files)
        return f"damaged {name}", _damaged(content, chance)


_READERS = {"safetensors": safetensors, "torch_save": torch_save, "legacy": torch_save, "tensorboard": tensorboard}


def read(sample: Sample, file: Path) -> str:
    """Read one input in this process; return how that ends."""
    kind, content = sample
    try:
        if kind.endswith("source"):
            file.write_bytes(content)
            cutaway.show(str(file), timeout=_TIMEOUT, isolated=False)
        else:
            _READERS[kind.split()[1]].read(io.BytesIO(content), "saved")
    except cutaway.CutawayError as error:
        return _REFUSED if "bug in Cutaway" not in str(error) else f"bug: {str(error)[:300]}"
    except BaseException as error:
        return f"raised: {type(error).__name__}: {str(error)[:200]}"
    return _FINE


def _work(inputs: Inputs, start: int, pipe: int) -> None:
    """Be the worker: tell the number of each input, and how it ended."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    with tempfile.TemporaryDirectory() as folder:
        for number in range(start, start + _PER_WORKER):
            os.write(pipe, _NUMBER.pack(number))
            sample = inputs[number]
            began = time.process_time()
            ending = read(sample, Path(folder) / "model.py")
            if time.process_time() - began > _MOST_SECONDS:
                ending = f"slow: {time.process_time() - began:.1f} s"
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
            if peak > _MOST_MEGABYTES:
                ending = f"large: {peak} MB"
            message = f"{sample[0]}\0{ending}".encode("utf-8", "replace")[:500]
            os.write(pipe, _NUMBER.pack(-len(message)) + message)
            if peak > _MOST_MEGABYTES:
                break
    os._exit(0)


class Supervisor:
    """Runs workers until the time is up, and keeps count."""

    def __init__(self, inputs: Inputs) -> None:
        self.inputs = inputs
        self.counts: Counter[str] = Counter()
        self.wrong: list[dict[str, str]] = []

    def run(self, seconds: float, start: int = 0) -> int:
        """Read inputs for a time; return the number of the next."""
        end, number = time.monotonic() + seconds, start
        while time.monotonic() < end:
            number = self._one_worker(number, end)
        return number

    def _one_worker(self, start: int, end: float) -> int:
        reading, writing = os.pipe()
        worker = os.fork()
        if worker == 0:
            os.close(reading)
            _work(self.inputs, start, writing)
        os.close(writing)
        number, is_open = start, False
        with os.fdopen(reading, "rb") as pipe:
            while True:
                ready, _, _ = select.select([pipe], [], [], 10 * _MOST_SECONDS)
                head = pipe.read(_NUMBER.size) if ready else b""
                if len(head) < _NUMBER.size:
                    break
                (value,) = _NUMBER.unpack(head)
                if value >= 0:
                    number, is_open = value, True
                    continue
                kind, _, ending = pipe.read(-value).decode("utf-8", "replace").partition("\0")
                is_open = False
                self._count(kind, ending, number)
                if time.monotonic() > end:
                    break
        os.kill(worker, signal.SIGKILL)
        _, status = os.waitpid(worker, 0)
        if is_open:
            kind = self.inputs[number][0]
            ending = f"signal {os.WTERMSIG(status)}" if ready else "stuck"
            self._count(kind, f"lost: {ending}", number)
        return number + 1

    def _count(self, kind: str, ending: str, number: int) -> None:
        self.counts[f"{kind}: {ending.partition(':')[0]}"] += 1
        if ending not in (_FINE, _REFUSED):
            content = self.inputs[number][1].decode("utf-8", "replace")
            self.wrong.append({"number": str(number), "kind": kind, "outcome": ending, "input": content})
            print(f"{number}: {kind}: {ending}", flush=True)


def saved_files() -> list[Sample]:
    """Return small files of every kind that is read."""
    pickle = weights.state_dict()
    legacy = torch_save._LEGACY + b"\x80\x02K\x01." + b"\x80\x02}." + pickle
    return [
        ("safetensors", weights.safetensors(weights.entries())),
        ("torch_save", weights.archive(pickle)),
        ("legacy", legacy),
        ("tensorboard", event_file()),
    ]


def run(seconds: float, seed: int, file: Path | None) -> int:
    """Run a campaign, print the counts; 1 if an input did not end well."""
    registry.load("torch")
    supervisor = Supervisor(Inputs(seed, saved_files()))
    started = time.monotonic()
    count = supervisor.run(seconds)
    for name, number in sorted(supervisor.counts.items()):
        print(f"{number:8}  {name}")
    total = sum(supervisor.counts.values())
    print(f"{total:8}  inputs up to number {count}, {total / (time.monotonic() - started):.0f} in a second")
    if file is not None:
        document = {"counts": supervisor.counts, "wrong": supervisor.wrong}
        file.write_text(json.dumps(document, indent=1), encoding="utf-8")
    return 1 if supervisor.wrong else 0
