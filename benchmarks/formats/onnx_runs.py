"""Shapes that Cutaway infers for ONNX and ORT files against a run by onnxruntime, at two sizes of the inputs.

    python -m benchmarks.formats.onnx_runs FOLDER [--limit MEGABYTES]

It needs onnx and onnxruntime. Every value of the graph becomes an output of it; where the runtime refuses a file, or the
inputs that are made up, what it says is counted, and nothing is compared.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import time
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any

from benchmarks.formats.contradictions import contradictions

SIZES = (3, 5)


def compare(path: str) -> dict[str, Any]:
    """Return how much of a file is known, and where a run contradicts it."""
    import cutaway

    started = time.perf_counter()
    try:
        (network, *_) = cutaway.show(path, isolated=False)
    except cutaway.CutawayError as error:
        return {"error": str(error)}
    result: dict[str, Any] = {"seconds": time.perf_counter() - started, "wrong": [], "ran": 0}
    outputs = [value for op in network.ops for value in op.outputs if not _is_other(value.dtype)]
    result["outputs"] = len(outputs)
    result["known"] = sum(value.shape is not None and None not in value.shape for value in outputs)
    result["unknowns"] = [note.text for note in network.unknowns]
    result["diagnostics"] = [(each.code, each.message) for each in network.diagnostics]
    result["weights"] = _weights(path, network) if path.endswith(".onnx") else None
    for size in SIZES:
        try:
            found = _run(path, network, size)
        except Exception as error:
            result["run"] = f"{type(error).__name__}: {str(error)[:200]}"
            continue
        result["ran"] += 1
        result["wrong"] += contradictions(network, found, lambda name, size=size: size + len(name) % 2)
    return result


def _is_other(dtype: str | None) -> bool:
    return dtype is not None and dtype.split()[0] in ("sequence", "optional", "map", "opaque")


def _weights(path: str, network: Any) -> tuple[int, int]:
    """Return how many weights there are, and how many Cutaway has with the same shape and element type."""
    import onnx

    stored = {}

    def collect(graph: Any) -> None:
        for tensor in graph.initializer:
            stored[tensor.name] = (tuple(tensor.dims), tensor.data_type)
        for tensor in graph.sparse_initializer:
            stored[tensor.values.name] = (tuple(tensor.dims), tensor.values.data_type)
        for node in graph.node:
            for attribute in node.attribute:
                if attribute.HasField("g"):
                    collect(attribute.g)

    collect(onnx.load(path, load_external_data=False).graph)
    from cutaway.formats.onnx.messages import dtype_name

    own = {weight.name: (weight.shape, weight.dtype) for weight in network.weights}
    exact = sum(own.get(name) == (dims, dtype_name(kind)) for name, (dims, kind) in stored.items())
    return len(stored), exact


def shapes(path: str, sizes: dict[str, int]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of all values of a file in a run with these sizes of its inputs."""
    import cutaway

    (network, *_) = cutaway.show(path, isolated=False)
    return _run(path, network, 0, sizes)


def _run(path: str, network: Any, size: int, named: dict[str, int] | None = None) -> dict[str, tuple[int, ...]]:
    """Run a file with every value as an output, and return their shapes."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.log_severity_level = 4
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(_observed(path), options, providers=["CPUExecutionProvider"])
    declared = {value.name: value.shape for value in network.inputs}
    feeds = {each.name: _made_up(each, declared.get(each.name), size, named) for each in session.get_inputs()}
    names = [each.name for each in session.get_outputs()]
    results = session.run(None, feeds)
    return {name: value.shape for name, value in zip(names, results) if hasattr(value, "shape")}


def _observed(path: str) -> Any:
    import onnx

    if path.endswith(".ort"):
        return path
    model = onnx.load(path)
    named = {value.name for value in model.graph.output}
    for node in model.graph.node:
        for name in node.output:
            if name and name not in named:
                named.add(name)
                model.graph.output.append(onnx.ValueInfoProto(name=name))
    return model.SerializeToString()


def _made_up(declared: Any, shape: Any, size: int, named: dict[str, int] | None) -> Any:
    import numpy

    if shape is None:
        shape = [each if isinstance(each, int) else size for each in declared.shape]
    sizes = [_bound(each, size, named) for each in shape]
    random = numpy.random.default_rng(0)
    kind = declared.type[7:-1] if declared.type.startswith("tensor(") else ""
    if kind == "string":
        return numpy.full(sizes, "a", dtype=object)
    if kind == "bool":
        return numpy.ones(sizes, dtype=bool)
    dtype = {"float": "float32", "double": "float64"}.get(kind, kind)
    if dtype.startswith("float"):
        return random.random(sizes).astype(dtype)
    return random.integers(0, 2, sizes).astype(dtype)


def _bound(dim: Any, size: int, named: dict[str, int] | None = None) -> Any:
    """Return a size with all of its symbols bound: each to another number, always the same one."""
    from cutaway.core.size.dim import Dim, symbols
    from cutaway.core.size.parser import evaluate

    if not isinstance(dim, Dim):
        return dim
    return evaluate(dim, named or {one.name: size + len(one.name) % 2 for one in symbols(dim)})


def _worker(path: str, pipe: Any) -> None:
    pipe.send(compare(path))


def supervised(path: str, seconds: float) -> dict[str, Any]:
    """Compare in a process of its own, which a runtime may end."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_worker, args=(path, theirs))
    process.start()
    theirs.close()
    try:
        return ours.recv() if ours.poll(seconds) else {"error": "it takes too long", "crash": True}
    except EOFError:
        return {"error": "the process ended", "crash": True}
    finally:
        process.kill()
        process.join()


def main() -> int:
    """Compare all files of a folder and print the sums."""
    # Imported here, so that the processes that are forked for each file have them already.
    import onnx
    import onnxruntime

    import cutaway._api
    import cutaway.core.size.parser
    from cutaway.formats import dispatch

    assert onnx and onnxruntime and cutaway
    for reader in dispatch.READERS:
        import_module(f"cutaway.formats.{reader}")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--limit", type=float, default=200.0, help="megabytes of the largest file")
    parser.add_argument("--contains", default="", help="only files whose path contains this")
    arguments = parser.parse_args()
    sums: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for path in sorted(arguments.folder.rglob("*")):
        if path.suffix not in (".onnx", ".ort") or arguments.contains not in str(path):
            continue
        if path.stat().st_size > arguments.limit * 1e6:
            continue
        result = supervised(str(path), 60.0)
        sums["files"] += 1
        if "error" in result:
            sums["refused"] += 1
            print(f"{path}: {result['error']}")
            continue
        sums["outputs"] += result["outputs"]
        sums["known"] += result["known"]
        sums["ran"] += result["ran"] > 0
        sums["wrong"] += len(result["wrong"])
        if result["weights"]:
            sums["weights"] += result["weights"][0]
            sums["exact weights"] += result["weights"][1]
        if result["known"] < result["outputs"]:
            reasons.update(result["unknowns"])
            print(f"{path}: {result['known']} of {result['outputs']} outputs are known: {result['unknowns'][:2]}")
        for text in result["wrong"][:3]:
            print(f"{path}: WRONG {text}")
        for code, message in result["diagnostics"][:3]:
            print(f"{path}: {code}: {message}")
        if result["seconds"] > 0.5:
            print(f"{path}: takes {result['seconds']:.2f} s")
    for text, count in reasons.most_common(25):
        print(f"{count:5} {text}")
    print(dict(sums))
    return 1 if sums["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
