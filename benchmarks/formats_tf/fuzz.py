"""Damage files in many ways and read them: no crash, no hang, no more than 200 MB.

`python -m benchmarks.formats_tf.fuzz SECONDS FILE...`; each file is read whole into memory, so give small ones.
"""

from __future__ import annotations

import os
import random
import resource
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from cutaway import _api
from cutaway.core.error import CutawayError
from cutaway.formats import dispatch
from cutaway.formats.description import Description
from cutaway.limits import analysis_seconds

LONGEST = 2.0
MOST_MEMORY = 200 << 20


def main() -> None:
    """Print what became of the damaged files; exit with 1 if one crashed, took too long or too much."""
    seconds, paths = float(sys.argv[1]), sys.argv[2:]
    outcome, worst = fuzz(paths, seconds, random.Random(0))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(dict(outcome), f"slowest {worst:.2f} s, peak {peak >> 20} MB")
    sys.exit(1 if outcome["crash"] or worst > LONGEST or peak > MOST_MEMORY else 0)


def fuzz(paths: list[str], seconds: float, chance: random.Random) -> tuple[Counter[str], float]:
    """Read damaged copies for a time; return how each ended, and the longest time that one took."""
    outcome: Counter[str] = Counter()
    worst = 0.0
    contents = {path: Path(path).read_bytes() for path in paths}
    until = time.monotonic() + seconds
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < until:
            path = chance.choice(paths)
            damaged = mutated(contents[path], chance)
            target = os.path.join(folder, os.path.basename(path))
            with open(target, "wb") as file:
                file.write(damaged)
            started = time.process_time()
            ended = attempt(target)
            if ended == "crash":
                with open(os.path.join(tempfile.gettempdir(), f"crash-{os.path.basename(path)}"), "wb") as file:
                    file.write(damaged)
            outcome[ended] += 1
            worst = max(worst, time.process_time() - started)
    return outcome, worst


def attempt(path: str) -> str:
    """Read a file by the reader that claims it."""
    try:
        found = dispatch.read(path)
        if found is None:
            return "not recognised"
        for each in found:
            if isinstance(each, Description) and len(each.text) < 20_000:
                _api._analyse_description(each, _api.Options(seconds=analysis_seconds(10)))
        return "read"
    except CutawayError as error:
        if "internal" in str(error):
            print(path, error)
            return "crash"
        return "error"
    except Exception as error:
        print(f"{os.path.basename(path)}: {type(error).__name__}: {error}"[:300], flush=True)
        return "crash"


def mutated(data: bytes, chance: random.Random) -> bytes:
    """Return a damaged copy: bits, bytes, numbers, parts that are cut out, doubled or moved."""
    made = bytearray(data)
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        if not made:
            break
        at = chance.randrange(len(made))
        kind = chance.randrange(7)
        if kind == 0:
            made[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            made[at] = chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))
        elif kind == 2:
            made[at : at + 8] = chance.choice((b"\xff" * 8, b"\0" * 8, b"\x7f" + b"\xff" * 7))
        elif kind == 3:
            del made[at : at + chance.randrange(1, 64)]
        elif kind == 4:
            made[at:at] = made[at : at + chance.randrange(1, 64)]
        elif kind == 5:
            del made[at:]
        else:
            other = chance.randrange(len(made))
            made[at : at + 16] = made[other : other + 16]
    return bytes(made)


if __name__ == "__main__":
    main()
