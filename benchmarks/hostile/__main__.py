"""What a hostile target can reach, and what generated ones do.

usage: python -m benchmarks.hostile inventory
       python -m benchmarks.hostile campaign [--seconds 60] [--seed 0] [--json FILE]
       python -m benchmarks.hostile fuzz [--seconds 60] [--seed 0] [--json FILE] [--record FILE]

`inventory` prints how many native callables a target can reach, by the reason for which each is in the table, and fails on
one that is not. `campaign` runs generated and mutated programs as long as it is told, and counts effects on the host,
crashes, tracebacks, and programs over their time. `fuzz` reads many more: generated and mutated sources and damaged files,
thousands in one process, and counts what does not end well; with a record it goes on where the last run of the seed ended.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def main() -> int:
    """Run one of the two."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.hostile", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("what", choices=("inventory", "campaign", "fuzz"))
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", type=Path)
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    if options.what == "inventory":
        from benchmarks.hostile.inventory import report  # late: it loads every library

        return report()
    if options.what == "fuzz":
        from benchmarks.hostile import fuzz  # late: it loads a library

        return fuzz.run(options.seconds, options.seed, options.json, options.record)
    from benchmarks.hostile.campaign import run  # late: it loads every library

    return run(options.seconds, options.seed, options.json)


if __name__ == "__main__":
    sys.exit(main())
