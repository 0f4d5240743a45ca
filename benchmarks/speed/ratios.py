"""Compare checkouts by the processor time of whole processes, as ratios in one run.

usage: python -m benchmarks.speed.ratios BEFORE AFTER [--repeat N] [--only TEXT]

Each target is shown from a cold start, by both checkouts alternately, after one run of each that is not counted. The
least time of each is compared: other work on the machine only adds to it. The exit code is 1 where AFTER takes more than
3 % more than BEFORE.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.speed.process import run, shown

TARGETS = {
    "resnet50": ("torchvision.models.resnet:resnet50", "1x3x224x224"),
    "vit_b_16": ("torchvision.models.vision_transformer:vit_b_16", "1x3x224x224"),
    "efficientnet_b7": ("torchvision.models.efficientnet:efficientnet_b7", "1x3x600x600"),
    "fasterrcnn": (
        "torchvision.models.detection:fasterrcnn_resnet50_fpn(weights=None, weights_backbone=None)",
        "1x3x320x320",
    ),
    "convnext": ("timm.models.convnext:convnext_tiny", "1x3x224x224"),
    "swin": ("timm.models.swin_transformer:swin_tiny_patch4_window7_224", "1x3x224x224"),
    "bert": ("transformers:BertModel(BertConfig())", "input_ids=2x16:int64"),
    "llama": ("transformers:LlamaModel(LlamaConfig())", "input_ids=2x16:int64"),
    "keras": ("keras.applications:MobileNetV2(weights=None)", "2x224x224x3"),
    "own": ("net.py::Net", "1x3x64x64"),
    "version": (),
}
"""Name -> the target and its input, or nothing for `cutaway --version`."""
OWN = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.conv = nn.Conv2d(width, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width)

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x))) + x


class Net(nn.Module):
    def __init__(self, width=32, depth=4, classes=10):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 7, stride=2, padding=3)
        self.body = nn.Sequential(*[Block(width) for _ in range(depth)])
        self.head = nn.Linear(width, classes)

    def forward(self, x):
        x = self.body(self.stem(x))
        return self.head(x.mean((2, 3)))


if __name__ == "__main__":
    print(Net()(torch.zeros(1, 3, 64, 64)).shape)
"""
MOST = 1.03
FOUND = (0, 1)  # exit codes: a fault may be found


def compare(name: str, checkouts: list[Path], repeat: int, folder: Path) -> list[float]:
    """Return the least processor time of each checkout on one target."""
    target = TARGETS[name]
    command = shown(sys.executable, *target) if target else [sys.executable, "-m", "cutaway", "--version"]
    command = [str(folder / part) if part.startswith("net.py") else part for part in command]
    environments = [{"PYTHONPATH": str(checkout / "src")} for checkout in checkouts]
    rounds = [[run(command, FOUND, environment) for environment in environments] for _ in range(repeat + 1)][1:]
    return [min(runs[at].processor_seconds for runs in rounds) for at in range(len(checkouts))]


def main() -> int:
    """Measure every target in both checkouts, and print the ratios."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.ratios", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="runs of each that are counted (5)")
    parser.add_argument("--only", nargs="+", default=list(TARGETS), choices=list(TARGETS), metavar="NAME")
    options = parser.parse_args()
    checkouts = [options.before.resolve(), options.after.resolve()]
    for checkout in checkouts:  # nothing is compiled while it is measured
        subprocess.run([sys.executable, "-m", "compileall", "-q", str(checkout / "src")], check=True)
    print(f"{'target':16} {'before':>8} {'after':>8}  ratio")
    ratios = []
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "net.py").write_text(OWN)
        for name in options.only:
            before, after = compare(name, checkouts, options.repeat, Path(folder))
            ratios.append(after / before)
            print(f"{name:16} {before:8.2f} {after:8.2f}  {after / before:.2f}", flush=True)
    return int(any(ratio > MOST for ratio in ratios))


if __name__ == "__main__":
    sys.exit(main())
