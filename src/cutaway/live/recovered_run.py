"""Recovered code and the file that it is from, both run in their real frameworks on the same random numbers."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from cutaway.core.architecture import Architecture, Value
from cutaway.core.error import CutawayError
from cutaway.core.size.dim import symbols
from cutaway.core.size.parser import evaluate
from cutaway.live import framework_detection
from cutaway.live.load import imported, networks
from cutaway.syntax.target import parse_target


class Result(Protocol):
    """Recovered code."""

    @property
    def source(self) -> str:
        """The code."""

    @property
    def class_name(self) -> str:
        """The class of the network."""

    @property
    def inputs(self) -> tuple[str, ...]:
        """The names of the inputs, in the order in which the network is called with them."""


_BATCHES, _SIZES = (2, 3), (64, 96)
_KERAS = (".keras", ".h5", ".hdf5")
_TFLITE = b"TFL3"


def largest_difference(
    path: str,
    network: Architecture,
    result: Result,
    weights: str,
    folders: Sequence[str] = (),
    checkpoint: str | None = None,
) -> float:
    """Return the largest difference of outputs, relative to the largest number in them, at two sizes of the free sizes.

    `network` is what the target was read as, `result` the code that was recovered from it. Classes of a network that was
    pickled, and imports of source, are looked for in `folders` first; `checkpoint` has the weights of source.
    """
    by_name = {value.name: value for value in network.inputs}
    inputs = tuple(by_name[name] for name in result.inputs if name in by_name)
    if len(inputs) != len(network.inputs):
        inputs = network.inputs
    try:
        names = [value.name for value in inputs]
        original = original_run(path, network, names) if checkpoint is None else source_run(path, folders, checkpoint)
        recovered = recovered_run(path, result.source, result.class_name, weights)
        worst = 0.0
        for batch, size in zip(_BATCHES, _SIZES):
            values = random_values(inputs, batch, size)
            worst = max(worst, _gap(path, original(values), recovered(values)))
            if not any(isinstance(size, int) is False for value in inputs for size in value.shape or ()):
                break
        return worst
    except ModuleNotFoundError as error:
        raise CutawayError(f"--check needs {error.name} installed") from None


def _gap(path: str, expected: Sequence[Any], results: Sequence[Any]) -> float:
    import numpy as np  # late: only a comparison that is asked for needs it

    if len(expected) != len(results):
        raise CutawayError(f"{path}: the recovered code returns {len(results)} tensors, the original {len(expected)}")
    worst = 0.0
    for one, other in zip(expected, results):
        if one.shape != other.shape:
            raise CutawayError(f"{path}: the recovered code returns {other.shape}, the original {one.shape}")
        if one.size:
            left, right = one.astype(np.float64), other.astype(np.float64)
            same = (left == right) | (np.isnan(left) & np.isnan(right))
            gap = 0.0 if same.all() else float(np.abs(left - right)[~same].max())
            finite = np.abs(left[np.isfinite(left)])
            worst = max(worst, gap / max(float(finite.max()) if finite.size else 0.0, 1e-6))
    return worst


def random_values(inputs: Sequence[Value], batch: int, size: int) -> list[Any]:
    """Return random numbers for inputs; the first free size is the batch, others are all the same."""
    import numpy as np  # late: only a comparison that is asked for needs it

    generator = np.random.default_rng(batch)
    values = []
    for value in inputs:
        if value.shape is None or None in value.shape:
            raise CutawayError(f"the input {value.name} can't be made up: its shape is not known")
        shape = [
            each if isinstance(each, int) else _number(each, batch if at == 0 else size)
            for at, each in enumerate(value.shape)
        ]
        dtype = value.dtype or "float32"
        if dtype == "bool":
            values.append(generator.integers(0, 2, shape).astype(bool))
        elif dtype.startswith(("int", "uint")):
            values.append(generator.integers(0, 2, shape).astype(dtype))
        else:
            values.append(generator.standard_normal(shape).astype(dtype))
    return values


def _number(size: Any, number: int) -> int:
    return int(evaluate(size, {symbol.name: number for symbol in symbols(size)}))


def recovered_run(path: str, source: str, class_name: str, weights: str) -> Callable[[list[Any]], list[Any]]:
    """Return what runs recovered code, whose weights are in a safetensors file."""
    namespace: dict[str, Any] = {"__name__": "recovered"}
    exec(compile(source, f"<recovered from {os.path.basename(path)}>", "exec"), namespace)
    network = namespace["load"](weights)
    if hasattr(network, "state_dict"):
        return _torch(network.eval())
    return lambda values: flat(network(*values))


def _torch(network: Any) -> Callable[[list[Any]], list[Any]]:
    import torch  # late: only networks of it need it

    def run(values: list[Any]) -> list[Any]:
        with torch.no_grad():
            return flat(network(*(torch.from_numpy(value) for value in values)))

    return run


def original_run(path: str, network: Architecture, names: Sequence[str]) -> Callable[[list[Any]], list[Any]]:
    """Return what runs the network of a file; names are those of its inputs."""
    file = path.partition("::")[0]
    if os.path.isdir(file):
        return _saved_model(file, network, names)
    if file.endswith((".py", ".ipynb", ".pbtxt", ".json")) or not os.path.isfile(file):
        raise CutawayError(f"{path}: only files with weights can be run for --check")
    if network.framework == "tensorflow":
        return _graph_def(file, names, network.results)
    with open(file, "rb") as opened:
        head = opened.read(16)
    if head[4:8] == _TFLITE:
        return _tflite(file, names)
    if file.endswith(_KERAS):
        return _keras(file, names)
    if zipfile.is_zipfile(file):
        return _torch(_torch_file(file))
    return _onnx(file, names)


def source_run(text: str, folders: Sequence[str], checkpoint: str) -> Callable[[list[Any]], list[Any]]:
    """Return what runs the network that source makes, with the weights of a file."""
    target = parse_target(text)
    with imported(target, folders) as module:
        network = networks(module, target)[0][0].network
    if framework_detection.framework_of(network) == framework_detection.KERAS:
        network.load_weights(checkpoint)
        return lambda values: flat(network(values[0] if len(values) == 1 else values, training=False))
    network.load_state_dict(_state(checkpoint))
    return _torch(network.eval())


def _state(path: str) -> Any:
    import torch  # late: only these files need it

    with open(path, "rb") as file:
        is_pickled = file.read(2) in (b"PK", b"\x80\x02")
    if is_pickled:
        return torch.load(path, map_location="cpu", weights_only=True)
    from safetensors.torch import load_file  # late: only these files need it

    return load_file(path)


def _graph_def(path: str, names: Sequence[str], results: Sequence[str]) -> Callable[[list[Any]], list[Any]]:
    import tensorflow as tf  # late: only these files need it

    graph = tf.compat.v1.GraphDef()
    with open(path, "rb") as file:
        graph.ParseFromString(file.read())

    def run(values: list[Any]) -> list[Any]:
        with tf.Graph().as_default():
            tf.import_graph_def(graph, name="")
            with tf.compat.v1.Session() as session:
                feeds = {_tensor(name): value for name, value in zip(names, values)}
                return flat(session.run([_tensor(name) for name in results], feeds))

    return run


def _tensor(name: str) -> str:
    return name if ":" in name else f"{name}:0"


def _onnx(path: str, names: Sequence[str]) -> Callable[[list[Any]], list[Any]]:
    import onnxruntime  # late: only these files need it

    onnxruntime.set_default_logger_severity(4)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return lambda values: list(session.run(None, dict(zip(names, values))))


def _torch_file(path: str) -> Any:
    import torch  # late: only these files need it

    with zipfile.ZipFile(path) as archive:
        members = archive.namelist()
    if any("/code/" in name for name in members):
        return torch.jit.load(path, map_location="cpu").eval()
    if any(name.endswith(("archive_format", "serialized_exported_program.json")) for name in members):
        return torch.export.load(path).module()
    return torch.load(path, map_location="cpu", weights_only=False).eval()


def _keras(path: str, names: Sequence[str]) -> Callable[[list[Any]], list[Any]]:
    import keras  # late: only these files need it

    network = keras.models.load_model(path, compile=False)

    def run(values: list[Any]) -> list[Any]:
        return flat(network(values[0] if len(values) == 1 else values, training=False))

    return run


def _saved_model(path: str, network: Architecture, names: Sequence[str]) -> Callable[[list[Any]], list[Any]]:
    import tensorflow as tf  # late: only these files need it

    loaded = tf.saved_model.load(path)
    signature = loaded.signatures[network.name if network.name in loaded.signatures else "serving_default"]

    def run(values: list[Any]) -> list[Any]:
        return flat(signature(**{name: tf.constant(value) for name, value in zip(names, values)}))

    return run


def _tflite(path: str, names: Sequence[str]) -> Callable[[list[Any]], list[Any]]:
    import tensorflow as tf  # late: only these files need it

    interpreter = tf.lite.Interpreter(model_path=path)

    def run(values: list[Any]) -> list[Any]:
        entries = {each["name"]: each["index"] for each in interpreter.get_input_details()}
        places = [entries.get(name, each["index"]) for name, each in zip(names, interpreter.get_input_details())]
        for place, value in zip(places, values):
            interpreter.resize_tensor_input(place, value.shape)
        interpreter.allocate_tensors()
        for place, value in zip(places, values):
            interpreter.set_tensor(place, value)
        interpreter.invoke()
        return [interpreter.get_tensor(each["index"]) for each in interpreter.get_output_details()]

    return run


def flat(value: Any) -> list[Any]:
    """Return the arrays in a result, in order."""
    import numpy as np  # late: only a comparison that is asked for needs it

    if isinstance(value, Mapping):
        return [each for inner in value.values() for each in flat(inner)]
    if isinstance(value, (list, tuple)):
        return [each for inner in value for each in flat(inner)]
    return [np.asarray(value)]
