"""How time and memory grow with the number of layers: a transformer with 1, 10, 100 and 1,000 of them.

usage: python -m benchmarks.speed.growth [--static PYTHON] [--repeat N]

The exit code is 1 where a layer of the largest takes more than a layer of the second largest, beyond noise.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.speed.process import median, run, shown

LAYERS = (1, 10, 100, 1000)
NOISE = 1.3
SOURCE = """
import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.norm = nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width)
        self.proj = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        b, n, c = x.shape
        q, k, v = self.qkv(self.norm(x)).reshape(b, n, 3, self.heads, c // self.heads).permute(2, 0, 3, 1, 4).unbind(0)
        a = (q @ k.transpose(-2, -1)).softmax(-1)
        x = x + self.proj((a @ v).transpose(1, 2).reshape(b, n, c))
        return x + self.mlp(x)


class Net(nn.Module):
    def __init__(self, layers, width=64):
        super().__init__()
        self.embed = nn.Embedding(1000, width)
        self.blocks = nn.ModuleList([Block(width, 4) for _ in range(layers)])
        self.encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(width, 4, 128, batch_first=True), layers)

    def forward(self, x):
        x = self.embed(x)
        for block in self.blocks:
            x = block(x)
        return self.encoder(x)
"""


def main() -> int:
    """Measure each number of layers and print what a layer takes."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.growth", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--static", default=sys.executable, metavar="PYTHON", help="runs Cutaway")
    parser.add_argument("--repeat", type=int, default=3, metavar="N", help="runs of each (3)")
    options = parser.parse_args()
    print(f"{'layers':>8} {'seconds':>9} {'MB':>7} {'ms a layer':>12}")
    steps: list[float] = []
    before = 0.0
    with tempfile.TemporaryDirectory() as folder:
        model = Path(folder) / "model.py"
        model.write_text(SOURCE)
        for count, last in zip(LAYERS, (0, *LAYERS)):
            command = shown(options.static, f"{model}::Net({count})", "1x16:int64")
            taken = median([run(command) for _ in range(options.repeat)])
            steps.append((taken.processor_seconds - before) / (count - last))
            before = taken.processor_seconds
            print(f"{count:8} {taken.seconds:9.2f} {taken.megabytes:7.0f} {steps[-1] * 1000:12.2f}", flush=True)
    return 0 if steps[-1] <= steps[-2] * NOISE else 1


if __name__ == "__main__":
    sys.exit(main())
