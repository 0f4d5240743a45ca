"""Run frozen graphs with the real TensorFlow at two sizes, and compare the shape of every operation's output.

`python -m benchmarks.formats_tf.judge FOLDER`, for a folder that `generate` has written.
"""

from __future__ import annotations

import os
import sys

import numpy

import cutaway
from cutaway.core.size.parser import evaluate

SIZES = ({"B": 2}, {"B": 3})


def main() -> None:
    """Print a line for each graph: how many outputs were compared, and which contradict the run."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import tensorflow as tf  # late: it takes seconds

    total = 0
    for name in sorted(os.listdir(sys.argv[1])):
        path = os.path.join(sys.argv[1], name, "frozen.pb")
        if os.path.isfile(path):
            total += judged(tf, path, name)
    sys.exit(1 if total else 0)


def judged(tf, path: str, name: str) -> int:
    """Compare one graph; return the number of contradictions."""
    (architecture,) = cutaway.show(path, isolated=False)
    definition = tf.compat.v1.GraphDef()
    with open(path, "rb") as file:
        definition.ParseFromString(file.read())
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(definition, name="")
    compared = wrong = 0
    for sizes in SIZES:
        feeds = {}
        values = dict(sizes)
        for at, value in enumerate(architecture.inputs):
            shape = []
            if value.shape is None:
                continue
            for axis, size in enumerate(value.shape):
                if not isinstance(size, int):
                    values.setdefault(str(size), 12 if axis else values["B"])
                    size = values[str(size)]
                shape.append(size)
            tensor = graph.get_tensor_by_name(f"{value.name}:0")
            feeds[tensor] = 0.5 * (at + 1) * numpy.ones(shape, tensor.dtype.as_numpy_dtype)
        wanted = {}
        for op in architecture.ops:
            if op.condition is None and op.repeat == 1:
                for index, output in enumerate(op.outputs[:1]):
                    if output.shape is not None and None not in output.shape:
                        node = output.name.partition(":")[0]
                        tensor = _tensor(graph, node, index)
                        if tensor is not None:
                            wanted[output.name] = (tensor, output.shape)
        with tf.compat.v1.Session(graph=graph) as session:
            results = session.run({key: tensor for key, (tensor, _) in wanted.items()}, feeds)
        for key, result in results.items():
            expected = tuple(evaluate(size, values) for size in wanted[key][1])
            compared += 1
            if tuple(result.shape) != expected:
                wrong += 1
                if wrong < 5:
                    print(f"    {key}: {expected}, but the run gives {tuple(result.shape)}")
    print(f"{name:14} {compared} outputs compared, {wrong} contradict the run", flush=True)
    return wrong


def _tensor(graph, node: str, index: int):
    try:
        tensor = graph.get_tensor_by_name(f"{node}:{index}")
    except (KeyError, ValueError):
        return None  # a node inside of a function can't be fetched
    return None if tensor.dtype.name in ("resource", "variant", "string") else tensor


if __name__ == "__main__":
    main()
