"""The same network in all formats: how many pairs `diff` finds alike, and whether it finds changed networks changed.

    python -m benchmarks.formats_tf.generate FOLDER --changed
    python -m benchmarks.formats.torch_pairs FOLDER
    python -m benchmarks.formats.pairs FOLDER [--only NAME...] [--details]

A pair is the same network read from two of its files, or from one and its source. It counts as alike if the comparison is
empty or lists only what a format does not hold. Each changed network is compared with all files of the one that it was made
from: every pair must differ.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from itertools import combinations

import cutaway
from cutaway.core.architecture import Architecture
from cutaway.passes.diff import Difference, diff

KERAS = os.path.join(os.path.dirname(os.path.dirname(__file__)), "formats_tf", "networks.py")
TORCH = os.path.join(os.path.dirname(__file__), "torch_networks.py")
FILES = (
    "model.keras",
    "model.h5",
    "model.json",
    "exported",
    "tf_saved",
    "model.tflite",
    "model.onnx",
    "frozen.pb",
    "dynamo.onnx",
    "traced.onnx",
)


def main() -> int:
    """Compare all pairs and print the sums."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--only", nargs="*", help="the names of networks")
    parser.add_argument("--details", action="store_true", help="print what formats do not hold")
    options = parser.parse_args()
    folders = sorted(os.listdir(options.folder))
    sums: Counter[str] = Counter()
    for name in folders:
        if "@" in name or (options.only and name not in options.only):
            continue
        forms = read(os.path.join(options.folder, name), name)
        before = Counter(sums)
        for (left, one), (right, other) in combinations(forms.items(), 2):
            if {left, right} == {"dynamo.onnx", "traced.onnx"}:
                continue  # one format: its operations are compared, and two exporters choose different ones
            found = diff(one, other)
            sums["pairs"] += 1
            sums["alike"] += not found
            if found:
                print(f"{name}: {left} and {right} differ: {first(found)}")
            elif found.losses and options.details:
                print(f"{name}: {left} and {right}: {'; '.join(found.losses)}")
        for changed in (each for each in folders if each.partition("@")[0] == name and "@" in each):
            for right, other in read(os.path.join(options.folder, changed)).items():
                for left, one in forms.items():
                    found = diff(one, other)
                    sums["changed pairs"] += 1
                    sums["found changed"] += bool(found)
                    if not found:
                        print(f"{changed}: {left} and {right} are taken for the same network")
        print(name, dict(sums - before), flush=True)
    print(
        f"{sums['alike']} of {sums['pairs']} pairs alike, {sums['found changed']} of {sums['changed pairs']} changed pairs found"
    )
    return 0 if sums["alike"] == sums["pairs"] and sums["found changed"] == sums["changed pairs"] else 1


def read(folder: str, source: str = "") -> dict[str, Architecture]:
    """Return the forms of a network: its files, and its source where that is named."""
    forms = {}
    if source and os.path.exists(os.path.join(folder, "dynamo.onnx")):
        forms["source"] = cutaway.show(f"{TORCH}::{source}()", input="2x3x64x64", isolated=False)[0]
    elif source:
        forms["source"] = cutaway.show(f"{KERAS}::{source}()", isolated=False)[0]
    for file in FILES:
        path = os.path.join(folder, file)
        if os.path.exists(path):
            forms[file] = cutaway.show(path, isolated=False)[0]
    return forms


def first(found: Difference) -> str:
    """Return the first changes of a comparison in one line."""
    return "; ".join(f"{each.kind} {each.path} {', '.join(each.details[:3])}" for each in found.changes[:3])


if __name__ == "__main__":
    sys.exit(main())
