"""Record what Keras models are, read off the live models: those of keras.applications, or those of files.

usage: python -m benchmarks.zoo.keras_truth OUT [--only TEXT] [--files FOLDER]

With `--files`, what is recorded is the `model` of each file in a folder, such as `tests/keras_models`. Needs Keras with TensorFlow. Each model is built without downloaded weights, and traced on symbolic tensors with
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


def application(name: str, arguments: str) -> dict[str, Any]:
    """Build a model of keras.applications and return its row."""
    import keras

    keras.utils.clear_session()
    make = getattr(keras.applications, name)
    model = eval(f"make({arguments})", {"make": make})
    given = [([2, *(64 if size is None else size for size in tensor.shape[1:])], "float32") for tensor in model.inputs]
    row = {"target": f"keras.applications:{name}", "arguments": arguments, "input": [shape for shape, _ in given]}
    return row | described(model, given)


def file(path: Path) -> dict[str, Any]:
    """Run a file that binds `model`, call that, and return its row; `INPUTS` says with what, if not its own inputs."""
    import keras

    keras.utils.clear_session()
    scope: dict[str, Any] = {"__name__": path.stem}
    exec(compile(path.read_bytes(), str(path), "exec"), scope)
    model = scope["model"]
    declared = getattr(model, "_inputs_struct", None)
    tensors = declared if isinstance(declared, dict) else dict(enumerate(getattr(model, "inputs", None) or []))
    given = INPUTS.get(path.name) or {
        key: ([2, *(64 if size is None else size for size in tensor.shape[1:])], str(tensor.dtype))
        for key, tensor in tensors.items()
    }
    row: dict[str, Any] = {"target": f"{path.name}::model"}
    if isinstance(declared, dict):
        row["input"] = {key: shape for key, (shape, _) in given.items()}
        row["dtypes"] = {key: dtype for key, (_, dtype) in given.items()}
        return row | described(model, given)
    values = list(given.values()) if isinstance(given, dict) else given
    row["input"], row["dtypes"] = [shape for shape, _ in values], [dtype for _, dtype in values]
    return row | described(model, values)


INPUTS: dict[str, Any] = {
    "sub_transformer.py": [([2, 64], "int32")],
    "sub_vae.py": [([2, 28, 28, 1], "float32")],
    "sub_custom.py": [([2, 20], "float32")],
    "sub_convgru.py": [([2, 5, 32, 32, 3], "float32")],
}
"""File -> what its model is called with, where the model does not say."""


def described(model: Any, given: Any) -> dict[str, Any]:
    """Trace a model on symbolic tensors and describe it."""
    import keras
    import tensorflow as tf

    def made(kind: Any) -> Any:
        if isinstance(given, dict):
            return {key: kind(shape, dtype) for key, (shape, dtype) in given.items()}
        found = [kind(shape, dtype) for shape, dtype in given]
        return found if len(found) > 1 else found[0]

    model(made(lambda shape, dtype: keras.KerasTensor(shape, dtype=dtype)), training=False)  # builds what is not built
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
    outputs: list[Any] = []

    def trace(x: Any) -> int:
        outputs.extend(shapes(model(x, training=False)))
        return 0

    try:
        tf.function(trace, autograph=False).get_concrete_function(made(tf.TensorSpec))
    finally:
        keras.Layer.__call__ = original
    return {
        "modules": [["", type(model).__name__], *([path, type(layer).__name__] for path, layer in found)],
        "params": {weight.path: list(weight.shape) for weight in model.weights},
        "buffers": {},
        "trainable": sum(math.prod(weight.shape) for weight in model.trainable_weights),
        "output": outputs,
        "io": traced,
    }


def rows(options: argparse.Namespace) -> Iterator[dict[str, Any]]:
    """Yield the rows that are asked for."""
    if options.files is not None:
        yield from (file(path) for path in sorted(options.files.glob("*.py")) if options.only in path.name)
        return
    for name, arguments in calls():
        if options.only in f"{name}({arguments})":
            yield application(name, arguments)


def main() -> int:
    """Record keras.applications."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.zoo.keras_truth", description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("out", type=Path, metavar="OUT")
    parser.add_argument("--only", default="", metavar="TEXT", help="record only models with this in their call")
    parser.add_argument(
        "--files", type=Path, metavar="FOLDER", help="record the models of the files in a folder instead"
    )
    options = parser.parse_args()
    os.environ.setdefault("KERAS_BACKEND", "tensorflow")
    count = 0
    with opened(options.out) as written:
        for row in rows(options):
            written.write(json.dumps(row, separators=(",", ":")) + "\n")
            count += 1
    print(f"{count} recorded")
    return 0


if __name__ == "__main__":
    sys.exit(main())
