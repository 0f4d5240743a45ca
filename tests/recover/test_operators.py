"""Operators of ONNX whose settings decide what the code is: each computes what the reference implementation does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

np = pytest.importorskip("numpy")
torch = pytest.importorskip("torch")
pytest.importorskip("onnx")

from cutaway._recovery_api import recover  # noqa: E402
from tests.recover.files import File, evaluated  # noqa: E402
from tests.recover.test_recover import network, numbers, recovered  # noqa: E402


def computed(path: str, **inputs: Any) -> str:
    """Compare what recovered code and the file compute; return the code, or why there is none."""
    result, weights = recovered(path)
    if result.missing:
        return result.missing[0]
    with torch.no_grad():
        returned = network(result, weights)(*map(torch.from_numpy, inputs.values()))
    for one, other in zip(evaluated(path, inputs), returned if isinstance(returned, tuple) else (returned,)):
        assert one.dtype == other.numpy().dtype
        np.testing.assert_allclose(other.numpy(), one, rtol=1e-4, atol=1e-5)
    return result.source


@pytest.mark.parametrize("axes", [[0, 1], [1, 2], [0, 2], [0, 1, 2]])
@pytest.mark.parametrize("keep", [0, 1])
def test_a_product_along_several_dimensions_takes_the_last_first(axes: list[int], keep: int, tmp_path: Path) -> None:
    file = File(("x", [2, 3, 4]), opset=13)
    out = file.node("ReduceProd", "x", axes=axes, keepdims=keep)
    assert ".prod(" in computed(file.write(tmp_path / "net.onnx", out), x=numbers(2, 3, 4))


def test_activations_of_only_one_direction_are_no_layer(tmp_path: Path) -> None:
    file = File(("x", [5, 2, 4]))
    weights = file.weight("w", 2, 3, 4), file.weight("r", 2, 3, 3)
    out = file.node("RNN", "x", *weights, hidden_size=3, direction="bidirectional", activations=["Tanh", "Relu"])
    assert "activations" in computed(file.write(tmp_path / "net.onnx", out), x=numbers(5, 2, 4))


def test_a_layer_that_runs_backwards_turns_its_input_and_output(tmp_path: Path) -> None:
    file = File(("x", [5, 2, 4]))
    weights = file.weight("w", 1, 12, 4), file.weight("r", 1, 12, 3)
    out = file.node("LSTM", "x", *weights, hidden_size=3, direction="reverse")
    assert "torch.flip" in computed(file.write(tmp_path / "net.onnx", out), x=numbers(5, 2, 4))


@pytest.mark.parametrize("rounding", ["floor", "ceil", "round_prefer_floor", "round_prefer_ceil"])
@pytest.mark.parametrize("where", ["half_pixel", "asymmetric", "align_corners"])
@pytest.mark.parametrize("scale", [2.0, 3.0, 0.5, 1.5])
def test_neighbours_are_those_of_the_file_or_there_is_no_code(
    rounding: str, where: str, scale: float, tmp_path: Path
) -> None:
    file = File(("x", [1, 2, 8, 6]), opset=18)
    scales = file.constant("scales", np.array([1, 1, scale, scale], np.float32))
    settings = {"coordinate_transformation_mode": where, "nearest_mode": rounding}
    out = file.node("Resize", "x", "", scales, mode="nearest", **settings)
    text = computed(file.write(tmp_path / "net.onnx", out), x=numbers(1, 2, 8, 6))
    assert "F.interpolate" in text or rounding in text


@pytest.mark.parametrize("kind", [np.float64, np.float16])
def test_a_layer_has_the_element_type_of_its_weights(kind: Any, tmp_path: Path) -> None:
    file = File(("x", [2, 4]))
    file.inputs[0].type.tensor_type.elem_type = {np.float64: 11, np.float16: 10}[kind]
    out = file.node("MatMul", "x", file.constant("w", numbers(4, 3).astype(kind)))
    assert f"dtype=torch.{np.dtype(kind).name}" in recover(file.write(tmp_path / "net.onnx", out)).source


def test_whole_numbers_are_not_the_weights_of_a_layer(tmp_path: Path) -> None:
    file = File(("x", [2, 4]), dtype="int64")
    out = file.node("MatMul", "x", file.constant("w", np.arange(12).reshape(4, 3)))
    assert "nn.Linear" not in computed(file.write(tmp_path / "net.onnx", out), x=np.arange(8).reshape(2, 4))


def test_axes_that_only_a_run_tells_are_read_from_their_tensor(tmp_path: Path) -> None:
    file = File(("x", [2, 3, 4]), ("axes", [2]))
    file.inputs[1].type.tensor_type.elem_type = 7
    out = file.node("ReduceSum", "x", "axes", keepdims=0)
    text = computed(file.write(tmp_path / "net.onnx", out), x=numbers(2, 3, 4), axes=np.array([0, 2]))
    assert "dim=axes.tolist()" in text


@pytest.mark.parametrize(("start", "end", "step"), [(5, 0, -1), (-1, -100, -2), (6, 2, -2), (-3, -1, 1)])
def test_a_slice_takes_the_same_places_in_the_same_order(start: int, end: int, step: int, tmp_path: Path) -> None:
    file = File(("x", [2, 8]))
    bounds = [file.constant(name, [value]) for name, value in zip("seat", (start, end, 1, step))]
    computed(file.write(tmp_path / "net.onnx", file.node("Slice", "x", *bounds)), x=numbers(2, 8))


def test_a_mean_of_windows_does_not_count_what_was_added_on_one_side(tmp_path: Path) -> None:
    file = File(("x", [1, 2, 7, 7]))
    out = file.node("AveragePool", "x", kernel_shape=[3, 3], strides=[2, 2], pads=[0, 0, 1, 1])
    assert "torch.ones_like" in computed(file.write(tmp_path / "net.onnx", out), x=numbers(1, 2, 7, 7))


def test_a_weight_that_is_broadcast_is_not_that_of_a_layer(tmp_path: Path) -> None:
    file = File(("x", [2, 3, 4]))
    out = file.node("LayerNormalization", "x", file.weight("w", 1))
    assert "F.layer_norm" in computed(file.write(tmp_path / "net.onnx", out), x=numbers(2, 3, 4))


@pytest.mark.parametrize("per_channel", [False, True])
def test_a_convolution_of_whole_numbers_becomes_one_of_real_ones(per_channel: bool, tmp_path: Path) -> None:
    file = File(("x", [1, 2, 5, 5]))
    file.inputs[0].type.tensor_type.elem_type = 2
    scales = np.array([0.02, 0.03, 0.05], np.float32) if per_channel else np.float32(0.02)
    zeros = np.zeros(3, np.int8) if per_channel else np.int8(0)
    weights = file.random.integers(-90, 90, (3, 2, 3, 3)).astype(np.int8)
    given = {"xs": np.float32(0.1), "xz": np.uint8(7), "w": weights, "ws": scales, "wz": zeros, "ys": np.float32(0.9),
             "yz": np.uint8(120), "b": np.array([50, -20, 9], np.int32)}  # fmt: skip
    out = file.node("QLinearConv", "x", *(file.constant(name, value) for name, value in given.items()))
    x = file.random.integers(0, 255, (1, 2, 5, 5)).astype(np.uint8)
    assert "nn.Conv2d(2, 3, 3)" in computed(file.write(tmp_path / "net.onnx", out), x=x)


@pytest.mark.parametrize("op", ["QLinearAdd", "QLinearMul"])
def test_operators_on_whole_numbers_are_made_real_and_whole_again(op: str, tmp_path: Path) -> None:
    file = File(("x", [2, 3]), ("y", [2, 3]))
    for each in file.inputs:
        each.type.tensor_type.elem_type = 2
    given = {"s": np.float32(0.1), "z": np.uint8(7), "t": np.float32(0.5), "u": np.uint8(0)}
    names = [file.constant(name, value) for name, value in given.items()]
    out = file.node(op, "x", *names[:2], "y", *names[:2], *names[2:], domain="com.microsoft")
    source = recover(file.write(tmp_path / "net.onnx", out)).source
    assert (".clamp(" in source or "torch.clamp" in source) and ".to(torch.uint8)" in source


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("largest", [0, 1])
def test_of_equal_numbers_the_first_are_the_largest(axis: int, largest: int, tmp_path: Path) -> None:
    file = File(("x", [4, 6]), opset=13)
    count = file.constant("k", np.array([3]))
    values, places = file.node("TopK", "x", count, outputs=2, axis=axis, largest=largest)
    x = np.zeros((4, 6), np.float32)
    x[1, 2] = x[3, 4] = 1.0
    path = file.write(tmp_path / "net.onnx", values, places)
    assert "stable=True" in computed(path, x=x)


def test_the_largest_numbers_alone_are_those_of_topk(tmp_path: Path) -> None:
    file = File(("x", [4, 6]), opset=13)
    values, _ = file.node("TopK", "x", file.constant("k", np.array([3])), outputs=2)
    assert "torch.topk(" in computed(file.write(tmp_path / "net.onnx", values), x=numbers(4, 6))


def test_an_index_may_count_from_the_end(tmp_path: Path) -> None:
    file = File(("x", [4, 6]), opset=13)
    index = file.constant("index", np.array([[-1, 0, 2, -4, 1, 3]]))
    taken = file.node("GatherElements", "x", index, axis=0)
    written = file.node("ScatterElements", "x", index, taken, axis=0)
    computed(file.write(tmp_path / "net.onnx", taken, written), x=numbers(4, 6))


def test_an_index_that_was_computed_is_taken_as_it_is(tmp_path: Path) -> None:
    file = File(("x", [4, 6]), opset=13)
    first = file.node("ArgMax", "x", axis=1, keepdims=1)
    path = file.write(tmp_path / "net.onnx", file.node("GatherElements", "x", first, axis=1))
    assert "%" not in computed(path, x=numbers(4, 6))


@pytest.mark.parametrize("op", ["ReduceMax", "ReduceMin"])
def test_the_largest_of_no_numbers_is_infinite(op: str, tmp_path: Path) -> None:
    file = File(("x", [2, 0, 3]), opset=13)
    out = file.node(op, "x", axes=[1])
    assert "torch.full" in computed(file.write(tmp_path / "net.onnx", out), x=numbers(2, 0, 3))


def test_a_computed_size_of_zero_keeps_that_of_the_input(tmp_path: Path) -> None:
    file = File(("x", [2, 3, 4]), ("shape", [3]), opset=13)
    sizes = file.node("Cast", "shape", to=7)
    computed(
        file.write(tmp_path / "net.onnx", file.node("Reshape", "x", sizes)),
        x=numbers(2, 3, 4),
        shape=np.array([4, 0, -1], np.float32),
    )


def test_numbers_after_a_place_without_code_are_their_own(tmp_path: Path) -> None:
    file = File(("x", [1, 3]), ("shape", [2]), opset=13)
    sizes = file.node("Cast", "shape", to=7)
    spread = file.node("Expand", "x", sizes)
    out = file.node("LeakyRelu", file.node("Add", spread, file.constant("two", np.float32(2.5))), alpha=0.25)
    result, _ = recovered(file.write(tmp_path / "net.onnx", file.node("Transpose", out, perm=[1, 0])))
    assert "no tensor at hand has the size" in result.missing[0]
    assert "missing_expand(x)" in result.source
    assert "+ 2.5" in result.source and "0.25)" in result.source
