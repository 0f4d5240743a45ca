"""What the wall around an analysis costs a command: the same command with and without it, in turns.

python -m benchmarks.hostile.wall_cost [--count 20] [TARGET ...]
"""

from __future__ import annotations

import argparse
import statistics
import sys

from benchmarks.speed.process import run

TARGETS = (
    "examples/lenet.py",
    "examples/classifier.py::Classifier --input 1x3x32x32",
    "examples/encoder.py::Encoder --input ids=2x128:int64 --input mask=2x128:bool",
)
_COMMAND = """
import sys
from cutaway import __main__
from cutaway.isolation import command

def program():
    from cutaway import cli
    if not {wall}:
        from cutaway.commands import isolated
        isolated.isolate = lambda options: setattr(options, "isolated", False)
    return cli.program()

sys.argv = ["cutaway", "show", "--no-cache", *sys.argv[1:]]
command.supervised(program)
"""


def main() -> None:
    """Print the medians of both and of the differences, and how much more of the processor the least takes."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*", default=TARGETS)
    parser.add_argument("--count", type=int, default=20)
    options = parser.parse_args()
    print(f"{'target':<36} {'without':>10} {'with':>10} {'difference':>11} {'of the processor':>17}")
    for target in options.targets:
        pairs = []
        for at in range(options.count + 1):
            commands = [[sys.executable, "-c", _COMMAND.format(wall=wall), *target.split()] for wall in (False, True)]
            runs = [run(each, (0, 1)) for each in (commands if at % 2 else commands[::-1])]
            pairs.append(runs if at % 2 else runs[::-1])
        del pairs[0]  # files that were not read yet
        without, behind = (statistics.median(pair[side].seconds for pair in pairs) for side in (0, 1))
        wall = statistics.median(pair[1].seconds - pair[0].seconds for pair in pairs)
        spent = [min(pair[side].processor_seconds for pair in pairs) for side in (0, 1)]
        figures = f"{without * 1e3:>7.1f} ms {behind * 1e3:>7.1f} ms {wall * 1e3:>8.1f} ms"
        figures += f" {(spent[1] - spent[0]) * 1e3:>14.1f} ms"
        print(f"{target[:36]:<36} {figures}")


if __name__ == "__main__":
    main()
