"""Write the files of this folder with the real frameworks, run them, and record the shapes of all values.

    python -m tests.saved_graphs.write

It needs onnx, onnxruntime, onnxscript, torch and TensorFlow. Every graph is run at two sizes of its inputs; `runs.json`
has the shapes. The tests need none of these packages.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SIZES = ({"batch": 2, "length": 5, "height": 16, "width": 12}, {"batch": 3, "length": 7, "height": 20, "width": 28})


def onnx_graphs() -> dict[str, Any]:
    """Return models by file name."""
    import numpy
    import onnx
    from onnx import TensorProto, helper, numpy_helper

    def value(name: str, shape: list[Any] | None, kind: int = TensorProto.FLOAT) -> Any:
        return helper.make_tensor_value_info(name, kind, shape)

    def tensor(name: str, array: Any) -> Any:
        return numpy_helper.from_array(numpy.asarray(array), name)

    def weight(name: str, *shape: int) -> Any:
        return tensor(name, numpy.random.default_rng(0).random(shape, dtype="float32"))

    def model(
        nodes: list[Any],
        inputs: list[Any],
        outputs: list[Any],
        tensors: list[Any] | None = None,
        opset: int = 18,
        values: list[Any] | None = None,
        **more: Any,
    ) -> Any:
        graph = helper.make_graph(nodes, "network", inputs, outputs, tensors, value_info=values)
        opsets = [helper.make_opsetid("", opset), *more.pop("opsets", [])]
        return helper.make_model(graph, opset_imports=opsets, ir_version=more.pop("ir", 9), **more)

    node = helper.make_node
    image = value("image", ["batch", 3, "height", "width"])
    residual = model(
        [
            node("Conv", ["image", "stem.weight"], ["a"], "/stem/Conv", pads=[1, 1, 1, 1], strides=[2, 2]),
            node("Relu", ["a"], ["b"], "/relu/Relu"),
            node("Conv", ["b", "layer1.0.conv1.weight"], ["c"], "/layer1/layer1.0/conv1/Conv", pads=[1, 1, 1, 1]),
            node("Add", ["c", "b"], ["d"], "/layer1/layer1.0/Add"),
            node("MaxPool", ["d"], ["e"], "/pool/MaxPool", kernel_shape=[3, 3], strides=[2, 2], ceil_mode=1),
            node("GlobalAveragePool", ["e"], ["f"], "/average/GlobalAveragePool"),
            node("Flatten", ["f"], ["g"], "/Flatten"),
            node("Gemm", ["g", "fc.weight", "fc.bias"], ["scores"], "/fc/Gemm", transB=1),
        ],
        [image],
        [value("scores", ["batch", 10])],
        [
            weight("stem.weight", 8, 3, 3, 3),
            weight("layer1.0.conv1.weight", 8, 8, 3, 3),
            weight("fc.weight", 10, 8),
            weight("fc.bias", 10),
        ],
    )
    tokens = value("tokens", ["batch", "length"], TensorProto.INT64)
    heads = model(
        [
            node("Gather", ["table", "tokens"], ["x"]),
            node("Shape", ["tokens"], ["shape"]),
            node("Gather", ["shape", "zero"], ["batch_size"]),
            node("Gather", ["shape", "one"], ["size"]),
            node("Unsqueeze", ["batch_size", "axes"], ["b1"]),
            node("Unsqueeze", ["size", "axes"], ["s1"]),
            node("Concat", ["b1", "s1", "split"], ["target"], axis=0),
            node("Reshape", ["x", "target"], ["heads"]),
            node("Transpose", ["heads"], ["moved"], perm=[0, 2, 1, 3]),
            node("Transpose", ["heads"], ["keys"], perm=[0, 2, 3, 1]),
            node("MatMul", ["moved", "keys"], ["scores"]),
            node("Softmax", ["scores"], ["weights"], axis=-1),
            node("MatMul", ["weights", "moved"], ["mixed"]),
            node("Transpose", ["mixed"], ["back"], perm=[0, 2, 1, 3]),
            node("Reshape", ["back", "flat"], ["y"]),
            node("Range", ["zero", "size", "one"], ["positions"]),
            node("Size", ["tokens"], ["count"]),
            node("Slice", ["y", "one_row", "far", "second"], ["tail"]),
        ],
        [tokens],
        [value("y", None), value("positions", None, TensorProto.INT64), value("tail", None)],
        [
            weight("table", 32, 24),
            tensor("zero", numpy.int64(0)),
            tensor("one", numpy.int64(1)),
            tensor("axes", numpy.array([0])),
            tensor("split", numpy.array([4, 6])),
            tensor("flat", numpy.array([0, 0, -1])),
            tensor("one_row", numpy.array([1])),
            tensor("far", numpy.array([2**63 - 1])),
            tensor("second", numpy.array([1])),
        ],
    )
    then = helper.make_graph([node("Mul", ["x", "two"], ["doubled"])], "then", [], [value("doubled", None)])
    other = helper.make_graph([node("Slice", ["x", "first", "second"], ["cut"])], "else", [], [value("cut", None)])
    body = helper.make_graph(
        [
            node("Identity", ["going"], ["still"]),
            node("Concat", ["grown", "x"], ["larger"], axis=0),
            node("ReduceSum", ["x"], ["total"], keepdims=0),
        ],
        "body",
        [value("i", [], TensorProto.INT64), value("going", [], TensorProto.BOOL), value("grown", None)],
        [value("still", [], TensorProto.BOOL), value("larger", None), value("total", None)],
    )
    control = model(
        [
            node("ReduceSum", ["x"], ["sum"], keepdims=0),
            node("Greater", ["sum", "two"], ["large"]),
            node("If", ["large"], ["chosen"], then_branch=then, else_branch=other),
            node("Loop", ["three", "yes", "x"], ["last", "sums"], body=body),
            node("NonZero", ["x"], ["places"]),
            node("Transpose", ["places"], ["rows"]),
        ],
        [value("x", ["batch", 4])],
        [value("chosen", None), value("last", None), value("sums", None), value("rows", None, TensorProto.INT64)],
        [
            tensor("two", numpy.float32(2)),
            tensor("first", numpy.array([0])),
            tensor("second", numpy.array([1])),
            tensor("three", numpy.int64(3)),
            tensor("yes", numpy.array(True)),
        ],
    )
    function = helper.make_function(
        "local",
        "Scaled",
        ["a", "b"],
        ["c"],
        [node("MatMul", ["a", "b"], ["t"]), node("LeakyRelu", ["t"], ["c"])],
        [helper.make_opsetid("", 18)],
        ["alpha"],
    )
    attribute = onnx.AttributeProto(name="alpha", ref_attr_name="alpha", type=onnx.AttributeProto.FLOAT)
    function.node[1].attribute.append(attribute)
    functions = model(
        [
            node("Scaled", ["x", "first.weight"], ["h"], "first", domain="local", alpha=0.1),
            node("Scaled", ["h", "second.weight"], ["y"], "second", domain="local", alpha=0.2),
        ],
        [value("x", ["batch", 6])],
        [value("y", None)],
        [weight("first.weight", 6, 5), weight("second.weight", 5, 4)],
        opsets=[helper.make_opsetid("local", 1)],
        functions=[function],
    )
    old = model(
        [
            node("Conv", ["image", "w"], ["a"], kernel_shape=[3, 3]),
            node("Add", ["a", "b"], ["c"], broadcast=1, axis=1),
            node("Upsample", ["c"], ["d"], scales=[1.0, 1.0, 2.0, 2.0]),
        ],
        [image, value("w", [4, 3, 3, 3]), value("b", [4])],
        [value("d", None)],
        [weight("w", 4, 3, 3, 3), weight("b", 4)],
        opset=7,
        ir=3,
    )
    old.graph.node[1].CopyFrom(node("PRelu", ["a", "b4"], ["c"]))
    old.graph.initializer.append(weight("b4", 4, 1, 1))
    wrong = model(
        [node("Transpose", ["x"], ["t"], perm=[1, 0]), node("Relu", ["t"], ["y"])],
        [value("x", ["batch", 4])],
        [value("y", ["batch", 9])],
        values=[value("t", [4, -5])],
    )
    microsoft = model(
        [
            node("SkipLayerNormalization", ["x", "x", "gamma"], ["s"], domain="com.microsoft"),
            node("Attention", ["s", "qkv", "bias"], ["y"], domain="com.microsoft", num_heads=2),
            node("FusedMatMul", ["y", "y"], ["z"], domain="com.microsoft", transB=1),
        ],
        [value("x", ["batch", "length", 8])],
        [value("z", None)],
        [weight("gamma", 8), weight("qkv", 8, 24), weight("bias", 24)],
        opsets=[helper.make_opsetid("com.microsoft", 1)],
    )
    sparse = model([node("MatMul", ["x", "w"], ["y"])], [value("x", ["batch", 3])], [value("y", None)])
    stored = helper.make_sparse_tensor(
        helper.make_tensor("w", TensorProto.FLOAT, [2], [1.0, 2.0]),
        helper.make_tensor("places", TensorProto.INT64, [2], [1, 4]),
        [3, 2],
    )
    sparse.graph.sparse_initializer.append(stored)
    outside = model([node("Add", ["x", "w"], ["y"])], [value("x", ["batch", 3])], [value("y", None)])
    stolen = TensorProto(name="w", data_type=TensorProto.FLOAT, dims=[3], data_location=TensorProto.EXTERNAL)
    stolen.external_data.append(onnx.StringStringEntryProto(key="location", value="../../../etc/hostname"))
    outside.graph.initializer.append(stolen)
    custom = model(
        [node("Unheard", ["x"], ["t"], domain="example.org"), node("Relu", ["t"], ["y"])],
        [value("x", ["batch", 4])],
        [value("y", None)],
        values=[value("t", ["batch", 7])],
        opsets=[helper.make_opsetid("example.org", 1)],
    )
    unordered = model(
        [node("Relu", ["t"], ["y"]), node("MatMul", ["x", "w"], ["t"])],
        [value("x", ["batch", 4])],
        [value("y", None)],
        [weight("w", 4, 2)],
    )
    return {
        "residual.onnx": residual, "heads.onnx": heads, "control.onnx": control, "functions.onnx": functions,
        "old.onnx": old, "wrong.onnx": wrong, "microsoft.onnx": microsoft, "sparse.onnx": sparse,
        "outside.onnx": outside, "custom.onnx": custom, "unordered.onnx": unordered,
    }  # fmt: skip


def exported(folder: Path) -> None:
    """Export a small network from torch in both ways."""
    import torch
    from torch import nn

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.embed = nn.Embedding(20, 16)
            self.blocks = nn.ModuleList(nn.TransformerEncoderLayer(16, 2, 24, batch_first=True) for _ in range(2))
            self.head = nn.Sequential(nn.Linear(16, 8), nn.ReLU(), nn.Linear(8, 3))

        def forward(self, tokens: Any) -> Any:
            x = self.embed(tokens)
            for block in self.blocks:
                x = block(x)
            return self.head(x.mean(1))

    torch.manual_seed(0)
    net = Net().eval()
    tokens = torch.zeros(2, 5, dtype=torch.long)
    names: dict[str, Any] = {"input_names": ["tokens"], "output_names": ["scores"]}
    axes = {"tokens": {0: "batch", 1: "length"}}
    torch.onnx.export(net, (tokens,), str(folder / "torchscript.onnx"), dynamo=False, dynamic_axes=axes, **names)
    sizes = ({0: torch.export.Dim("batch"), 1: torch.export.Dim("length")},)
    program = torch.onnx.export(net, (tokens,), dynamo=True, dynamic_shapes=sizes, **names)
    program.save(str(folder / "dynamo.onnx"), external_data=False)
    _without_places(folder / "dynamo.onnx")
    _without_places(folder / "torchscript.onnx")


def _without_places(path: Path) -> None:
    """Remove what an exporter notes about the files of the program: it differs from machine to machine."""
    import onnx

    model = onnx.load(path)
    for node in model.graph.node:
        kept = [entry for entry in node.metadata_props if entry.key.endswith(("name_scopes", "class_hierarchy"))]
        del node.metadata_props[:]
        node.metadata_props.extend(kept)
        node.doc_string = ""
    path.write_bytes(model.SerializeToString())


def tflite_graphs() -> dict[str, bytes]:
    """Return models by file name."""
    import numpy
    import tensorflow

    keras = tensorflow.keras
    inputs = keras.Input((12, 12, 3), name="image")
    x = keras.layers.Conv2D(4, 3, strides=2, padding="same", activation="relu")(inputs)
    x = keras.layers.DepthwiseConv2D(3, padding="valid")(x)
    x = keras.layers.GlobalAveragePooling2D()(x)
    net = keras.Model(inputs, keras.layers.Dense(5, activation="softmax")(x))

    def converter(model: Any) -> Any:
        return tensorflow.lite.TFLiteConverter.from_keras_model(model)

    quantizing = converter(net)
    quantizing.optimizations = [tensorflow.lite.Optimize.DEFAULT]
    quantizing.representative_dataset = lambda: iter([[numpy.zeros((1, 12, 12, 3), "float32")]])

    class Loop(tensorflow.Module):  # type: ignore[misc]
        @tensorflow.function(input_signature=[tensorflow.TensorSpec([None, 4], tensorflow.float32)])  # type: ignore[untyped-decorator]
        def run(self, x: Any) -> Any:
            total = tensorflow.zeros_like(x)
            for _ in tensorflow.range(tensorflow.shape(x)[0]):
                total = total + x
            return {"total": total, "flat": tensorflow.reshape(x, [-1])}

    loop = Loop()
    looping = tensorflow.lite.TFLiteConverter.from_concrete_functions([loop.run.get_concrete_function()], loop)
    return {
        "image.tflite": converter(net).convert(),
        "quantized.tflite": quantizing.convert(),
        "loop.tflite": looping.convert(),
    }


def main() -> int:
    """Write everything."""
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    import onnx
    import onnxruntime

    from benchmarks.formats import onnx_runs, tflite_runs

    for name, model in onnx_graphs().items():
        (HERE / name).write_bytes(model.SerializeToString())
    exported(HERE)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.optimized_model_filepath = str(HERE / "residual.ort")
    options.add_session_config_entry("session.save_model_format", "ORT")
    onnxruntime.InferenceSession(str(HERE / "residual.onnx"), options)
    for name, content in tflite_graphs().items():
        (HERE / name).write_bytes(content)
    runs: dict[str, Any] = {}
    for path in sorted(HERE.iterdir()):
        for sizes in SIZES:
            try:
                if path.suffix == ".onnx":
                    found = onnx_runs.shapes(str(path), sizes)
                elif path.suffix == ".tflite":
                    found = tflite_runs.shapes(str(path), sizes["batch"])
                else:
                    continue
            except (RuntimeError, onnxruntime.capi.onnxruntime_pybind11_state.Fail, FileNotFoundError) as error:
                print(f"{path.name} does not run: {str(error)[:200]}")
                continue
            except onnx.checker.ValidationError as error:
                print(f"{path.name} is not valid: {str(error)[:200]}")
                continue
            runs.setdefault(path.name, []).append({"sizes": sizes, "shapes": {k: list(v) for k, v in found.items()}})
    (HERE / "runs.json").write_text(json.dumps(runs, separators=(",", ":")) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
