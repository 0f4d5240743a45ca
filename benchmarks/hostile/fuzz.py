"""Many inputs in one process: generated and mutated sources, and damaged files, under a supervisor.

The worker tells the number of each input before it reads it. A worker that crashes, takes too long or too much memory is
replaced by one that continues with the next input; so is each after some thousand inputs. Workers are forked from a process
that has loaded every library, and inherit its objects frozen.

Half of the inputs are sources. Most of these are short: a few objects with special methods, handed to one of the native
callables that the inventory reaches. They are evaluated and nothing more, because finding, exploring and describing networks
takes ten times as long; every thirtieth source is shown or checked as a whole.
"""

from __future__ import annotations

import ast
import gc
import json
import os
import random
import resource
import select
import signal
import struct
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module
from io import FileIO
from pathlib import Path
from typing import Any

import cutaway
from benchmarks.hostile.campaign import mutated, real_sources
from benchmarks.hostile.fragments import Fragments
from benchmarks.hostile.grammar import program
from benchmarks.hostile.inventory import Inventory
from benchmarks.hostile.samples import Sample, configurations, samples, unzipped, zipped
from cutaway.checking.file_check import check_file
from cutaway.core.error import describe_error
from cutaway.core.record import compile_initialisers
from cutaway.core.unknown import Exhausted, Undecidable
from cutaway.interp.analysis.options import Options
from cutaway.interp.analysis.single_run import _new_analysis
from cutaway.interp.analysis.target_value import load_target
from cutaway.knowledge.base import registry
from cutaway.limits import analysis_seconds, interrupted_after
from cutaway.scan.files import scan_file
from cutaway.syntax.target import parse_target
from tests.hostile.snapshot import changed, state
from tests.hostile.watch import Watch, watching

_CASES = Path(__file__).parents[2] / "tests" / "cases"
_TIMEOUT = 2.0
_MOST_SECONDS = _TIMEOUT + 2
_MOST_WAITING_SECONDS = 600.0
_MOST_MEGABYTES = 1000
_PER_WORKER = 4000
_NUMBER = struct.Struct("<q")
_STATE_EVERY = 400
_SLOW_EVERY = 400
_FINE, _REFUSED = "read", "refused"


def _damaged(content: bytes, chance: random.Random) -> bytes:
    """Return bytes with some of them changed, cut out, doubled or replaced by extreme numbers."""
    data = bytearray(content)
    for _ in range(chance.choice((1, 1, 2, 3, 6))):
        at = chance.randrange(len(data) or 1)
        kind = chance.randrange(7)
        if kind == 0:
            data[at : at + 1] = bytes([chance.randrange(256)])
        elif kind == 1:
            del data[at : at + chance.choice((1, 4, 64))]
        elif kind == 2:
            data[at:at] = data[at : at + chance.choice((1, 8, 200))]
        elif kind == 3:
            data[at : at + 8] = struct.pack("<Q", chance.choice((0, 1, 2**31, 2**63, 2**64 - 1)))
        elif kind == 4 and chance.random() < 0.3:
            del data[at:]
        elif kind == 5:
            data[at : at + 1] = bytes([data[at] ^ 1 << chance.randrange(8)]) if data else b""
        else:
            data[at:at] = chance.choice(_PIECES)
    return bytes(data)


_PIECES = (
    b"[" * 500,
    b"{" * 500,
    b'"a":',
    b"\x80\x04",
    b"(" * 500,
    b"0" * 20,
    b"h\x00h\x00b",
    b"\xff" * 9,
    b"\x0a\x02" * 200,
)
_VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 2**31, 2**63, 10**400, 1e308, "", "../../etc/passwd", "x" * 300, "__import__('os')", [], {}, [[]],
    "\x1b[31m\n", "\ud800", {"class_name": "Lambda", "config": {}}, "a.b", [1] * 300,
)  # fmt: skip


def _changed(value: Any, chance: random.Random) -> Any:
    """Return a document of JSON with one of its parts replaced, removed or moved."""
    if isinstance(value, dict) and value and chance.random() < 0.9:
        key = chance.choice(list(value))
        if chance.random() < 0.1:
            return {each: part for each, part in value.items() if each != key}
        return {**value, key: _changed(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.9:
        at = chance.randrange(len(value))
        if chance.random() < 0.1:
            return value + value[at:]
        return [*value[:at], _changed(value[at], chance), *value[at + 1 :]]
    return chance.choice(_VALUES)


def _damaged_inside(content: bytes, chance: random.Random) -> bytes:
    """Return a file that is damaged in its own terms: one member of an archive, or one part of a document."""
    members = unzipped(content)
    if members:
        name = chance.choice([name for name, inner in members.items() if inner] or list(members))
        return zipped({**members, name: _damaged_inside(members[name], chance)})
    if content[:1] in (b"{", b"["):
        try:
            document = json.loads(content)
        except ValueError:
            return _damaged(content, chance)
        for _ in range(chance.randint(1, 3)):
            document = _changed(document, chance)
        return json.dumps(document).encode("utf-8", "surrogatepass")
    return _damaged(content, chance)


def _that_parses(make: Callable[[], str]) -> bytes:
    """Return a source, most often one without syntax errors: these hide all else."""
    source = make()
    for _ in range(4):
        try:
            ast.parse(source)
            break
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            source = make()
    return source.encode("utf-8", "surrogatepass")


class Inputs:
    """The inputs of a campaign, each made from its number alone: the name of a file, and its content.

    The name says how a source is read: see `READERS`.
    """

    def __init__(self, seed: int, files: list[Sample], ways: list[str]) -> None:
        self._seed = seed
        self._sources = [source for source in real_sources(_CASES) if len(source) < 1500]
        self._slow = [sample for sample in files if sample[0] in _TAKE_LONG]
        self._files = [sample for sample in files if sample[0] not in _TAKE_LONG]
        self._slowest = configurations()
        self._fragments = Fragments(ways)

    def __getitem__(self, number: int) -> Sample:
        chance = random.Random(self._seed * 1_000_003 + number)
        if number % 2:
            return self._file(number // 2, chance)
        kind = number // 2 % 60
        if kind == 0:
            return "generated.py", _that_parses(lambda: program(chance))
        if kind == 30:
            return "mutated.py", _that_parses(lambda: mutated(chance.choice(self._sources), chance))
        if kind in (15, 45):
            name = "shown.py" if kind == 15 else "checked.py"
            return name, _that_parses(lambda: self._fragments.program(chance, chance.randint(1, 4)))
        return "evaluated.py", _that_parses(lambda: self._fragments.program(chance, chance.choice((1, 1, 2))))

    def _file(self, number: int, chance: random.Random) -> Sample:
        samples = self._slowest if number % 4000 == 3999 else self._slow if number % 30 == 29 else self._files
        name, content = chance.choice(samples)
        return name, (_damaged_inside if chance.random() < 0.6 else _damaged)(content, chance)


_TAKE_LONG = frozenset(
    "traced.pt scripted.pt whole.pt legacy.pt exported.pt2 model.h5 model.keras frozen.pb functions.onnx model.json runs.json "
    "residual.ort".split()
)
"""Files whose reading takes several milliseconds, of which fewer are read."""


def _show_program(file: Path) -> None:
    given = {"input": "1x2"} if file.stat().st_size % 4 else {}
    cutaway.show(str(file), timeout=_TIMEOUT, isolated=False, **given)


def _show_fragment(file: Path) -> None:
    cutaway.show(str(file), input="1x2", timeout=_TIMEOUT, isolated=False)


def _check(file: Path) -> None:
    with interrupted_after(_TIMEOUT):
        note = check_file(str(file), seconds=analysis_seconds(_TIMEOUT)).note
    if note is not None and "bug in Cutaway" in note:
        raise cutaway.CutawayError(note)


def _evaluate(file: Path) -> None:
    """Evaluate a module as an analysis does, without finding and describing networks."""
    options = Options(seconds=_TIMEOUT)
    with interrupted_after(_TIMEOUT), _new_analysis(options), suppress(Undecidable, Exhausted):
        load_target(parse_target(str(file)), options).run()


def _scan_and_show(file: Path) -> None:
    scan_file(str(file))
    cutaway.show(str(file.parent if file.name == "config.json" else file), timeout=_TIMEOUT, isolated=False)


READERS: dict[str, Callable[[Path], None]] = {
    "generated.py": _show_program,
    "mutated.py": _show_program,
    "shown.py": _show_fragment,
    "checked.py": _check,
    "evaluated.py": _evaluate,
}
"""How sources are read, by the names of their files."""


def read(file: Path) -> str:
    """Read one input in this process; return how that ends."""
    try:
        READERS.get(file.name, _scan_and_show)(file)
    except cutaway.CutawayError as error:
        text = str(error)
        if "bug in Cutaway" in text:
            return f"bug: {text[:300]}"
        return _REFUSED if "\n" not in text and text.isprintable() else f"several lines: {text[:300]!r}"
    except Exhausted:
        return _REFUSED
    except BaseException as error:
        return f"raised: {type.__getattribute__(type(error), '__name__')}: {describe_error(error)[:200]}"
    return _FINE


def _work(inputs: Inputs, start: int, pipe: int) -> None:
    """Be the worker: tell the number of each input, and how it ended."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)
    with tempfile.TemporaryDirectory() as folder, watching() as watch:
        before = state()
        for number in range(start, start + _PER_WORKER):
            os.write(pipe, _NUMBER.pack(number))
            name, content = inputs[number]
            file = Path(folder) / name
            file.write_bytes(content)
            began = time.process_time()
            _forget_peak()
            del watch.acts[:], watch.loot[:]
            ending = read(file)
            seconds = time.process_time() - began
            peak = _peak()
            ending = _trouble(watch, seconds, peak) or ending
            if number % _STATE_EVERY == 0 and (parts := changed(before, state())):
                ending = f"effect: {parts[0]} changed in one of the last {_STATE_EVERY} inputs"
                peak = _MOST_MEGABYTES + 1
            message = f"{name}\0{ending}".encode("utf-8", "replace")[:500]
            os.write(pipe, _NUMBER.pack(-len(message)) + message)
            file.unlink()
            if peak > _MOST_MEGABYTES:
                break
    os._exit(0)


def _forget_peak() -> None:
    """Let the peak of this process's memory be counted anew."""
    Path("/proc/self/clear_refs").write_text("5")


def _peak() -> int:
    """Return the megabytes that this process has held at most since then."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) // 1024


def _trouble(watch: Watch, seconds: float, peak: int) -> str | None:
    """Return what is wrong with what reading an input did or took, if anything is."""
    if watch.acts:
        return f"effect: {watch.acts[0][:200]}"
    if escaped := watch.escaped():
        return f"effect: the target holds {escaped[0]}"
    if seconds > _MOST_SECONDS:
        return f"slow: {seconds:.1f} s"
    return f"large: {peak} MB" if peak > _MOST_MEGABYTES else None


def _is_ready(pipe: FileIO, worker: int) -> bool:
    """Wait for a worker to say something; False once it has used much more of the processor than one input may.

    Time on the clock says nothing on a machine that has other things to do; a worker that sleeps is waited for ten minutes.
    """
    start, since = _used_by(worker), time.monotonic()
    while not select.select([pipe], [], [], _MOST_SECONDS)[0]:
        if _used_by(worker) - start > 3 * _MOST_SECONDS or time.monotonic() - since > _MOST_WAITING_SECONDS:
            return False
    return True


def _exactly(pipe: FileIO, count: int) -> bytes:
    """Read a number of bytes; fewer at the end."""
    data = b""
    while len(data) < count and (part := pipe.read(count - len(data))):
        data += part
    return data


def _used_by(process: int) -> float:
    """Return the seconds of the processor that a process has used."""
    words = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


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
        number, is_open, is_stuck = start, False, False
        with os.fdopen(reading, "rb", buffering=0) as pipe:  # what is buffered would not be waited for
            while True:
                is_stuck = not _is_ready(pipe, worker)
                head = b"" if is_stuck else _exactly(pipe, _NUMBER.size)
                if len(head) < _NUMBER.size:
                    break
                (value,) = _NUMBER.unpack(head)
                if value >= 0:
                    number, is_open = value, True
                    continue
                kind, _, ending = _exactly(pipe, -value).decode("utf-8", "replace").partition("\0")
                is_open = False
                self._count(kind, ending, number)
                if time.monotonic() > end:
                    break
        os.kill(worker, signal.SIGKILL)
        _, status = os.waitpid(worker, 0)
        if is_open:
            kind = self.inputs[number][0]
            ending = "stuck" if is_stuck else f"signal {os.WTERMSIG(status)}"
            self._count(kind, f"lost: {ending}", number)
        return number + 1

    def _count(self, kind: str, ending: str, number: int) -> None:
        self.counts[f"{kind}: {ending.partition(':')[0]}"] += 1
        if ending not in (_FINE, _REFUSED):
            content = self.inputs[number][1].decode("utf-8", "replace")
            self.wrong.append({"number": str(number), "kind": kind, "outcome": ending, "input": content})
            print(f"{number}: {kind}: {ending}", flush=True)


def run(seconds: float, seed: int, file: Path | None, record: Path | None) -> int:
    """Run a campaign, print the counts; 1 if an input did not end well.

    With a record, a line of JSON is added to it, and the next run of the same seed goes on where this one ends.
    """
    registry.load_all()
    import_module("numpy")  # so that no target is the first to need it
    inputs = Inputs(seed, samples(), list(Inventory().walk().callables.values()))
    compile_initialisers()
    gc.collect()
    gc.freeze()  # what workers inherit is not theirs to collect
    supervisor = Supervisor(inputs)
    start = _next_number(record, seed)
    before = _processor_seconds()
    end = supervisor.run(seconds, start)
    used = _processor_seconds() - before
    for name, number in sorted(supervisor.counts.items()):
        print(f"{number:8}  {name}")
    total = sum(supervisor.counts.values())
    print(f"{total:8}  inputs, numbers {start} to {end}, {total / used:.0f} in a second of processor time")
    if file is not None:
        document = {"counts": supervisor.counts, "wrong": supervisor.wrong}
        file.write_text(json.dumps(document, indent=1), encoding="utf-8")
    if record is not None:
        _add_to(record, supervisor, seed, start, end)
    return 1 if supervisor.wrong else 0


def _processor_seconds() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _next_number(record: Path | None, seed: int) -> int:
    """Return the number of the first input that a record does not contain."""
    if record is None or not record.exists():
        return 0
    runs = (json.loads(line) for line in record.read_text(encoding="utf-8").splitlines())
    return max((run["end"] for run in runs if run["seed"] == seed), default=0)


def _add_to(record: Path, supervisor: Supervisor, seed: int, start: int, end: int) -> None:
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=False).stdout
    endings: Counter[str] = Counter()
    for name, count in supervisor.counts.items():
        kind, _, ending = name.rpartition(": ")
        endings[f"{'sources' if kind.endswith('.py') else 'files'} {ending}"] += count
    wrong = [{"number": each["number"], "outcome": each["outcome"][:120]} for each in supervisor.wrong]
    run = {"commit": commit.strip(), "seed": seed, "start": start, "end": end, "endings": endings, "wrong": wrong}
    with record.open("a", encoding="utf-8") as file:
        file.write(json.dumps(run, sort_keys=True) + "\n")
