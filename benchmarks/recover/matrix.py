"""Eight small networks of each framework, recovered from every format into both frameworks.

    python -m benchmarks.recover.matrix FOLDER [--only NAME,...] [--formats NAME,...] [--to torch|keras] [--details] [--keep FOLDER]

The real frameworks write the files to FOLDER, with random weights, where they are not there yet. Each cell of the table is one
file recovered into one framework in a process of its own, and run beside the original at two sizes of what is open:

    =    outputs equal within 1e-4 of the largest number
    s    the target has no numbers of weights: the code runs, and its outputs have the shapes of the original
    -    refused, or a part has no code: what is missing is said
    x    anything else: different outputs, code that does not run, a crash
"""

from __future__ import annotations

import argparse
import inspect
import logging
import multiprocessing
import os
import sys
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.recover import matrix_keras, matrix_torch
from benchmarks.recover.round_trips import judged

NETWORKS = ("mlp", "residual", "lstm", "gru", "encoder", "u_net", "two_inputs", "siamese")
TORCH_FORMATS = ("onnx", "dynamo", "trace", "script", "pt2", "pickle", "pickle_bare", "source", "live", "tensorboard")
KERAS_FORMATS = ("keras", "h5", "json", "savedmodel", "graphdef", "tflite", "source", "live", "tensorboard")
ENDINGS = {
    "onnx": ".onnx", "dynamo": ".onnx", "trace": ".pt", "script": ".pt", "pt2": ".pt2", "pickle": ".pth", "pickle_bare": ".pth",
    "keras": ".keras", "h5": ".h5", "json": ".json", "savedmodel": "", "graphdef": ".pb", "tflite": ".tflite", "tensorboard": "",
}  # fmt: skip
SIGNS = {"equal": "=", "shapes": "s", "no code": "-", "not recovered": "-"}
GONE = "a_module_that_is_gone"
"""Where the classes of a pickled network are from whose source there is no more."""
WITHOUT_WEIGHTS = ("json", "tensorboard")
_CLASSES = {"mlp": "Mlp", "residual": "Residual", "lstm": "Lstm", "gru": "Gru", "encoder": "Encoder", "u_net": "UNet",
            "two_inputs": "TwoInputs", "siamese": "Siamese"}  # fmt: skip


def torch_network(name: str) -> tuple[Any, tuple[Any, ...]]:
    """Return a network of PyTorch with random weights, and its inputs."""
    import torch

    torch.manual_seed(0)
    network = getattr(matrix_torch, _CLASSES[name])().eval()
    for key, tensor in network.named_buffers():
        if "running" in key:
            tensor.uniform_(0.5, 1.5)
    return network, tuple(
        torch.randint(0, 50, shape) if kind == "int64" else torch.randn(shape) for shape, kind in shapes_of(name)
    )


def shapes_of(name: str) -> list[tuple[tuple[int, ...], str]]:
    """Return the shapes and element types of the inputs of PyTorch's networks."""
    image, small = ((2, 3, 32, 32), "float32"), ((2, 3, 16, 16), "float32")
    return {
        "mlp": [((2, 8), "float32")], "residual": [image], "lstm": [((2, 7), "int64")], "gru": [((2, 7), "int64")],
        "encoder": [((2, 6, 16), "float32")], "u_net": [image], "two_inputs": [small, ((2, 5), "float32")],
        "siamese": [small, small],
    }[name]  # fmt: skip


def keras_network(name: str) -> Any:
    """Return a model of Keras with random weights."""
    import keras
    import numpy as np

    keras.utils.set_random_seed(0)
    keras.backend.clear_session()
    model = getattr(matrix_keras, name)()
    generator = np.random.default_rng(0)
    for weight in model.weights:
        if weight.path.endswith("moving_variance"):
            weight.assign(generator.uniform(0.5, 1.5, weight.shape))
        elif len(weight.shape) == 1:
            weight.assign(generator.normal(0.0, 0.3, weight.shape))
    return model


def write_torch(name: str, form: str, path: Path) -> None:
    """Write a network of PyTorch in one format."""
    import torch

    network, inputs = torch_network(name)
    batch = torch.export.Dim("batch")
    shapes = tuple({0: batch} for _ in inputs)
    if form == "onnx":
        names = [f"input{place}" for place in range(len(inputs))]
        axes = {each: {0: "batch"} for each in names}
        torch.onnx.export(network, inputs, str(path), dynamo=False, input_names=names, dynamic_axes=axes)
    elif form == "dynamo":
        torch.onnx.export(network, inputs, str(path), dynamo=True, dynamic_shapes=shapes, external_data=False, verbose=False)  # fmt: skip
    elif form == "trace":
        torch.jit.trace(network, inputs, check_trace=False).save(str(path))
    elif form == "script":
        torch.jit.script(network).save(str(path))
    elif form == "pt2":
        torch.export.save(torch.export.export(network, inputs, dynamic_shapes=shapes), path)
    elif form == "tensorboard":
        from torch.utils.tensorboard import SummaryWriter

        with SummaryWriter(str(path)) as writer:
            writer.add_graph(network, inputs)
    elif form == "pickle_bare":
        for kind in {type(each) for each in network.modules()}:
            if kind.__module__ == matrix_torch.__name__:
                kind.__module__ = GONE
        sys.modules[GONE] = matrix_torch
        torch.save(network, path)
    else:
        torch.save(network, path)


def write_keras(name: str, form: str, path: Path) -> None:
    """Write a model of Keras in one format."""
    import tensorflow as tf

    model = keras_network(name)
    if form in ("keras", "h5"):
        model.save(path)
    elif form == "json":
        path.write_text(model.to_json())
    elif form == "savedmodel":
        model.export(str(path), verbose=False)
    elif form == "tflite":
        path.write_bytes(tf.lite.TFLiteConverter.from_keras_model(model).convert())
    elif form == "graphdef":
        path.write_bytes(_frozen(model).graph.as_graph_def().SerializeToString())
    else:
        with tf.summary.create_file_writer(str(path)).as_default():
            tf.summary.graph(_frozen(model).graph)


def _frozen(model: Any) -> Any:
    import tensorflow as tf
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    specs = [tf.TensorSpec((None, *each.shape[1:]), each.dtype, each.name) for each in model.inputs]
    function = tf.function(lambda *values: model(values if len(values) > 1 else values[0], training=False))
    return convert_variables_to_constants_v2(function.get_concrete_function(*specs))


def target_of(folder: Path, framework: str, name: str, form: str) -> tuple[str, dict[str, Any]]:
    """Return what is recovered in one cell, and with which options; files are written where they are not there yet."""
    folder.mkdir(parents=True, exist_ok=True)
    if form in ("source", "live"):
        module = matrix_torch if framework == "torch" else matrix_keras
        target = f"{inspect.getsourcefile(module)}::{_CLASSES[name] if framework == 'torch' else name}()"
        shapes = [f"{'x'.join(map(str, shape))}:{kind}" for shape, kind in shapes_of(name)]
        options: dict[str, Any] = {"input": shapes} if framework == "torch" else {}
        if form == "live":
            return target, {**options, "live": True}
        checkpoint = folder / f"{framework}_{name}.{'pth' if framework == 'torch' else 'weights.h5'}"
        if not checkpoint.exists():
            _write_weights(framework, name, checkpoint)
        return target, {**options, "checkpoint": str(checkpoint)}
    path = folder / f"{framework}_{name}_{form}{ENDINGS[form]}"
    if not path.exists():
        (write_torch if framework == "torch" else write_keras)(name, form, path)
    if form == "pickle":
        # Its classes are found in the module that it names, below this folder.
        return str(path), {"path": [os.getcwd()], "input": [f"{'x'.join(map(str, s))}:{k}" for s, k in shapes_of(name)]}
    if form == "tensorboard":
        return str(next(path.glob("*tfevents*"))), {}
    return str(path), {}


def _write_weights(framework: str, name: str, path: Path) -> None:
    if framework == "keras":
        keras_network(name).save_weights(path)
        return
    import torch

    torch.save(torch_network(name)[0].state_dict(), path)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", default=",".join(NETWORKS))
    parser.add_argument("--formats", default="")
    parser.add_argument("--framework", choices=("torch", "keras"))
    parser.add_argument("--to", choices=("torch", "keras"))
    parser.add_argument("--seconds", type=float, default=180.0)
    parser.add_argument("--keep")
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args()
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
    os.environ["CUDA_VISIBLE_DEVICES"] = ""
    names = options.only.split(",")
    counts: Counter[str] = Counter()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.recover.preloaded", "cutaway._api"])
    for framework, formats in (("torch", TORCH_FORMATS), ("keras", KERAS_FORMATS)):
        if options.framework and framework != options.framework:
            continue
        for form in formats:
            if options.formats and form not in options.formats.split(","):
                continue
            for to in (options.to,) if options.to else ("torch", "keras"):
                row = []
                for name in names:
                    outcome = _cell(context, options, framework, form, name, to)
                    sign = SIGNS.get(outcome["state"], "x")
                    row.append(sign)
                    counts[sign] += 1
                    if sign == "x" or (options.details and sign == "-"):
                        print(
                            f"  {framework} {name} {form} to {to}: {outcome['state']} {outcome.get('gap', '')} {outcome.get('why', '')}"
                        )
                print(f"{framework:6} {form:12} to {to:6} {' '.join(row)}", flush=True)
    print(f"{counts.total()} cells, networks {', '.join(names)}: {dict(counts)}")


def _cell(context: Any, options: argparse.Namespace, framework: str, form: str, name: str, to: str) -> dict[str, Any]:
    receiver, sender = context.Pipe(False)
    arguments = (options.folder, framework, name, form, to, options.keep, sender)
    process = context.Process(target=_cell_in_process, args=arguments)
    process.start()
    sender.close()
    try:
        found = receiver.recv() if receiver.poll(options.seconds) else {"state": "takes too long"}
    except EOFError:
        found = {"state": "the process ended"}
    process.kill()
    process.join()
    return found


def _cell_in_process(
    folder: Path, framework: str, name: str, form: str, to: str, keep: str | None, sender: Any
) -> None:
    warnings.filterwarnings("ignore")
    logging.disable(logging.WARNING)
    try:
        target, options = target_of(folder, framework, name, form)
    except Exception as error:
        sender.send({"state": "not written", "why": f"{type(error).__name__}: {str(error)[:200]}"})
        return
    sys.modules[GONE] = matrix_torch
    sender.send(judged(target, options, to, keep, f"{framework}_{name}_{form}", form not in WITHOUT_WEIGHTS))


if __name__ == "__main__":
    main()
