"""Code that is recovered from files of PyTorch and Keras, for either framework: both compute what the file does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from torch import nn  # noqa: E402

from cutaway._recovery_api import check_recovered, recover  # noqa: E402
from cutaway.core.error import CutawayError  # noqa: E402

TOLERANCE = 1e-4


def network() -> Any:
    torch.manual_seed(1)
    return nn.Sequential(
        nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 4)
    ).eval()  # fmt: skip


@pytest.mark.parametrize("form", ["trace", "export", "pickle"])
def test_a_file_of_torch_becomes_code_that_computes_the_same(form: str, tmp_path: Path) -> None:
    path, inputs = tmp_path / ("net.pt2" if form == "export" else "net.pt"), (torch.randn(2, 3, 16, 16),)
    if form == "trace":
        torch.jit.trace(network(), inputs).save(path)
    elif form == "export":
        torch.export.save(torch.export.export(network(), inputs), path)
    else:
        torch.save(network(), path)
    result = recover(str(path))
    assert not result.missing and not result.different
    assert "nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False)" in result.source
    if form != "pickle":  # whose inputs are inferred
        assert check_recovered(str(path)) <= TOLERANCE


def test_code_of_torch_is_written_for_keras_with_channels_last(tmp_path: Path) -> None:
    pytest.importorskip("keras")
    path = tmp_path / "net.pt"
    torch.jit.trace(network(), (torch.randn(2, 3, 16, 16),)).save(path)
    result = recover(str(path), to="keras")
    assert not result.missing and not result.different
    assert "layers.ZeroPadding2D(1)" in result.source  # not the padding that Keras calls "same"
    assert check_recovered(str(path), to="keras") <= TOLERANCE


@pytest.mark.parametrize("to", ["torch", "keras"])
def test_a_keras_file_becomes_code_of_either_framework(to: str, tmp_path: Path) -> None:
    keras = pytest.importorskip("keras")
    layers = keras.layers
    parts = [layers.Conv2D(4, 3, strides=2, padding="same"), layers.GroupNormalization(2), layers.Reshape((16, 4))]
    path = str(tmp_path / "net.keras")
    keras.Sequential([keras.Input((8, 8, 3)), *parts, layers.GRU(5), layers.Dense(2, "softmax")]).save(path)
    result = recover(path, to=to)
    assert not result.missing and not result.different
    assert check_recovered(path, to=to) <= TOLERANCE


def test_an_operation_without_code_raises_at_its_place(tmp_path: Path) -> None:
    @torch.library.custom_op("example::twice", mutates_args=())
    def twice(x: torch.Tensor) -> torch.Tensor:
        return x * 2

    @twice.register_fake
    def _(x: torch.Tensor) -> torch.Tensor:
        return torch.empty_like(x)

    class Net(nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.relu(twice(x))

    path = tmp_path / "net.pt2"
    torch.export.save(torch.export.export(Net(), (torch.randn(2, 3),)), path)
    result = recover(str(path))
    assert len(result.missing) == 1
    assert "raise NotImplementedError('example.twice.default: " in result.source
    assert "F.relu(x)" in result.source


class Changes(nn.Module):
    """Changes a tensor through views of it, by an index, and by another tensor."""

    def forward(self, x: Any) -> Any:
        y = x * 2
        y[:, 1:3].mul_(5)
        y[0, 0] = 1.5
        z = torch.zeros(2, 4)
        z.copy_(x)
        z.view(4, 2).add_(y.reshape(4, 2))
        return torch.relu_(y) + y + z


@pytest.mark.parametrize("form", ["trace", "export"])
def test_changes_of_a_tensor_through_its_views_are_seen_by_all_that_read_it(form: str, tmp_path: Path) -> None:
    path, inputs = tmp_path / ("net.pt2" if form == "export" else "net.pt"), (torch.randn(2, 4),)
    if form == "trace":
        torch.jit.trace(Changes(), inputs, check_trace=False).save(path)
    else:
        torch.export.save(torch.export.export(Changes(), inputs), path)
    result = recover(str(path))
    assert not result.missing and not result.different
    assert check_recovered(str(path)) <= TOLERANCE


def test_a_change_through_a_view_without_code_is_not_left_out(tmp_path: Path) -> None:
    source = tmp_path / "net.py"
    source.write_text(
        "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        y = x * 2\n"
        "        y.expand(3, 2, 3).diagonal().zero_()\n        return y\n"
    )
    result = recover(f"{source}::Net", input="2x3")
    assert len(result.missing) == 1


@pytest.fixture(scope="module")
def saved_model(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A network of Keras in the formats of TensorFlow; normalisation is written out in them."""
    keras = pytest.importorskip("keras")
    tensorflow = pytest.importorskip("tensorflow")
    layers = keras.layers
    inputs = keras.Input((8, 8, 3))
    x = layers.Conv2D(4, 3, strides=2, padding="same")(inputs)
    x = layers.Add()([x, layers.ReLU()(layers.BatchNormalization()(layers.Conv2D(4, 3, padding="same")(x)))])
    x = layers.LayerNormalization()(layers.Reshape((16, 4))(layers.Conv2DTranspose(4, 3, padding="same")(x)))
    x = layers.GlobalAveragePooling1D()(layers.MultiHeadAttention(2, 4)(x, x))
    network = keras.Model(inputs, layers.Dense(2, "softmax")(x))
    for weight in network.weights:
        if "moving_variance" in weight.path:
            weight.assign(keras.random.uniform(weight.shape, 0.5, 1.5))
        elif len(weight.shape) == 1 and "seed" not in weight.path:
            weight.assign(keras.random.normal(weight.shape, 0.5, 0.3))
    folder = tmp_path_factory.mktemp("saved")
    network.export(str(folder / "net"), verbose=False)
    call = tensorflow.function(lambda x: network(x, training=False))
    concrete = call.get_concrete_function(tensorflow.TensorSpec((None, 8, 8, 3)))
    from tensorflow.python.framework.convert_to_constants import convert_variables_to_constants_v2

    frozen = convert_variables_to_constants_v2(concrete).graph.as_graph_def()
    (folder / "net.pb").write_bytes(frozen.SerializeToString())
    return folder


@pytest.mark.parametrize("name", ["net", "net.pb"])
def test_a_graph_of_tensorflow_becomes_layers(name: str, saved_model: Path) -> None:
    path = str(saved_model / name)
    result = recover(path)
    assert not result.missing and not result.different
    for layer in ("nn.BatchNorm2d(4, eps=0.001)", "nn.LayerNorm(4, eps=0.001)", "F.scaled_dot_product_attention("):
        assert layer in result.source
    assert check_recovered(path) <= TOLERANCE


class Inner(nn.Module):
    """Has a part that is run without gradients, and indices of several forms."""

    def forward(self, x: Any, i: Any) -> Any:
        with torch.no_grad():
            y = torch.cos(x) * 2
        return y[:, i] + x[i].T, x[i, i], torch.diff(x, prepend=y[:, :1])


def test_graphs_inside_an_exported_program_and_its_indices_become_code(tmp_path: Path) -> None:
    path = tmp_path / "net.pt2"
    torch.export.save(torch.export.export(Inner(), (torch.randn(4, 4), torch.tensor([0, 2, 1]))), path)
    result = recover(str(path))
    assert not result.missing and not result.different
    assert check_recovered(str(path)) <= TOLERANCE


class _Places(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        return x[[0, 1]], x[0, 1], x[:, [0, 2]]


class _Scaled(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        product = torch.addmm(x, x[:, :2], x[:, :6], beta=0.5, alpha=2.0)
        return product, nn.functional.softplus(x, 2.0, 5.0), x.round(decimals=1)


class _Written(nn.Module):
    def forward(self, x: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        index = torch.zeros(2, 1, dtype=torch.long)
        y = x.clone()
        y[torch.tensor([1])] = 3.0
        return x.scatter(1, index, 9.0), y


class _Chunks(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x.clone()
        left, _, right = x.chunk(3, dim=1)
        left += right
        right.mul_(2)
        return x


@pytest.mark.parametrize("kind", [_Places, _Scaled, _Written, _Chunks])
@pytest.mark.parametrize("form", ["script", "export"])
def test_operations_of_torch_become_code_that_computes_the_same(kind: Any, form: str, tmp_path: Path) -> None:
    path, x = tmp_path / ("net.pt2" if form == "export" else "net.pt"), torch.randn(2, 6)
    if form == "script":
        torch.jit.script(kind()).save(path)
    else:
        torch.export.save(torch.export.export(kind(), (x,)), path)
    asked = {"input": ["2x6"]} if form == "script" else {}
    assert not recover(str(path), **asked).missing
    assert check_recovered(str(path), **asked) <= TOLERANCE


def test_a_list_as_an_index_takes_several_places(tmp_path: Path) -> None:
    path = tmp_path / "net.py"
    body = "class Net(nn.Module):\n    def forward(self, x):\n        return x[[0, 1]], x[0, 1], x[:, [0, 2]]\n"
    path.write_text(f"from torch import nn\n\n\n{body}")
    source = recover(f"{path}::Net", input=["2x6"]).source
    assert "x[[0, 1]]" in source
    assert "x[0, 1]" in source
    assert "x[:, [0, 2]]" in source


class _Causal(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        places = torch.arange(x.shape[1])
        mask = places[None, :] > places[:, None]
        return (x[:, :, None] * x[:, None, :]).masked_fill(mask, float("-inf")).softmax(-1)


def test_sizes_that_an_exported_program_computes_stay_open(tmp_path: Path) -> None:
    path = tmp_path / "net.pt2"
    shapes = ({0: torch.export.Dim("batch"), 1: torch.export.Dim("length")},)
    torch.export.save(torch.export.export(_Causal(), (torch.randn(3, 5),), dynamic_shapes=shapes), path)
    assert "torch.arange(x.size(1)" in recover(str(path)).source
    assert check_recovered(str(path)) <= TOLERANCE


def test_a_slice_to_the_end_of_an_open_size_is_followed(tmp_path: Path) -> None:
    class Part(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x[:, 1:] * 2

    path = tmp_path / "net.pt"
    torch.jit.trace(Part(), (torch.randn(2, 6),)).save(path)
    assert not recover(str(path)).missing
    assert check_recovered(str(path)) <= TOLERANCE


SOURCE = """import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 4, 3)
        self.head = nn.Linear(4, 2)

    def forward(self, x):
        return self.head(torch.relu(self.conv(x)).mean((2, 3)))
"""


@pytest.mark.parametrize("form", ["pth", "nested", "safetensors"])
@pytest.mark.parametrize("to", ["torch", "keras"])
def test_source_gets_its_weights_from_a_checkpoint(to: str, form: str, tmp_path: Path) -> None:
    if to == "keras":
        pytest.importorskip("keras")
    from safetensors.torch import save_file

    source = tmp_path / "net.py"
    source.write_text(SOURCE)
    namespace: dict[str, Any] = {}
    exec(SOURCE, namespace)
    state = namespace["Net"]().state_dict()
    checkpoint = tmp_path / ("weights.safetensors" if form == "safetensors" else "weights.pth")
    if form == "safetensors":
        save_file(state, checkpoint)
    else:
        torch.save(state if form == "pth" else {"state_dict": state, "epoch": 3}, checkpoint)
    target, shape = f"{source}::Net", "2x3x8x8"
    weights = tmp_path / "out.safetensors"
    with open(weights, "wb") as file:
        result = recover(
            target, to=to, input=shape, checkpoint=str(checkpoint), weights=str(weights), weights_file=file
        )
    assert not result.missing and not result.different
    if form == "pth":
        assert check_recovered(target, to=to, input=shape, checkpoint=str(checkpoint)) <= TOLERANCE


def test_a_checkpoint_of_another_network_is_refused(tmp_path: Path) -> None:
    source = tmp_path / "net.py"
    source.write_text(SOURCE)
    torch.save({"conv.weight": torch.zeros(4, 3, 3, 3)}, tmp_path / "weights.pth")
    with pytest.raises(CutawayError, match=r"does not have conv\.bias and 2 more"):
        recover(f"{source}::Net", input="2x3x8x8", checkpoint=str(tmp_path / "weights.pth"))


def test_a_running_network_is_recovered_with_its_weights(tmp_path: Path) -> None:
    source = tmp_path / "net.py"
    source.write_text(SOURCE)
    for target, live in ((f"{source}::Net", True), (network(), False)):
        weights = tmp_path / "out.safetensors"
        with open(weights, "wb") as file:
            result = recover(target, live=live, input="2x3x8x8", weights=str(weights), weights_file=file)
        assert not result.missing and not result.different
        assert "nn.Conv2d(3, " in result.source
    assert check_recovered(f"{source}::Net", live=True, input="2x3x8x8") <= TOLERANCE


@pytest.mark.parametrize("kind", ["LSTM", "GRU"])
@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("form", ["onnx", "export"])
def test_a_recurrent_layer_has_its_batch_first_where_the_original_has(
    kind: str, both: bool, form: str, tmp_path: Path
) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.rnn = getattr(nn, kind)(4, 6, batch_first=True, bidirectional=both)

        def forward(self, x: Any) -> Any:
            out, _ = self.rnn(x)
            return out[:, -1]

    model, inputs = Net().eval(), (torch.randn(2, 5, 4),)
    path = tmp_path / {"onnx": "net.onnx", "export": "net.pt2"}[form]
    if form == "onnx":
        torch.onnx.export(model, inputs, str(path), dynamo=False, input_names=["x"])
    else:
        torch.export.save(torch.export.export(model, inputs), path)
    result = recover(str(path))
    assert "batch_first=True" in result.source
    assert result.source.count("transpose") == 0
    assert check_recovered(str(path)) <= TOLERANCE


def test_a_part_that_only_some_blocks_have_is_not_told_by_the_name_of_its_class(tmp_path: Path) -> None:
    class Gelu(nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.sin(x) * torch.cos(x) + torch.exp(-x * x)

    class Block(nn.Module):
        def __init__(self, has_gelu: bool) -> None:
            super().__init__()
            self.one, self.two = nn.Linear(4, 4), nn.Linear(4, 4)
            self.Gelu = Gelu() if has_gelu else nn.Identity()

        def forward(self, x: Any) -> Any:
            return self.two(self.Gelu(self.one(x)) * 2) + x

    path = tmp_path / "net.pt2"
    model = nn.Sequential(*[Block(place % 2 == 0) for place in range(4)])
    torch.export.save(torch.export.export(model, (torch.randn(2, 4),)), path)
    assert check_recovered(str(path)) <= TOLERANCE


def test_gelu_is_raised_from_the_complement_of_erf(tmp_path: Path) -> None:
    class Net(nn.Module):
        def forward(self, x: Any) -> Any:
            return 0.5 * x * torch.erfc(-x * 0.7071067811865476)

    path = tmp_path / "net.pt2"
    torch.export.save(torch.export.export(Net(), (torch.randn(2, 4),)), path)
    assert "gelu" in recover(str(path)).source.lower()
    assert check_recovered(str(path)) <= TOLERANCE


def test_a_linear_layer_around_which_rows_are_joined_is_one_of_all_dimensions(tmp_path: Path) -> None:
    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.head = nn.Linear(4, 5)

        def forward(self, x: Any) -> Any:
            return self.head(x.reshape(-1, 4)).reshape(2, 3, 5) * 2

    path = tmp_path / "net.pt2"
    torch.export.save(torch.export.export(Net(), (torch.randn(2, 3, 4),)), path)
    assert "reshape" not in recover(str(path)).source
    assert check_recovered(str(path)) <= TOLERANCE
