"""The summary in the form that `model.summary()` has."""

from __future__ import annotations

from pathlib import Path

import cutaway
from cutaway.report.summary import render

_SOURCE = """
import keras
from keras import layers


class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.convolve = layers.Conv2D(8, 5)
        self.norm = layers.BatchNormalization()
        self.spare = layers.Dense(3)

    def call(self, x):
        return self.norm(self.convolve(x))


model = Net()
"""


def test_a_subclassed_model_has_its_shapes(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(_SOURCE)
    (found,) = cutaway.show(f"{file}::model", input="2x28x28x1")
    lines = render([found], width=100, colour=False, unicode=False).splitlines()
    assert lines[4:7] == [
        "conv2d (Conv2D)                           (2, 24, 24, 8)      208",
        "batch_normalization (BatchNormalization)  (2, 24, 24, 8)       32",
        "dense (Dense)                             not called            0",
    ]
    assert lines[8:11] == ["Total params: 240 (960.00 B)", "Trainable params: 224", "Non-trainable params: 16"]


def test_a_module_with_the_name_of_an_input_is_not_called(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(
        "from torch import nn\n\n\nclass Net(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.x = nn.Linear(4, 8)\n        self.y = nn.Linear(4, 2)\n\n"
        "    def forward(self, x):\n        return self.y(x)\n"
    )
    network = cutaway.show(str(path), input=["3x4"])[0]
    for text in (render([network], width=80, colour=False, unicode=False), str(network)):
        (line,) = [line for line in text.splitlines() if "x: Linear" in line or line.startswith("x (Linear)")]
        assert "not called" in line


def test_a_path_is_a_target(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(_SOURCE)
    assert cutaway.show(file, path=tmp_path)[0].name == "model"
    assert "conv2d" in str(cutaway.summary(file, verbose=0))
