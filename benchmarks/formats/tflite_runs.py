"""Shapes that Cutaway infers for TFLite files against TensorFlow's interpreter, at the file's size and at another one.

    python -m benchmarks.formats.tflite_runs FOLDER

It needs TensorFlow. Files for an accelerator, and operators that are not built in, can't be run here; for those only
the coverage is counted.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.formats.contradictions import contradictions

SIZES = (1, 3)


def compare(path: str) -> dict[str, Any]:
    """Return how much of a file is known, and where a run contradicts it."""
    import cutaway

    try:
        networks = cutaway.show(path, isolated=False)
    except cutaway.CutawayError as error:
        return {"error": str(error)}
    network = networks[0]
    values = [value for each in networks for op in each.ops for value in op.outputs]
    result: dict[str, Any] = {"wrong": [], "ran": 0, "outputs": len(values)}
    result["known"] = sum(value.shape is not None and None not in value.shape for value in values)
    result["unknowns"] = [note.text for each in networks for note in each.unknowns]
    result["diagnostics"] = [(note.code, note.message) for each in networks for note in each.diagnostics]
    for size in SIZES:
        try:
            found = _run(path, network, size)
        except Exception as error:
            result["run"] = f"{type(error).__name__}: {str(error)[:200]}"
            continue
        result["ran"] += 1
        result["wrong"] += contradictions(network, found, lambda name, size=size: size)
    return result


def shapes(path: str, size: int) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all values of a file in a run with this number in place of free sizes."""
    import cutaway

    return _run(path, cutaway.show(path, isolated=False)[0], size)


def _run(path: str, network: Any, size: int) -> dict[str, tuple[int, ...]]:
    import numpy
    import tensorflow

    interpreter = tensorflow.lite.Interpreter(path, experimental_preserve_all_tensors=True, num_threads=1)
    declared = {value.name: value.shape for value in network.inputs}
    for detail in interpreter.get_input_details():
        shape = declared.get(detail["name"]) or tuple(detail["shape"])
        interpreter.resize_tensor_input(detail["index"], [_bound(each, size) for each in shape])
    interpreter.allocate_tensors()
    for detail in interpreter.get_input_details():
        if detail["dtype"] is not numpy.object_:
            interpreter.set_tensor(detail["index"], numpy.zeros(detail["shape"], detail["dtype"]))
    interpreter.invoke()
    found: dict[str, tuple[int, ...]] = {}
    for detail in interpreter.get_tensor_details():
        try:
            found[detail["name"]] = interpreter.get_tensor(detail["index"]).shape
        except ValueError:
            continue
    return found


def _bound(dim: Any, size: int) -> Any:
    from cutaway.core.size.dim import Dim, symbols
    from cutaway.core.size.parser import evaluate

    return evaluate(dim, {one.name: size for one in symbols(dim)}) if isinstance(dim, Dim) else dim


def _worker(path: str, pipe: Any) -> None:
    pipe.send(compare(path))


def main() -> int:
    """Compare all files of a folder and print the sums."""
    import tensorflow

    import cutaway._api
    import cutaway.formats.tflite

    assert tensorflow and cutaway
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    arguments = parser.parse_args()
    sums: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for path in sorted(arguments.folder.rglob("*.tflite")):
        ours, theirs = multiprocessing.Pipe()
        process = multiprocessing.Process(target=_worker, args=(str(path), theirs))
        process.start()
        theirs.close()
        try:
            result = ours.recv() if ours.poll(60) else {"error": "it takes too long"}
        except EOFError:
            result = {"error": "the process ended"}
        process.kill()
        process.join()
        sums["files"] += 1
        if "error" in result:
            sums["refused"] += 1
            print(f"{path}: {result['error']}")
            continue
        sums["outputs"] += result["outputs"]
        sums["known"] += result["known"]
        sums["ran"] += result["ran"] > 0
        sums["wrong"] += len(result["wrong"])
        if result["known"] < result["outputs"]:
            reasons.update(result["unknowns"])
            print(f"{path}: {result['known']} of {result['outputs']} outputs are known: {result['unknowns'][:2]}")
        if not result["ran"]:
            print(f"{path}: does not run: {result.get('run')}")
        for text in result["wrong"][:3]:
            print(f"{path}: WRONG {text}")
        for code, message in result["diagnostics"][:3]:
            print(f"{path}: {code}: {message}")
    for text, count in reasons.most_common(25):
        print(f"{count:5} {text}")
    print(dict(sums))
    return 1 if sums["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
