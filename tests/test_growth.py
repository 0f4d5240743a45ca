"""Networks that a loop of symbolic length makes grow: their formulas come to what the same networks with numbers are."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway

DOUBLING = """
import torch
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.ModuleList()
        for i in range(depth):
            self.layers.append(nn.Linear(width, width * 2))
            width *= 2
        self.head = nn.Linear(width, 2)

    def forward(self, x):
        for layer in self.layers:
            x = torch.relu(layer(x))
        return self.head(x)
"""

POWERS = """
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        layers = [nn.Conv2d(3, width, 3, padding=1)]
        for i in range(depth):
            layers += [
                nn.Conv2d(width * 2**i, width * 2**(i + 1), 3, stride=2, padding=1),
                nn.BatchNorm2d(width << (i + 1)),
            ]
        self.net = nn.Sequential(*layers)
        self.head = nn.Linear(width * 2**depth, 10)

    def forward(self, x):
        return self.head(self.net(x).mean((2, 3)))
"""

POOLED = """
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.blocks = nn.ModuleList()
        before = 3
        for i in range(depth):
            self.blocks.append(nn.Sequential(nn.Conv2d(before, width, 3, padding=1), nn.MaxPool2d(2)))
            before = width
            width *= 2

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x
"""

SHRINKING = """
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.stem = nn.Conv2d(3, width, 1)
        self.layers = nn.ModuleList([nn.Conv2d(width, width, 3) for _ in range(depth)])

    def forward(self, x):
        x = self.stem(x)
        for layer in self.layers:
            x = layer(x)
        return x
"""

TRIPLING = """
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.layers = nn.Sequential()
        for i in range(depth):
            self.layers.append(nn.Conv2d(3**(i + 1), 3**(i + 2), 1, bias=False))

    def forward(self, x):
        return self.layers(x)
"""

STACKED = """
import keras

def Net(width, depth):
    model = keras.Sequential()
    model.add(keras.layers.Input(shape=(32,)))
    for i in range(depth):
        model.add(keras.layers.Dense(width, activation="relu"))
        model.add(keras.layers.Dropout(0.5))
    model.add(keras.layers.Dense(10))
    return model
"""

CHAINED = """
import keras
from keras import layers

def Net(width, depth):
    inputs = keras.Input((32,))
    x = layers.Dense(width)(inputs)
    for i in range(depth):
        x = x + layers.Dense(width, activation="relu", name=f"fc{i}")(x)
    return keras.Model(inputs, layers.Dense(3)(x))
"""

LISTED = """
import keras
from keras import layers

class Net(keras.Model):
    def __init__(self, width, depth):
        super().__init__()
        self.first = layers.Dense(width)
        self.blocks = [layers.Dense(width) for _ in range(depth)]
        self.out = layers.Dense(1)

    def call(self, x):
        x = self.first(x)
        for block in self.blocks:
            x = block(x)
        return self.out(x)
"""


@pytest.mark.parametrize("depth", [1, 2, 4])
@pytest.mark.parametrize(
    ("source", "inputs"),
    [
        (DOUBLING, "Bxwidth"),
        (POWERS, "Bx3xHxW"),
        (POOLED, "Bx3xHxW"),
        (SHRINKING, "Bx3xHxW"),
        (TRIPLING, "Bx3xHxW"),
        (STACKED, "Bx32"),
        (CHAINED, "Bx32"),
        (LISTED, "Bx32"),
    ],
    ids=["doubling", "powers", "pooled", "shrinking", "tripling", "stacked", "chained", "listed"],
)
def test_formulas_are_the_networks(source: str, inputs: str, depth: int, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(source)
    numbers = {"width": 5, "depth": depth, "B": 2, "H": 61, "W": 40}
    symbolic = cutaway.show(f"{path}::Net", input=inputs)[0]
    used = {name: number for name, number in numbers.items() if name in inputs or name in ("width", "depth")}
    (formulas,) = cutaway.show(f"{path}::Net", input=inputs, set=_present(symbolic, used))
    given = inputs
    for name, number in numbers.items():
        given = given.replace(name, str(number))
    (network,) = cutaway.show(f"{path}::Net(5, {depth})", input=given)
    assert symbolic.outputs and symbolic.outputs[0].shape is not None
    assert [value.shape for value in formulas.outputs] == [value.shape for value in network.outputs]
    assert formulas.totals.parameters == network.totals.parameters
    assert formulas.totals.buffers == network.totals.buffers
    assert formulas.totals.macs in (None, network.totals.macs)


def test_layers_of_a_loop_go_by_the_names_that_keras_gives_them(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(STACKED)
    (network,) = cutaway.show(f"{path}::Net", input="Bx32")
    assert [module.path for module in network.modules[2:]] == [
        "dense",
        "dropout",
        "dense_{i + 1}",
        "dropout_{i + 1}",
        "dense_{depth}",
    ]


def test_layers_behind_a_loop_that_is_not_followed_are_not_known(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(STACKED.replace("Dense(width,", "Dense(width if i < depth // 2 else 7,"))
    (network,) = cutaway.show(f"{path}::Net", input="Bx32")
    assert network.unknowns
    assert network.totals.parameters is None
    assert not [weight for weight in network.weights if weight.shape == (32, 10)]


def _present(network: cutaway.Architecture, numbers: dict[str, int]) -> dict[str, int]:
    from cutaway.passes.substitute import names

    return {name: number for name, number in numbers.items() if name in names(network)}


@pytest.mark.parametrize("order", ["reversed(range(depth - 1))", "range(depth - 2, -1, -1)"])
def test_widths_that_shrink_are_added_up(order: str, tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(f"""
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, width, depth):
        super().__init__()
        self.ups = nn.ModuleList()
        for i in {order}:
            self.ups.append(nn.Linear(width * 2**(i + 1), width * 2**i))
""")
    (formulas,) = cutaway.show(f"{path}::Net", set={"width": 3, "depth": 5})
    (network,) = cutaway.show(f"{path}::Net(3, 5)")
    assert formulas.totals.parameters == network.totals.parameters
    (symbolic,) = cutaway.show(f"{path}::Net")
    sizes = symbolic.weights[0].shape or ()
    assert [str(size) for size in sizes] == ["width*2**(depth - i - 2)", "width*2**(depth - i - 1)"]


def test_macs_of_a_doubling_network_have_a_formula(tmp_path: Path) -> None:
    path = tmp_path / "model.py"
    path.write_text(DOUBLING)
    (network,) = cutaway.show(f"{path}::Net", input="1xwidth")
    assert str(network.totals.macs) == "2*width**2*(4**depth - 1)/3 + width*2**(depth + 1)"
