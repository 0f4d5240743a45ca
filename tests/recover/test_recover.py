"""Code that is recovered from ONNX files: what it looks like, and that PyTorch computes with it what the file does."""

from __future__ import annotations

import ast
import io
import re
from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from cutaway import cli  # noqa: E402
from cutaway._recovery_api import recover  # noqa: E402
from cutaway.recover.result import Recovered  # noqa: E402
from tests.recover.files import File, evaluated, onnx_tensor  # noqa: E402


def recovered(path: str) -> tuple[Recovered, dict[str, Any]]:
    """Return what is recovered from a file, and its weights."""
    content = io.BytesIO()
    result = recover(path, weights_file=content)
    data = content.getvalue()
    header = ast.literal_eval(data[8 : 8 + int.from_bytes(data[:8], "little")].decode().strip())
    start = 8 + int.from_bytes(data[:8], "little")
    kinds = {"F32": np.float32, "I64": np.int64, "BOOL": np.bool_}
    weights = {}
    for name, entry in header.items():
        first, last = entry["data_offsets"]
        array = np.frombuffer(data[start + first : start + last], kinds[entry["dtype"]])
        weights[name] = torch.from_numpy(array.reshape(entry["shape"]).copy())
    return result, weights


def network(result: Recovered, weights: dict[str, Any]) -> Any:
    namespace: dict[str, Any] = {}
    exec(result.source, namespace)
    module = namespace[result.class_name]()
    module.load_state_dict(weights)
    return module.eval()


def check(path: str, **inputs: Any) -> Recovered:
    """Compare what recovered code and the file compute, and what both are said to be."""
    result, weights = recovered(path)
    assert not result.missing and not result.different
    with torch.no_grad():
        returned = network(result, weights)(*map(torch.from_numpy, inputs.values()))
    expected = evaluated(path, inputs)
    for one, other in zip(expected, returned if isinstance(returned, tuple) else (returned,)):
        np.testing.assert_allclose(other.numpy(), one, rtol=1e-4, atol=1e-5)
    assert max(map(len, result.source.splitlines())) <= 100
    return result


def numbers(*shape: int) -> Any:
    return np.random.default_rng(1).standard_normal(shape).astype(np.float32)


def residual_network(path: Path) -> str:
    """A convolution and three residual blocks, the second of which changes the width."""
    file = File(("image", ["batch", 3, 8, 8]))
    value = file.node("Conv", "image", file.weight("stem.weight", 4, 3, 3, 3), scope="/stem", pads=[1, 1, 1, 1])
    width = 4
    for number, out in enumerate((4, 8, 8)):
        scope = f"/blocks/blocks.{number}"
        own = f"blocks.{number}"
        first = file.weight(f"{own}.conv1.weight", out, width, 3, 3)
        inner = file.node("Conv", value, first, scope=f"{scope}/conv1", pads=[1, 1, 1, 1])
        inner = file.node("Relu", inner, scope=f"{scope}/relu")
        second = file.weight(f"{own}.conv2.weight", out, out, 3, 3)
        inner = file.node("Conv", inner, second, scope=f"{scope}/conv2", pads=[1, 1, 1, 1])
        if out != width:
            value = file.node("Conv", value, file.weight(f"{own}.skip.weight", out, width, 1, 1), scope=f"{scope}/skip")
        inner = file.node("Add", inner, value, scope=scope)
        value = file.node("Relu", inner, scope=f"{scope}/relu_1")
        width = out
    value = file.node("GlobalAveragePool", value, scope="/pool")
    value = file.node("Flatten", value, scope="/")
    weights = file.weight("head.weight", 5, width), file.weight("head.bias", 5)
    return file.write(path / "net.onnx", file.node("Gemm", value, *weights, scope="/head", transB=1))


def test_blocks_that_are_alike_share_a_class_with_arguments(tmp_path: Path) -> None:
    result = check(residual_network(tmp_path), image=numbers(2, 3, 8, 8))
    assert (
        result.source
        == '''"""Recovered from net.onnx."""

import torch
from torch import Tensor, nn


class ResidualBlock(nn.Module):
    """blocks.1, blocks.0, blocks.2."""

    def __init__(self, in_channels: int, out_channels: int, skip: bool = False) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(in_channels, out_channels, 3, padding=1, bias=False)
        self.relu = nn.ReLU()
        self.conv2 = nn.Conv2d(out_channels, out_channels, 3, padding=1, bias=False)
        self.skip: nn.Module = nn.Identity()
        if skip:
            self.skip = nn.Conv2d(in_channels, out_channels, 1, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        out = self.conv2(self.relu(self.conv1(x)))
        return self.relu(out + self.skip(x))


class Net(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 4, 3, padding=1, bias=False)
        self.blocks = nn.Sequential(
            ResidualBlock(4, 4),
            ResidualBlock(4, 8, skip=True),
            ResidualBlock(8, 8),
        )
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.head = nn.Linear(8, 5)

    def forward(self, x: Tensor) -> Tensor:
        x = self.blocks(self.stem(x))
        return self.head(torch.flatten(self.pool(x), 1))
'''
    )


def test_attention_is_raised_and_sizes_stay_open(tmp_path: Path) -> None:
    file = File(("tokens", ["batch", "length", 8]))
    value = "tokens"
    qkv = file.node("MatMul", value, file.weight("qkv", 8, 24), scope="/attn/qkv")
    qkv = file.node("Add", qkv, file.weight("attn.qkv.bias", 24), scope="/attn/qkv")
    parts = file.node("Split", qkv, scope="/attn", outputs=3, axis=2)
    shape = file.node("Shape", "tokens", scope="/attn")
    heads = file.constant("heads", np.array([2, 4], np.int64))
    ends = [file.constant(f"end{number}", np.array([number], np.int64)) for number in (0, 2)]
    sizes = file.node("Concat", file.node("Slice", shape, *ends, scope="/attn"), heads, scope="/attn", axis=0)
    q, k, v = (
        file.node("Transpose", file.node("Reshape", part, sizes, scope="/attn"), scope="/attn", perm=[0, 2, 1, 3])
        for part in parts
    )
    turned = file.node("Transpose", k, scope="/attn", perm=[0, 1, 3, 2])
    scores = file.node("Div", file.node("MatMul", q, turned, scope="/attn"), file.constant("scale", np.float32(2)))
    mixed = file.node("MatMul", file.node("Softmax", scores, scope="/attn", axis=-1), v, scope="/attn")
    whole = file.node("Concat", file.node("Slice", shape, *ends), file.constant("all", np.array([8], np.int64)), axis=0)
    mixed = file.node("Reshape", file.node("Transpose", mixed, scope="/attn", perm=[0, 2, 1, 3]), whole, scope="/attn")
    path = file.write(tmp_path / "attention.onnx", mixed)
    result = check(path, tokens=numbers(2, 5, 8))
    check(path, tokens=numbers(3, 7, 8))
    assert "F.scaled_dot_product_attention(q, k, v)" in result.source
    assert "self.qkv = nn.Linear(8, 24)" in result.source


@pytest.mark.parametrize("form", ["gelu", "tanh", "silu", "hard_swish", "layer_norm", "group_norm"])
def test_what_is_written_out_is_raised(tmp_path: Path, form: str) -> None:
    file = File(("x", ["batch", 6, 4]))

    def number(value: float) -> str:
        return file.constant(f"c{len(file.tensors)}", np.float32(value))

    def op(name: str, *inputs: str, **attributes: Any) -> Any:
        return file.node(name, *inputs, scope="/act", **attributes)

    if form == "gelu":
        inner = op("Add", op("Erf", op("Div", "x", number(2**0.5))), number(1))
        result, layer = op("Mul", op("Mul", "x", inner), number(0.5)), "nn.GELU()"
    elif form == "tanh":
        cube = op("Mul", op("Pow", "x", number(3)), number(0.044715))
        inner = op("Tanh", op("Mul", op("Add", "x", cube), number((2 / np.pi) ** 0.5)))
        result, layer = (
            op("Mul", op("Mul", number(0.5), "x"), op("Add", number(1), inner)),
            'nn.GELU(approximate="tanh")',
        )
    elif form == "silu":
        result, layer = op("Mul", "x", op("Sigmoid", "x")), "nn.SiLU()"
    elif form == "hard_swish":
        inner = op("Clip", op("Add", "x", number(3)), number(0), number(6))
        result, layer = op("Div", op("Mul", "x", inner), number(6)), "nn.Hardswish()"
    elif form == "layer_norm":
        gap = op("Sub", "x", op("ReduceMean", "x", axes=[-1]))
        spread = op("ReduceMean", op("Pow", gap, number(2)), axes=[-1])
        normal = op("Div", gap, op("Sqrt", op("Add", spread, number(1e-5))))
        result = op("Add", op("Mul", normal, file.weight("act.weight", 4)), file.weight("act.bias", 4))
        layer = "nn.LayerNorm(4)"
    else:
        grouped = op("Reshape", "x", file.constant("apart", np.array([0, 2, -1], np.int64)))
        ones = file.constant("ones", np.ones(2, np.float32)), file.constant("zeros", np.zeros(2, np.float32))
        normal = op("InstanceNormalization", grouped, *ones)
        normal = op("Reshape", normal, file.constant("back", np.array([-1, 6, 4], np.int64)))
        result = op("Add", op("Mul", normal, file.weight("act.weight", 6, 1)), file.weight("act.bias", 6, 1))
        layer = "nn.GroupNorm(2, 6)"
    source = check(file.write(tmp_path / "act.onnx", result), x=numbers(3, 6, 4)).source
    assert f"self.act = {layer}" in source or f"self.norm = {layer}" in source


def test_gates_of_recurrent_layers_are_put_in_order(tmp_path: Path) -> None:
    file = File(("x", [5, "batch", 3]))
    weights = [file.weight("w", 1, 16, 3), file.weight("r", 1, 16, 4), file.weight("b", 1, 32)]
    out, hidden, cell = file.node("LSTM", "x", *weights, outputs=3, hidden_size=4)
    result = check(file.write(tmp_path / "lstm.onnx", out, hidden, cell), x=numbers(5, 2, 3))
    assert "out, (hidden, cell) = self.lstm(x)" in result.source


def test_a_list_of_modules_is_called_in_a_loop(tmp_path: Path) -> None:
    file = File(("x", ["batch", 4]), ("scale", ["batch", 4]))
    value = "x"
    for number in range(3):
        scope = f"/layers.{number}"
        inner = file.node("MatMul", value, file.weight(f"w{number}", 4, 4), scope=f"{scope}/linear")
        value = file.node("Mul", file.node("Tanh", inner, scope=scope), "scale", scope=scope)
    source = check(file.write(tmp_path / "loop.onnx", value), x=numbers(2, 4), scale=numbers(2, 4)).source
    assert "for layer in self.layers:\n            x = layer(x, scale)\n" in source
    assert "nn.ModuleList([" in source and "for _ in range(3)]" in source


def test_an_operator_without_code_raises_at_its_place(tmp_path: Path) -> None:
    file = File(("x", ["batch", 4]))
    value = file.node("Gemm", "x", file.weight("w", 4, 4), scope="/linear")
    value = file.node("Custom", value, domain="com.example")
    result, _ = recovered(file.write(tmp_path / "custom.onnx", value))
    assert result.missing == ("com.example.Custom: there is no code for this operator",)
    assert "raise NotImplementedError('com.example.Custom: there is no code for this operator')" in result.source
    assert "self.linear = nn.Linear(4, 4, bias=False)" in result.source


def test_names_of_a_file_are_never_code(tmp_path: Path) -> None:
    file = File(("x'); import os #", ["batch", 4]))
    hostile = '"""\nimport os\n"""'
    inner = file.node("Gemm", "x'); import os #", file.weight(hostile, 4, 4), scope=f"/a.b\nc/{hostile}/class")
    inner = file.node("Add", inner, file.weight("__class__", 4), scope=f"/a.b\nc/{hostile}")
    path = file.write(tmp_path / "x = 1\nimport os #.onnx", file.node("Relu", inner, scope="/0"))
    result, weights = recovered(path)
    tree = ast.parse(result.source)
    assert {name.name for each in tree.body if isinstance(each, ast.Import) for name in each.names} <= {
        "torch",
        "torch.nn.functional",
    }
    assert network(result, weights)(torch.zeros(2, 4)).shape == (2, 4)


def test_the_command_writes_code_and_weights(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = residual_network(tmp_path)
    code, weights = tmp_path / "net.py", tmp_path / "net.safetensors"
    assert cli.main(["recover", path, "-o", str(code), "--weights", str(weights)]) == 0
    assert 'def load(path: str = "net.safetensors") -> Net:' in code.read_text()
    assert weights.stat().st_size > 1000
    assert capsys.readouterr().err == ""


def test_a_file_without_a_graph_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "model.py"
    target.write_text("x = 1\n")
    assert cli.main(["recover", str(target), "--weights", str(tmp_path / "w.safetensors")]) == 2
    assert "no network found" in capsys.readouterr().err
    assert [each.name for each in tmp_path.iterdir()] == ["model.py"]


def test_a_graph_without_scopes_gets_blocks(tmp_path: Path) -> None:
    file = File(("x", ["batch", 4, 8, 8]))

    def layer(value: str, out: int, width: int) -> str:
        return file.node("Conv", value, file.weight(f"w{len(file.tensors)}", out, width, 3, 3), pads=[1, 1, 1, 1])

    value = "x"
    for _ in range(4):
        inner = file.node("Relu", layer(value, 4, 4))
        value = file.node("Relu", file.node("Add", layer(inner, 4, 4), value))
    value = file.node("Flatten", file.node("GlobalAveragePool", value))
    value = file.node("Softmax", file.node("Gemm", value, file.weight("w", 4, 3)))
    source = check(file.write(tmp_path / "flat.onnx", value), x=numbers(2, 4, 8, 8)).source
    assert "self.blocks = nn.Sequential(*[ResidualBlock() for _ in range(4)])" in source
    assert "self.head = nn.Sequential(" in source


def test_constants_of_equal_shape_are_not_one_weight(tmp_path: Path) -> None:
    file = File(("x", ["batch", 4]))
    value = "x"
    for number in range(2):
        content = np.random.default_rng(number).standard_normal((4, 4)).astype(np.float32)
        weight = file.node("Constant", value=onnx_tensor(content))
        value = file.node("Relu", file.node("MatMul", value, weight))
    check(file.write(tmp_path / "constants.onnx", value), x=numbers(2, 4))


def test_stored_whole_numbers_become_real_with_their_scales(tmp_path: Path) -> None:
    file = File(("x", ["batch", 4]), opset=21)
    whole = file.constant("w", np.arange(12, dtype=np.int8).reshape(4, 3) - 6)
    scales = file.constant("scales", np.array([0.5, 0.25, 2.0], np.float32))
    real = file.node("DequantizeLinear", whole, scales, axis=1)
    source = check(file.write(tmp_path / "whole.onnx", file.node("MatMul", "x", real)), x=numbers(2, 4)).source
    assert "nn.Linear(4, 3, bias=False)" in source


def test_joins_that_grow_are_a_loop(tmp_path: Path) -> None:
    file = File(("x", ["batch", 2, 4, 4]))
    features = ["x"]
    for number in range(1, 5):
        scope = f"/block/unit{number}"
        value = features[0]
        if len(features) > 1:
            value = file.node("Concat", *features, scope=scope, axis=1)
        weight = file.weight(f"block.unit{number}.conv.weight", 2, 2 * number, 3, 3)
        value = file.node("Conv", value, weight, scope=f"{scope}/conv", pads=[1, 1, 1, 1])
        features.append(file.node("Tanh", value, scope=scope))
    value = file.node("Concat", *features, scope="/block", axis=1)
    source = check(file.write(tmp_path / "dense.onnx", value), x=numbers(2, 2, 4, 4)).source
    assert "self.units = nn.ModuleList([Unit(2 + 2 * i) for i in range(4)])" in source
    assert "for layer in self.units:\n            x = torch.cat([x, layer(x)], dim=1)\n" in source


def test_what_nothing_makes_has_no_code(tmp_path: Path) -> None:
    file = File(("x", ["batch", 4]))
    value = file.node("Add", file.node("Gemm", "x", file.weight("w", 4, 4)), "nowhere")
    result, _ = recovered(file.write(tmp_path / "hole.onnx", value, "nowhere either"))
    assert result.missing == ("+: nothing makes one of its inputs", "nothing makes an output of the graph")
    compile(result.source, "hole.py", "exec")


@pytest.mark.parametrize("name", ["1", "07", "٣", "²", "class", '");import os#'])
def test_names_of_a_file_become_identifiers_whatever_they_are(name: str, tmp_path: Path) -> None:
    file = File(("image", [2, 3, 6, 6]))
    value = file.node("Conv", "image", file.weight("w", 4, 3, 1, 1), scope=f"/{name}/{name}")
    value = file.node("Relu", value, scope=f"/{name}/{name}.0")
    value = file.node("Conv", value, file.weight("v", 4, 4, 1, 1), scope=f"/{name}/{name}.1/{name}")
    check(file.write(tmp_path / "net.onnx", value), image=numbers(2, 3, 6, 6))


def test_a_sequence_with_names_and_numbers_is_valid_code(tmp_path: Path) -> None:
    file = File(("image", [2, 3, 6, 6]))
    value = file.node("Conv", "image", file.weight("w", 4, 3, 3, 3), scope="/a/b/c/a")
    value = file.node("Relu", value, scope="/a/b/c/0")
    value = file.node("Conv", value, file.weight("v", 4, 4, 1, 1), scope="/a/b/c/1/a/b")
    check(file.write(tmp_path / "net.onnx", value), image=numbers(2, 3, 6, 6))


def test_what_a_layer_makes_has_no_number(tmp_path: Path) -> None:
    keras = pytest.importorskip("keras")
    layers = keras.layers
    inputs = keras.Input((8, 8, 3))
    one = layers.BatchNormalization()(layers.Conv2D(4, 3, padding="same")(inputs))
    two = layers.BatchNormalization()(layers.Conv2D(4, 3, padding="same")(one))
    path = str(tmp_path / "small_net.keras")
    keras.Model(inputs, layers.Concatenate()([one, two])).save(path)
    source = recover(path).source
    assert "class SmallNet(nn.Module)" in source
    assert not [line for line in source.partition("def forward")[2].splitlines() if re.match(r"\s+\w*\d\w* = ", line)]
