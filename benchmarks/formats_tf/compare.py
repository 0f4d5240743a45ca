"""Compare the saved files with what the real Keras says of the networks, and with their source.

`python -m benchmarks.formats_tf.compare FOLDER`, for a folder that `generate` has written.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import time
from collections import Counter

import cutaway
from cutaway.core.architecture import Architecture
from cutaway.core.error import CutawayError
from cutaway.passes.diff import diff

SOURCE = os.path.join(os.path.dirname(__file__), "networks.py")
FILES = (
    "model.keras",
    "model.h5",
    "model.json",
    "model.weights.h5",
    "saved",
    "exported",
    "tf_saved",
    "checkpoint.index",
    "frozen.pb",
    "frozen.pbtxt",
)


def main() -> None:
    """Print a line for each file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--only", nargs="*")
    parser.add_argument("--files", nargs="*", default=FILES)
    parser.add_argument("--source", action="store_true", help="compare with the source too")
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args()
    for name in sorted(os.listdir(options.folder)):
        folder = os.path.join(options.folder, name)
        if (options.only and name not in options.only) or not os.path.isfile(os.path.join(folder, "facts.json")):
            continue
        with open(os.path.join(folder, "facts.json"), encoding="utf-8") as file:
            facts = json.load(file)
        source = cutaway.show(f"{SOURCE}::{name}()", isolated=False)[0] if options.source else None
        for each in options.files:
            path = os.path.join(folder, each)
            if os.path.exists(path):
                print(f"{name:14} {each:17}", judged(path, facts, source, options.details), flush=True)


def judged(path: str, facts: dict, source: Architecture | None, details: bool) -> str:
    """Return in one line how a file compares."""
    started = time.perf_counter()
    try:
        architecture = cutaway.show(path, isolated=False)[0]
    except CutawayError as error:
        return f"ERROR {error}"
    seconds = time.perf_counter() - started
    parts = [
        f"{seconds:6.2f} s",
        weights(architecture, facts),
        layers(architecture, facts, details),
        outputs(architecture),
    ]
    if source is not None:
        changes = diff(source, architecture).changes
        parts.append(f"{len(changes)} changes")
        if details:
            parts += [f"\n    {each.kind} {each.path} {each.now} {each.details}" for each in changes[:12]]
    if details:
        parts += [f"\n    unknown: {note.text}" for note in architecture.unknowns[:8]]
    return "  ".join(parts)


def weights(architecture: Architecture, facts: dict) -> str:
    """Return how many weights are there with their shapes."""
    there = Counter(weight.shape for weight in architecture.weights)
    expected = Counter(tuple(shape) for _, shape, _ in facts["weights"])
    wrong = sum((there - expected).values()) + sum((expected - there).values())
    names = {weight.name for weight in architecture.weights} & {name for name, _, _ in facts["weights"]}
    return f"weights {sum(expected.values()) - wrong}/{sum(expected.values())} ({len(names)} names)"


def layers(architecture: Architecture, facts: dict, details: bool) -> str:
    """Return how many layers are there with the shape of their output."""
    by_path = {module.path: module for module in architecture.modules}
    right = known = wrong = 0
    text = ""
    for name, shapes in facts["layers"]:
        module = by_path.get(name)
        if module is None or not module.calls or module.calls[0].outputs is None:
            continue
        known += 1
        if agree(module.calls[0].outputs, shapes):
            right += 1
        else:
            wrong += 1
            text += "" if wrong > 3 else f"\n    {name}: {module.calls[0].outputs}, not {shapes}"
    return f"layers {right}/{len(facts['layers'])}, {wrong} wrong{text if details else ''}"


def agree(shapes, expected) -> bool:
    """Tell whether known sizes are the same; a size that is free must be a symbol or unknown."""
    return len(shapes) == len(expected) and all(
        shape is not None
        and len(shape) == len(sizes)
        and all(
            size == wanted if wanted is not None else not isinstance(size, int) for size, wanted in zip(shape, sizes)
        )
        for shape, sizes in zip(shapes, expected)
    )


def outputs(architecture: Architecture) -> str:
    """Return how many outputs of operations have a known or symbolic shape."""
    values = [value for op in architecture.ops for value in op.outputs]
    known = [v for v in values if v.shape is not None and all(size is not None for size in v.shape)]
    return f"ops {len(known)}/{len(values)}"


def plain(name: str) -> str:
    """Return a name without its number of an output."""
    return re.sub(r":\d+$", "", name)


if __name__ == "__main__":
    main()
