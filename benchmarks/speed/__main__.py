"""Compare Cutaway with torchinfo: cold start to finished result, and peak memory, of whole processes.

usage: python -m benchmarks.speed [--static PYTHON] [--live PYTHON] [--repeat N] [--json FILE]

Both processes start from nothing and write their result to nowhere. They take turns, after one run of each that
is not counted, and the medians are compared. Cutaway needs torchvision's source and no torch; torchinfo needs
torch, torchvision and torchinfo. The exit code is 1 where Cutaway is less than 10 times as fast, or needs more
than a quarter of the memory.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path

from benchmarks.speed.process import Result, median, run, shown

MODELS = {
    "resnet18": ("torchvision.models.resnet:resnet18", "1x3x224x224"),
    "resnet152": ("torchvision.models.resnet:resnet152", "1x3x224x224"),
    "vit_b_16": ("torchvision.models.vision_transformer:vit_b_16", "1x3x224x224"),
    "efficientnet_b7": ("torchvision.models.efficientnet:efficientnet_b7", "1x3x600x600"),
}
LEAST_SPEED = 10.0
MOST_MEMORY = 0.25


def reached(result: Result) -> bool:
    """Tell whether both goals are met."""
    return result.speed >= LEAST_SPEED and result.memory <= MOST_MEMORY


def compare(model: str, live: str, static: str, repeat: int) -> Result:
    """Measure one model both ways, in turns."""
    target, shape = MODELS[model]
    commands = [
        [live, "-m", "benchmarks.speed.live", target, "", shape],
        shown(static, target, shape),
    ]
    turns = [[run(command) for command in commands] for _ in range(repeat + 1)][1:]
    return Result(model, median([turn[0] for turn in turns]), median([turn[1] for turn in turns]))


def main() -> int:
    """Measure all models and print a table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--static", default=sys.executable, metavar="PYTHON", help="runs Cutaway")
    parser.add_argument("--live", default=sys.executable, metavar="PYTHON", help="runs torchinfo")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="runs of each that are counted (5)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the figures to a file")
    options = parser.parse_args()
    columns = f"{'seconds':>9} {'(CPU)':>8} {'MB':>6}"
    print(f"{'':16} {'torchinfo':^25}  {'cutaway':^25}")
    print(f"{'model':16} {columns}  {columns}  {'speed':>7} {'memory':>8}")
    results = []
    for model in MODELS:
        result = compare(model, options.live, options.static, options.repeat)
        results.append(result)
        figures = "  ".join(
            f"{taken.seconds:9.2f} {f'({taken.processor_seconds:.2f})':>8} {taken.megabytes:6.0f}"
            for taken in (result.live, result.static)
        )
        print(f"{model:16} {figures}  {result.speed:6.1f}x {result.memory:8.2f}", flush=True)
    if options.json:
        written = [asdict(result) | {"speed": result.speed, "memory": result.memory} for result in results]
        options.json.write_text(json.dumps(written, indent=2) + "\n")
    missed = [result.model for result in results if not reached(result)]
    if missed:
        print(f"below {LEAST_SPEED:.0f} times the speed or above {MOST_MEMORY} of the memory: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
