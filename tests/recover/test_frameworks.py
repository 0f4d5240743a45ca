"""Code that is recovered from files of PyTorch and Keras, for either framework: both compute what the file does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("safetensors")

from torch import nn  # noqa: E402

from cutaway._api import check_recovered, recover  # noqa: E402

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
    source = tmp_path / "net.py"
    source.write_text(
        "import torch\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        x[:, 0] = 0\n        return x\n"
    )
    result = recover(f"{source}::Net", input="2x3")
    assert len(result.missing) == 1
    assert "raise NotImplementedError(" in result.source
