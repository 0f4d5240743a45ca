"""`python -m benchmarks.flags`: the time for a network with ten open flags, as a multiple of that with all of them given.

Each is a process of its own, as a user starts it, and both are timed in turn; then both again within one process, where
nothing has to be imported. The result is checked too: each of the 1,024 networks has as many parameters as the formula
says, for those that are tried.
"""

from __future__ import annotations

import random
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import cutaway

MODEL = Path(__file__).with_name("model.py")
FLAGS = 10
MOST = 10.0
INPUT = "1x3x64x64"
TURNS = 5


def main() -> int:
    """Print both ratios; fail where one is more than allowed, or a formula is wrong."""
    given = f"{MODEL}::Net({', '.join(['True'] * FLAGS)})"
    within = _ratio(lambda: _show(given), lambda: _show(f"{MODEL}::Net"), "within one process")
    started = _ratio(lambda: _start(given), lambda: _start(f"{MODEL}::Net"), "as a command")
    wrong = _wrong(20)
    print(f"parameters of 20 of {2**FLAGS:,} networks by the formula: {wrong} wrong")
    return int(within > MOST or started > MOST or wrong > 0)


def _ratio(one: Callable[[], None], all_ways: Callable[[], None], words: str) -> float:
    one(), all_ways()  # what is imported and compiled once
    times = [(_seconds(one), _seconds(all_ways)) for _ in range(TURNS)]
    single, every = (statistics.median(column) for column in zip(*times))
    print(f"{words}: all flags given {single:.3f} s, none given {every:.3f} s, {every / single:.1f} times")
    return every / single


def _seconds(run: Callable[[], None]) -> float:
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


def _show(target: str) -> None:
    cutaway.show(target, input=INPUT, isolated=False)


def _start(target: str) -> None:
    command = [sys.executable, "-m", "cutaway", "show", target, "--input", INPUT, "--no-cache"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _wrong(tries: int) -> int:
    """Return how many of some combinations have another number of parameters than the formula gives."""
    (network,) = cutaway.show(f"{MODEL}::Net", input=INPUT)
    names = [condition.text for condition in network.conditions]
    chosen = random.Random(0)
    wrong = 0
    for _ in range(tries):
        values = {name: chosen.random() < 0.5 for name in names}
        arguments = ", ".join(f"{name}={value}" for name, value in values.items())
        (single,) = cutaway.show(f"{MODEL}::Net({arguments})", input=INPUT)
        formula = str(network.totals.parameters)
        for name, value in values.items():
            formula = formula.replace(f"[{name}]", str(int(value)))
        wrong += eval(formula, {}) != single.totals.parameters
    return wrong


if __name__ == "__main__":
    sys.exit(main())
