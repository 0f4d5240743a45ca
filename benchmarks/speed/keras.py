"""Compare Cutaway with Keras's own summary: cold start to finished result of whole processes.

usage: python -m benchmarks.speed.keras [--static PYTHON] [--live PYTHON] [--repeat N]

The live process imports TensorFlow, builds the model and prints `model.summary()`. Cutaway needs Keras's source, and
neither Keras nor TensorFlow to import. They take turns, after one run of each that is not counted, and the medians
are compared. The exit code is 1 where Cutaway is less than 15 times as fast.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from benchmarks.speed.process import median, run, shown

LEAST_SPEED = 15.0
MLP = """tf.keras.Sequential([
    tf.keras.layers.Dense(64, activation='relu', input_shape=(784,)),
    tf.keras.layers.Dense(10, activation='softmax'),
])"""
MODELS = {
    "ResNet50": "tf.keras.applications.ResNet50(weights=None)",
    "EfficientNetB7": "tf.keras.applications.EfficientNetB7(weights=None)",
    "small MLP": MLP,
}


def main() -> int:
    """Measure all models and print a table."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.speed.keras", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--static", default=sys.executable, metavar="PYTHON", help="runs Cutaway")
    parser.add_argument("--live", default=sys.executable, metavar="PYTHON", help="runs Keras")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="runs of each that are counted (5)")
    options = parser.parse_args()
    print(f"{'model':16} {'keras':>9} {'cutaway':>9} {'speed':>8}")
    missed = []
    with tempfile.TemporaryDirectory() as folder:
        for name, expression in MODELS.items():
            file = Path(folder) / "model.py"
            file.write_text(f"import tensorflow as tf\n\nmodel = {expression}\n", encoding="utf-8")
            summary = Path(folder) / "summary.py"
            summary.write_text(file.read_text(encoding="utf-8") + "model.summary()\n", encoding="utf-8")
            commands = [[options.live, str(summary)], shown(options.static, f"{file}::model")]
            turns = [[run(command) for command in commands] for _ in range(options.repeat + 1)][1:]
            live, static = (median([turn[side] for turn in turns]).seconds for side in (0, 1))
            print(f"{name:16} {live:8.2f}s {static:8.2f}s {live / static:7.1f}x", flush=True)
            if live / static < LEAST_SPEED:
                missed.append(name)
    if missed:
        print(f"below {LEAST_SPEED:.0f} times the speed: {', '.join(missed)}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
