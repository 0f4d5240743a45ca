"""Save the networks in every format with the real frameworks: `python -m benchmarks.formats_tf.generate FOLDER`.

With `--legacy`, `tf_keras` takes the place of Keras, which writes the files of Keras 2. With `--changed`, a folder
`NETWORK@CHANGE` is written for each change of `benchmarks.formats_tf.changes` that a network allows. With `--trained`, weights
are random: converters leave out biases that are zero, as those of a new network are. ONNX files need tf2onnx.
"""

from __future__ import annotations

import argparse
import json
import os
import sys

import numpy as np


def main() -> None:
    """Write a folder for each network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--legacy", action="store_true", help="use tf_keras")
    parser.add_argument("--only", nargs="*", help="the names of networks")
    parser.add_argument("--changed", action="store_true", help="write changed networks too")
    parser.add_argument("--trained", action="store_true", help="make all weights random")
    options = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if options.legacy:
        import tf_keras  # late: the networks import Keras by its name

        sys.modules["keras"] = tf_keras
        sys.modules["keras.layers"] = tf_keras.layers
    import keras  # late: which one it is depends on the options

    from benchmarks.formats_tf.changes import changes  # late: it imports Keras
    from benchmarks.formats_tf.networks import NETWORKS  # late: likewise

    for build in NETWORKS:
        if options.only and build.__name__ not in options.only:
            continue
        keras.backend.clear_session()
        model = build()
        if options.trained:
            _randomise(model)
        variants = {build.__name__: model}
        if options.changed:
            variants.update((f"{build.__name__}@{name}", changed) for name, changed in changes(model))
        for name, each in variants.items():
            folder = os.path.join(options.folder, name)
            os.makedirs(folder, exist_ok=True)
            _save(each, folder, options.legacy)
            print(name, flush=True)


def _randomise(model) -> None:
    numbers = np.random.default_rng(1)
    model.set_weights(
        [
            (numbers.random(each.shape) + 0.5).astype(each.dtype) if each.dtype.kind == "f" else each
            for each in model.get_weights()
        ]
    )


def _convert(model, folder: str) -> None:
    """Save a model as TFLite and ONNX."""
    import tensorflow as tf  # late: it takes seconds

    converter = tf.lite.TFLiteConverter.from_keras_model(model)
    converter.target_spec.supported_ops = [tf.lite.OpsSet.TFLITE_BUILTINS, tf.lite.OpsSet.SELECT_TF_OPS]
    converter._experimental_lower_tensor_list_ops = False
    with open(os.path.join(folder, "model.tflite"), "wb") as file:
        file.write(converter.convert())
    model.export(os.path.join(folder, "model.onnx"), format="onnx", verbose=False)


def _save(model, folder: str, legacy: bool) -> None:
    import tensorflow as tf  # late: it takes seconds
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2  # late: likewise

    model.save(os.path.join(folder, "model.keras"))
    model.save(os.path.join(folder, "model.h5"))
    model.save_weights(os.path.join(folder, "model.weights.h5"))
    with open(os.path.join(folder, "model.json"), "w", encoding="utf-8") as file:
        file.write(model.to_json())
    if legacy:
        model.save(os.path.join(folder, "saved"), save_format="tf")
    else:
        model.export(os.path.join(folder, "exported"), verbose=False)
    tf.saved_model.save(model, os.path.join(folder, "tf_saved"))
    tf.train.Checkpoint(model=model).write(os.path.join(folder, "checkpoint"))
    specs = [tf.TensorSpec(each.shape, each.dtype, each.name.split(":")[0]) for each in model.inputs]
    call = tf.function(lambda *inputs: model(list(inputs) if len(inputs) > 1 else inputs[0]))
    concrete = call.get_concrete_function(*specs)
    frozen = convert_variables_to_constants_v2(concrete)
    tf.io.write_graph(frozen.graph, folder, "frozen.pb", as_text=False)
    if model.count_params() < 100_000:
        tf.io.write_graph(frozen.graph, folder, "frozen.pbtxt", as_text=True)
    if not legacy:
        _convert(model, folder)
    facts = {
        "weights": [[w.path if hasattr(w, "path") else w.name, list(w.shape), str(w.dtype)] for w in model.weights],
        "layers": [[each.name, _sizes(each.output)] for each in model.layers],
    }
    with open(os.path.join(folder, "facts.json"), "w", encoding="utf-8") as file:
        json.dump(facts, file)


def _sizes(outputs) -> list:
    listed = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    return [list(each.shape) for each in listed]


if __name__ == "__main__":
    main()
