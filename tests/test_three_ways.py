"""One network written as Sequential, functional and subclassed: the same layers, shapes and costs."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway
from cutaway.core.architecture import Architecture

NETWORKS = {
    "perceptron": ("(784,)", "Dense(64, activation='relu'); Dropout(0.5); Dense(10, activation='softmax')"),
    "digits": (
        "(28, 28, 1)",
        "Conv2D(32, 3, activation='relu'); MaxPooling2D(); Conv2D(64, 3, activation='relu'); MaxPooling2D(); Flatten(); Dense(10)",
    ),
    "padded": ("(28, 28, 3)", "Conv2D(32, 3, padding='same'); Conv2D(64, 5, padding='valid'); GlobalAveragePooling2D(); Dense(5)"),
    "normalised": ("(32, 32, 3)", "Conv2D(16, 3, strides=2, use_bias=False); BatchNormalization(); ReLU(); Flatten(); Dense(10)"),
    "separable": ("(64, 64, 3)", "SeparableConv2D(32, 3, padding='same'); DepthwiseConv2D(3, strides=2); GlobalMaxPooling2D()"),
    "text": ("(100,)", "Embedding(5000, 32); Bidirectional(LSTM(16, return_sequences=True)); GRU(8); Dense(1, activation='sigmoid')"),
    "sequence": ("(50, 6)", "Conv1D(16, 5, padding='causal'); TimeDistributed(Dense(8)); SimpleRNN(12); Dense(3)"),
    "decoder": ("(16,)", "Dense(7 * 7 * 8); Reshape((7, 7, 8)); Conv2DTranspose(4, 3, strides=2, padding='same'); UpSampling2D(); Conv2D(1, 3)"),
    "volume": ("(8, 8, 8, 1)", "Conv3D(4, 2); AveragePooling3D(2); LayerNormalization(); Flatten(); Dense(2)"),
    "pointwise": ("(20, 8)", "Dense(16); LayerNormalization(); PReLU(); GlobalAveragePooling1D()"),
}  # fmt: skip
HEAD = "import keras\nfrom keras.layers import *\n\n"


def sources(shape: str, layers: list[str]) -> dict[str, str]:
    """Return the three ways of writing a stack of layers."""
    listed = ", ".join(layers)
    chain = "".join(f"x = {layer}(x)\n" for layer in layers)
    kept = "".join(f"        self.layer_{i} = {layer}\n" for i, layer in enumerate(layers))
    used = "".join(f"        x = self.layer_{i}(x)\n" for i in range(len(layers)))
    return {
        "sequential": f"{HEAD}model = keras.Sequential([keras.Input({shape}), {listed}])\n",
        "functional": f"{HEAD}start = x = keras.Input({shape})\n{chain}model = keras.Model(start, x)\n",
        "subclassed": (
            f"{HEAD}class Net(keras.Model):\n    def __init__(self):\n        super().__init__()\n{kept}\n"
            f"    def call(self, x):\n{used}        return x\n\nmodel = Net()\n"
        ),
    }


def essence(network: Architecture) -> list[object]:
    """Return what the three ways have in common: layers without inputs, their calls, weights and operations."""
    layers = [m for m in network.modules[1:] if m.class_name != "InputLayer"]
    return [
        [(m.class_name, m.calls) for m in layers],
        [(w.name.rpartition("/")[2], w.shape, w.trainable) for w in network.weights],
        [(op.op, op.macs, [v.shape for v in op.outputs]) for op in network.ops],
        network.totals,
    ]


@pytest.mark.parametrize("name", NETWORKS)
def test_three_ways_give_one_network(name: str, tmp_path: Path) -> None:
    shape, stack = NETWORKS[name]
    found = {}
    for way, text in sources(shape, stack.split("; ")).items():
        file = tmp_path / f"{way}.py"
        file.write_text(text, encoding="utf-8")
        sizes = "x".join(["2", *(part.strip() for part in shape.strip("()").split(",") if part.strip())])
        found[way] = cutaway.show(f"{file}::model", input=sizes)[0]
        assert not found[way].unknowns and not found[way].diagnostics
    assert essence(found["sequential"]) == essence(found["functional"]) == essence(found["subclassed"])
