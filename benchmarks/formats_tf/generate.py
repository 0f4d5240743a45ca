"""Save the networks in every format with the real frameworks: `python -m benchmarks.formats_tf.generate FOLDER`.

With `--legacy`, `tf_keras` takes the place of Keras, which writes the files of Keras 2.
"""

from __future__ import annotations

import argparse
import json
import os
import sys


def main() -> None:
    """Write a folder for each network."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder")
    parser.add_argument("--legacy", action="store_true", help="use tf_keras")
    parser.add_argument("--only", nargs="*", help="the names of networks")
    options = parser.parse_args()
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    if options.legacy:
        import tf_keras  # late: the networks import Keras by its name

        sys.modules["keras"] = tf_keras
        sys.modules["keras.layers"] = tf_keras.layers
    import keras  # late: which one it is depends on the options

    from benchmarks.formats_tf.networks import NETWORKS  # late: it imports Keras

    for build in NETWORKS:
        if options.only and build.__name__ not in options.only:
            continue
        keras.backend.clear_session()
        folder = os.path.join(options.folder, build.__name__)
        os.makedirs(folder, exist_ok=True)
        _save(build(), folder, options.legacy)
        print(build.__name__, flush=True)


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
