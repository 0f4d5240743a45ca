"""Recovered code of single operators against the test cases of the onnx package.

python -m benchmarks.recover.nodes [--only TEXT] [--verbose]

Numbers are equal if they differ by at most 1e-3 of the largest, which is what the package itself allows, as some of its expected
numbers are written with four digits.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import traceback
from collections import Counter
from typing import Any

import numpy as np

from benchmarks.recover.comparison import compare
from tests.onnx_oracle.test_nodes import cases, with_constants

TOLERANCE = 1e-3


def outcome(model: Any, inputs: list[Any], outputs: list[Any], folder: str) -> tuple[str, str]:
    """Return how far the code of a case gets, and why not further."""
    path = os.path.join(folder, "case.onnx")
    with open(path, "wb") as file:
        file.write(model.SerializeToString())
    names = [value.name for value in model.graph.input]
    if not all(isinstance(each, np.ndarray) and each.dtype.kind in "fiub" for each in (*inputs, *outputs)):
        return "not tensors of numbers", ""
    try:
        found = compare(path, lambda _: [(dict(zip(names, inputs)), outputs)])
    except NotImplementedError as error:
        return "no code", str(error)
    except Exception as error:
        place = traceback.extract_tb(error.__traceback__)[-1]
        return (
            "fails",
            f"{type(error).__name__}: {str(error)[:150]} ({os.path.basename(place.filename)}:{place.lineno})",
        )
    return (
        ("equal", "")
        if found["difference"] <= TOLERANCE
        else ("different", f"{found['difference']:.1e}\n{found['source']}")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="")
    parser.add_argument("--verbose", action="store_true")
    options = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        for name, model, inputs, outputs in cases():
            if options.only not in name:
                continue
            variants = [(model, inputs), with_constants(model, inputs)]
            for label, variant in zip(("", " with constants"), variants):
                if variant is None:
                    continue
                result, why = outcome(*variant, outputs, folder)
                counts[result] += 1
                if result in ("fails", "different") or (options.verbose and result == "no code"):
                    print(f"{name}{label}: {result} {why}", flush=True)
    print(dict(counts))


if __name__ == "__main__":
    main()
