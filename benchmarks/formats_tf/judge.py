"""Run graphs with the real TensorFlow at two sizes, and compare the shape of every operation's outputs.

`python -m benchmarks.formats_tf.judge FOLDER`, for a folder with graphs such as `generate` and `programs` write: all files
`*.pb` below it that are graphs and that TensorFlow runs on made-up inputs.
"""

from __future__ import annotations

import os
import sys
from collections import Counter
from pathlib import Path

import numpy

import cutaway
from cutaway.core.size.dim import Dim, symbols
from cutaway.core.size.parser import evaluate

SIZES = (2, 3)
OTHER = 12


def main() -> None:
    """Print a line for each graph: how many outputs were compared, and which contradict the run."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf  # late: it takes seconds

    sums: Counter[str] = Counter()
    for path in sorted(Path(sys.argv[1]).rglob("*.pb")):
        if path.name in ("saved_model.pb", "fingerprint.pb"):
            continue
        try:
            architecture = cutaway.show(str(path), isolated=False)[0]
            graph = imported(tf, path)
        except Exception as error:
            print(f"{path}: not compared: {type(error).__name__}: {str(error)[:150]}")
            continue
        sums["graphs"] += 1
        values = [value for op in architecture.ops for value in op.outputs]
        sums["outputs"] += len(values)
        sums["known"] += sum(value.shape is not None and None not in value.shape for value in values)
        for size in SIZES:
            try:
                compared, wrong = judged(tf, graph, architecture, size)
            except Exception as error:
                print(f"{path}: does not run: {type(error).__name__}: {str(error)[:150]}")
                continue
            sums["compared"] += compared
            sums["contradict"] += len(wrong)
            for text in wrong[:4]:
                print(f"{path}: WRONG {text}", flush=True)
    print(dict(sums))
    sys.exit(1 if sums["contradict"] else 0)


def imported(tf, path: Path):
    """Return a graph of TensorFlow."""
    definition = tf.compat.v1.GraphDef()
    definition.ParseFromString(path.read_bytes())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
    return graph


def judged(tf, graph, architecture, size: int) -> tuple[int, list[str]]:
    """Run a graph; return how many outputs were compared, and which contradict the run."""
    values: dict[str, int] = {"B": size}
    feeds = {}
    for at, value in enumerate(architecture.inputs):
        if value.shape is None:
            raise ValueError(f"the input {value.name} is open")
        for dim in value.shape:
            for one in symbols(dim) if isinstance(dim, Dim) else ():
                values.setdefault(one.name, OTHER + len(values) + size)
        shape = [evaluate(dim, values) if isinstance(dim, Dim) else dim for dim in value.shape]
        tensor = graph.get_tensor_by_name(f"{value.name}:0")
        feeds[tensor] = _numbers(tensor.dtype, shape, at)
    wanted = {}
    for op in architecture.ops:
        if op.condition is None and op.repeat == 1:
            for index, output in enumerate(op.outputs):
                tensor = _tensor(graph, output.name.partition(":")[0], index)
                if output.shape is not None and tensor is not None:
                    wanted[f"{op.op} {output.name}"] = (tensor, output)
    with tf.compat.v1.Session(graph=graph) as session:
        results = session.run({key: tensor for key, (tensor, _) in wanted.items()}, feeds)
    wrong = []
    for key, result in results.items():
        output = wanted[key][1]
        sizes = [evaluate(dim, values) if isinstance(dim, Dim) else dim for dim in output.shape]
        if len(sizes) != numpy.ndim(result) or any(
            isinstance(own, int) and own != real for own, real in zip(sizes, numpy.shape(result))
        ):
            wrong.append(f"{key}: {output.shape} = {sizes}, but the run gives {numpy.shape(result)}")
        elif output.dtype is not None and output.dtype != wanted[key][0].dtype.base_dtype.name:
            wrong.append(f"{key}: {output.dtype}, but the run gives {wanted[key][0].dtype.name}")
    return len(results), wrong


def _numbers(dtype, shape, at: int):
    if dtype.name == "string":
        return numpy.full(shape, b"a b", dtype=object)
    random = numpy.random.default_rng(at)
    if dtype.is_floating:
        return random.random(shape).astype(dtype.as_numpy_dtype)
    return random.integers(0, 2, shape).astype(dtype.as_numpy_dtype)


def _tensor(graph, node: str, index: int):
    try:
        tensor = graph.get_tensor_by_name(f"{node}:{index}")
    except (KeyError, ValueError):
        return None  # a node inside of a function can't be fetched
    if not graph.is_fetchable(tensor):
        return None
    return None if tensor.dtype.base_dtype.name in ("resource", "variant") else tensor


if __name__ == "__main__":
    main()
