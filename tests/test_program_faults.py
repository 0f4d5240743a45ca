"""Faults of programs that no shape rule finds: what Python, and what the rest of PyTorch, refuses."""

from __future__ import annotations

from pathlib import Path

import pytest

from cutaway.checking.file_check import check_file
from cutaway.core.problem import Severity

SCHEDULE = "optimizer = torch.optim.SGD(layer.parameters(), 0.1)\ntorch.optim.lr_scheduler."
START = """\
import collections
import os
import sys

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn


class Empty(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)


def checked(stride):
    if stride not in (1, 2):
        raise ValueError(f"stride is {stride}")


layer = nn.Linear(3, 4)
x = torch.randn(2, 3)
"""


def errors(folder: Path, text: str, name: str = "program.py") -> list[str]:
    path = folder / name
    path.write_text(START + text)
    return [problem.code for problem in check_file(str(path)).problems if problem.severity is Severity.ERROR]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("range(4 / 2)", "wrong-type"),
        ("len(5)", "wrong-type"),
        ("isinstance(nn.Linear, layer)", "wrong-type"),
        ("for item in 5: pass", "wrong-type"),
        ("items = [item for item in 5]", "wrong-type"),
        ("checked(3)", "check-failed"),
        ("batch, channels, height = x.shape", "unpack-mismatch"),
        ("output, (h, c) = nn.GRU(3, 4)(torch.randn(5, 2, 3))", "unpack-mismatch"),
        ("Empty()(x)", "invalid-call"),
        ("layer(np.zeros((2, 3)))", "wrong-type"),
        ("nn.Sequential(layer, F.relu)", "wrong-type"),
        ("nn.Sequential([layer])", "wrong-type"),
        ("nn.ModuleList(layer)", "wrong-type"),
        ("layer.weight = torch.zeros(4, 3)", "wrong-type"),
        ("layer.register_buffer('weight', x)", "duplicate-name"),
        ("nn.LSTM(3, 0)", "invalid-argument"),
        ("torch.optim.SGD([], lr=0.1)", "invalid-argument"),
        ("torch.optim.SGD([layer], lr=0.1)", "wrong-type"),
        ("torch.utils.data.random_split(list(range(10)), [5, 6])", "different-lengths"),
        ("nn.Embedding(3, 2)(torch.tensor([5]))", "index-out-of-range"),
        ("F.one_hot(torch.tensor([3]), 2)", "index-out-of-range"),
        ("F.cross_entropy(layer(x), torch.tensor([0, 9]))", "index-out-of-range"),
        ("layer(np.random.randn(2, 3))", "wrong-type"),
        ("torch.relu(np.zeros(3))", "wrong-type"),
        ("F.mse_loss(x, np.zeros((2, 3)))", "wrong-type"),
        ("F.interpolate(x, scale_factors=2)", "unknown-argument"),
        ("torch.optim.Adam(layer.parameters(), learning_rate=0.1)", "unknown-argument"),
        ("torch.optim.Adam(layer.parameters(), lr=-1)", "invalid-argument"),
        ("torch.optim.lr_scheduler.StepLR(torch.optim.SGD(layer.parameters()))", "missing-argument"),
        ("torch.randn(2, 3, 4).transpose(1, 2).view(2, 12)", "shape-mismatch"),
        ("F.conv2d(torch.randn(1, 3, 4, 4), torch.randn(0, 3, 1, 1))", "invalid-argument"),
        ("for batch in torch.utils.data.DataLoader([torch.zeros(2), torch.zeros(3)], 2): pass", "ragged-data"),
        ("layer.load_state_dict(nn.Linear(3, 5).state_dict())", "shape-mismatch"),
        ("layer.load_state_dict({'weight': torch.zeros(4, 3)})", "missing-key"),
        ("torch.optim.SGD(layer, lr=0.1)", "wrong-type"),
        ("nn.Linear.parameters()", "wrong-call"),
        ("super(Empty, layer).train()", "wrong-call"),
        ("nn.Conv2d(3, (4, 4), 3)", "wrong-type"),
        ("np.zeros(3).double()", "no-such-attribute"),
        ("torch.zeros(2, 3).scatter_(1, 0.5, torch.zeros(2, 1).long())", "wrong-type"),
        ("layer(x).argmax(1).float().mean().backward()", "gradient-misuse"),
        ("with torch.no_grad():\n    y = layer(x).sum()\ny.backward()", "gradient-misuse"),
        (f"{SCHEDULE}MultiStepLR(optimizer, 10)", "wrong-type"),
        (f"{SCHEDULE}ReduceLROnPlateau(optimizer).step()", "missing-argument"),
        ("collections.OrderedDict(out=x).argmax(1)", "no-such-attribute"),
        ("weight = np.zeros((3, 1))\nweight -= np.random.rand(3, 9)", "shape-mismatch"),
        ("counts = np.random.randint(0, 9, (3,))\ncounts += np.random.rand(3)", "dtype-mismatch"),
        ("images = np.random.rand(8, 4, 4)\nimages[0] = np.random.rand(4, 5)", "shape-mismatch"),
    ],
)
def test_what_fails_is_an_error(tmp_path: Path, text: str, code: str) -> None:
    assert errors(tmp_path, text) == [code]


@pytest.mark.parametrize(
    "text",
    [
        "if len(sys.argv) < 2: raise ValueError('usage')",
        "if not torch.cuda.is_available(): raise RuntimeError('needs a GPU')",
        "if not os.path.exists('data'): raise RuntimeError('no data')",
        "try:\n    checked(3)\nexcept ValueError:\n    pass",
        "F.cross_entropy(layer(x), torch.tensor([0, -100]))",
        "F.cross_entropy(layer(x), torch.tensor([0, 9]), ignore_index=9)",
        "layer.load_state_dict({}, strict=False)",
        "norm = nn.BatchNorm1d(3)\n"
        "norm.load_state_dict({k: v for k, v in norm.state_dict().items() if 'tracked' not in k})",
        "images = [np.zeros(3) for name in os.listdir('/nowhere')]\nfirst = np.asarray(images[1:])[0]",
        "rows = []\nfor line in open('/nowhere/rows.csv'):\n    rows.append([1.0, 2.0])\nfirst = np.array(rows)[3]",
        "y = x.type(torch.Tensor)",
        "y = torch.randn(2, 3, 4).transpose(0, 1).reshape(2, 12)",
        "y = torch.randn(2, 3, 4).transpose(1, 2).view(2, 2, 2, 3)",
        "y = x + np.zeros((2, 3))",
        "for batch in torch.utils.data.DataLoader([torch.zeros(2), torch.zeros(3)], 1): pass",
        "torch.optim.SGD(layer.parameters(), 0.1, 0.9, weight_decay=1e-4, foreach=True)",
        "y = np.random.rand(4, 5)[::-1]",
        "torch.optim.SGD(nn.ParameterList([layer.weight]), lr=0.1)",
        "y = layer(x)\nwith torch.no_grad():\n    y += 1\ny.sum().backward()",
        "y = layer(x).to(torch.complex64).abs().sum()\ny.backward()",
        "for phase in ('train', 'val'):\n    with torch.set_grad_enabled(phase == 'train'):\n        y = layer(x).sum()\n"
        "        if phase == 'train':\n            y.backward()",
        "y = np.zeros(3).ptp()",
        f"{SCHEDULE}ReduceLROnPlateau(optimizer).step(0.5)",
        "images = np.random.rand(8, 4, 4)\nimages[0] = 1\nimages[:, 0] = np.random.rand(1, 1, 4)\nimages += np.ones(4)\n"
        "images[images > 0.5] = 0\nimages[np.random.randint(8)] = np.eye(4)",
        "class Block(nn.Module):\n    def __init__(self, width, **kwargs):\n        super().__init__()\n"
        "        self.conv = nn.Conv2d(width, width, **kwargs)",
    ],
)
def test_what_may_run_is_not(tmp_path: Path, text: str) -> None:
    assert errors(tmp_path, text) == []


def test_a_statement_that_does_not_finish_leaves_no_old_value(tmp_path: Path) -> None:
    text = "y = torch.zeros(2, 7)\ny = undefined_library_result()\nlayer(y)\n"
    assert errors(tmp_path, f"from elsewhere import undefined_library_result\n{text}") == []


def test_slices_of_keras_go_backwards(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text("import keras\nx = keras.ops.zeros((4, 5))[::-1]\nassert tuple(x.shape) == (4, 5)\n")
    assert check_file(str(path)).problems == ()


def test_a_model_with_a_training_step_of_its_own_takes_any_batch(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        "import keras\nimport numpy as np\n\n\n"
        "class Own(keras.Model):\n"
        "    def __init__(self):\n        super().__init__()\n        self.dense = keras.layers.Dense(2)\n\n"
        "    def call(self, pair):\n        return self.dense(pair[0]) - self.dense(pair[1])\n\n"
        "    def train_step(self, data):\n        return {}\n\n\n"
        "model = Own()\nmodel.compile()\nmodel.fit((np.zeros((4, 3)), np.zeros((4, 5))))\n"
    )
    assert check_file(str(path)).problems == ()


KERAS = """\
import keras
import numpy as np

model = keras.Sequential([keras.Input((10,)), keras.layers.Dense(1)])
x, y = np.zeros((8, 10)), np.zeros((8, 1))


def batches(width):
    while True:
        yield np.zeros((4, width)), np.zeros((4, 1))


"""


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("model.fit(x, y)", "invalid-call"),
        ("model.compile('adamm', 'mse')", "invalid-argument"),
        ("model.compile('adam', 'mse')\nmodel.fit(batches(9), steps_per_epoch=2)", "shape-mismatch"),
        ("model.compile('adam', 'mse')\nmodel.fit(x)", "missing-argument"),
        ("model.compile('adam', 'binary_crossentropy')\nmodel.fit(x, np.zeros((8, 2)))", "shape-mismatch"),
        (
            "model.compile('adam', 'categorical_crossentropy')\n"
            "model.fit(x[:3], keras.utils.to_categorical(np.array([0, 2, 1])))",
            "shape-mismatch",
        ),
        ("keras.Model(keras.Input((3,)), model.output)", "graph-disconnected"),
        ("model(keras.Input((9,)))", "shape-mismatch"),
        ("keras.Sequential(keras.layers.Dense(2), keras.layers.Dense(1))", "wrong-type"),
        ("keras.ops.zeros((2, 2))[0] = 1", "wrong-type"),
        (
            "pair = keras.Model(model.input, [model.output, model.output])\n"
            "pair.compile('adam', ['mse', 'categorical_crossentropy'])\npair.fit(x, [y, np.zeros((8, 3))])",
            "shape-mismatch",
        ),
        ("model.compile('adam', 'mean_square_error')\nmodel.fit(x, y)", "invalid-argument"),
        ("model.compile('adam', {'other': 'mse'})\nmodel.fit(x, y)", "invalid-argument"),
        ("model.compile('adam', 'mse')\nmodel.fit(x, y, sample_weight=np.ones(5))", "different-lengths"),
    ],
)
def test_data_that_do_not_suit_a_model_of_keras_are_an_error(tmp_path: Path, text: str, code: str) -> None:
    path = tmp_path / "program.py"
    path.write_text(KERAS + text)
    assert [problem.code for problem in check_file(str(path)).problems] == [code]


def test_data_that_suit_a_model_of_keras_are_not(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    text = "model.compile('Adam', 'mse')\nmodel.fit(batches(10), steps_per_epoch=2)\nmodel.evaluate(x, y)\nmodel.predict(x)\n"
    text += "model.compile('adam', keras.losses.mean_squared_error)\nmodel.fit(x, y, sample_weight=np.ones(8))\n"
    text += "model.compile('adam', {model.output_names[0]: 'MSE'})\nmodel.fit(x, y)\n"
    text += "pool = keras.layers.GlobalAveragePooling1D()\n"
    text += "any_length = keras.Sequential([keras.Input((4, 5)), pool])\nany_length.predict(np.zeros((2, 6, 5)))\n"
    path.write_text(KERAS + text)
    assert check_file(str(path)).problems == ()


def test_a_loss_whose_sides_are_broadcast_is_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        f"{START}F.mse_loss(torch.randn(8, 1), torch.randn(8))\nF.mse_loss(torch.randn(8, 1), torch.randn(1))\n"
    )
    problems = check_file(str(path)).problems
    assert [(each.code, each.severity, each.line) for each in problems] == [
        ("silent-broadcast", Severity.WARNING, START.count("\n") + 1)
    ]


def test_a_tensor_that_is_sliced_before_it_is_used_is_not_registered(tmp_path: Path) -> None:
    path = tmp_path / "program.py"
    path.write_text(
        f"{START}class Positions(nn.Module):\n    def __init__(self):\n        super().__init__()\n"
        "        self.table = torch.zeros(9, 3)\n\n    def forward(self, x):\n        return x + self.table[: x.size(0)]\n\n\n"
        "y = Positions()(x)\n"
    )
    assert [each.code for each in check_file(str(path)).problems] == ["unregistered-tensor"]
