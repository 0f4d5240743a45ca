"""Record what the models of keras.applications are, read off the live models.

usage: python -m benchmarks.zoo.keras_truth OUT [--only TEXT]

Needs Keras with TensorFlow. Each model is built without downloaded weights, and traced on symbolic tensors with
a batch of 2. OUT gets a line of JSON for each, in the form that `benchmarks.zoo.truth` writes: modules are the
layers below the model under their names, joined by `/`; params are all weights by their paths.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.zoo.truth import opened

VARIANTS = """
ResNet50(include_top=False, weights=None, input_shape=(160, 160, 3), pooling='avg')
MobileNet(weights=None, input_shape=(128, 128, 3), alpha=0.25, dropout=0.1, classes=20)
MobileNetV2(include_top=False, weights=None, input_shape=(96, 96, 3), alpha=1.4)
MobileNetV3Small(weights=None, minimalistic=True, classes=7, classifier_activation=None)
EfficientNetB0(include_top=False, weights=None, input_shape=(64, 64, 1))
DenseNet121(include_top=False, weights=None, input_shape=(64, 64, 3), pooling='max')
InceptionV3(weights=None, classes=12)
"""


def calls() -> Iterator[tuple[str, str]]:
    """Yield each model's name and arguments."""
    from keras import applications

    for name in sorted(dir(applications)):
        if name[0].isupper():
            yield name, "weights=None"
    for line in VARIANTS.strip().splitlines():
        name, _, rest = line.partition("(")
        yield name, rest.removesuffix(")")


def shapes(value: Any) -> list[list[int | None]]:
    """Return the shapes of all tensors in a nested value, in order."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [shape for item in value for shape in shapes(item)]
    return [list(value.shape)] if hasattr(value, "shape") and hasattr(value, "dtype") else []


def layers_below(layer: Any, above: str, seen: set[int]) -> Iterator[tuple[str, Any]]:
    """Yield every layer below another once, with the path of its names."""
    for inner in layer._layers:
        if id(inner) not in seen:
            seen.add(id(inner))
            path = f"{above}{inner.name}"
            yield path, inner
            yield from layers_below(inner, f"{path}/", seen)


def record(name: str, arguments: str) -> dict[str, Any]:
    """Build a model, trace it, and return its row."""
    import keras
    import tensorflow as tf

    keras.utils.clear_session()
    make = getattr(keras.applications, name)
    model = eval(f"make({arguments})", {"make": make})
    given = [[2, *(64 if size is None else size for size in tensor.shape[1:])] for tensor in model.inputs]
    found = list(layers_below(model, "", {id(model)}))
    paths = {id(layer): path for path, layer in found} | {id(model): ""}
    traced: dict[str, Any] = {}
    original = keras.Layer.__call__

    def noting(self: Any, *args: Any, **kwargs: Any) -> Any:
        out = original(self, *args, **kwargs)
        if id(self) in paths:
            traced.setdefault(paths[id(self)], [shapes((args, kwargs)), shapes(out)])
        return out

    keras.Layer.__call__ = noting
    try:
        outputs: list[Any] = []
        spec = [tf.TensorSpec(shape) for shape in given]
        trace = tf.function(
            lambda *x: outputs.extend(shapes(model(list(x) if len(x) > 1 else x[0]))) or 0, autograph=False
        )
        trace.get_concrete_function(*spec)
    finally:
        keras.Layer.__call__ = original
    return {
        "target": f"keras.applications:{name}",
        "arguments": arguments,
        "input": given,
        "modules": [["", type(model).__name__], *([path, type(layer).__name__] for path, layer in found)],
        "params": {weight.path: list(weight.shape) for weight in model.weights},
        "buffers": {},
        "trainable": sum(math.prod(weight.shape) for weight in model.trainable_weights),
        "output": outputs,
        "io": traced,
    }


def main() -> int:
    """Record keras.applications."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.zoo.keras_truth", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--only", default="", metavar="TEXT", help="record only models with this in their call")
    options = parser.parse_args()
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    count = 0
    with opened(options.out) as file:
        for name, arguments in calls():
            if options.only in f"{name}({arguments})":
                file.write(json.dumps(record(name, arguments), separators=(",", ":")) + "\n")
                count += 1
    print(f"{count} recorded")
    return 0


if __name__ == "__main__":
    sys.exit(main())
