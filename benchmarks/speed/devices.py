"""What each device for speed earns: the time without it, as a multiple of the time with all of them.

usage: python -m benchmarks.speed.devices [--repeat N]

The devices are those of `cutaway/core/speed.py`. Whole processes are measured by their processor time, in turns, and
the medians are compared.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys

from benchmarks.speed.process import run, shown
from cutaway.core.speed import DEVICES

MODELS = {
    "resnet18": ("torchvision.models.resnet:resnet18", "1x3x224x224"),
    "efficientnet_b7": ("torchvision.models.efficientnet:efficientnet_b7", "1x3x600x600"),
    "swin_t": ("torchvision.models.swin_transformer:swin_t", "1x3x224x224"),
}


def seconds(model: str, without: str) -> float:
    """Return the processor time of one command, with some devices switched off."""
    target, shape = MODELS[model]
    os.environ["CUTAWAY_WITHOUT"] = without
    try:
        return run(shown(sys.executable, target, shape)).processor_seconds
    finally:
        del os.environ["CUTAWAY_WITHOUT"]


def main() -> None:
    """Measure every device on every model and print a table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.devices", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="runs of each that are counted (5)")
    options = parser.parse_args()
    choices = ["", *DEVICES, "all"]
    print(f"{'model':18}" + "".join(f"{name or 'seconds':>15}" for name in choices))
    for model in MODELS:
        runs = [[seconds(model, without) for without in choices] for _ in range(options.repeat + 1)][1:]
        medians = [statistics.median(column) for column in zip(*runs)]
        ratios = "".join(f"{median / medians[0]:15.2f}" for median in medians[1:])
        print(f"{model:18}{medians[0]:15.2f}{ratios}", flush=True)


if __name__ == "__main__":
    main()
