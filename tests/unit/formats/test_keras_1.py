"""Files of Keras 1: arguments of other names, and weights in the layout that it stored them in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import cutaway


def layer(kind: str, name: str, **settings: Any) -> dict[str, Any]:
    return {"class_name": kind, "config": {"name": name, "trainable": True, **settings}}


CONVOLUTION = layer(
    "Convolution2D",
    "convolution2d_1",
    batch_input_shape=[None, 8, 9, 3],
    border_mode="valid",
    dim_ordering="tf",
    input_dtype="float32",
    nb_col=2,
    nb_filter=4,
    nb_row=3,
    subsample=[1, 1],
)
RECURRENT = [
    layer(
        "LSTM", "lstm_1", batch_input_shape=[None, 5, 2], input_dtype="float32", output_dim=3, inner_init="orthogonal",
        consume_less="cpu", return_sequences=True, dropout_W=0.0, dropout_U=0.0,
    ),
    layer("TimeDistributedDense", "timedistributeddense_1", output_dim=6, init="glorot_uniform", input_dtype=None),
]  # fmt: skip


def sequential(*layers: dict[str, Any]) -> str:
    return json.dumps({"class_name": "Sequential", "keras_version": "1.2.2", "config": list(layers)})


def shown(path: Path) -> Any:
    (network,) = cutaway.show(str(path), isolated=False)
    return network


def test_rows_come_before_columns_in_any_order_of_keys(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    path.write_text(sequential(CONVOLUTION))
    network = shown(path)
    assert str(network.modules[-1].calls[0].outputs[0]) == "(B, 6, 8, 4)"
    assert network.weights[0].shape == (3, 2, 3, 4)


def test_the_type_of_an_input_is_that_of_the_first_layer(tmp_path: Path) -> None:
    path = tmp_path / "model.json"
    embedding = layer(
        "Embedding", "embedding_1", batch_input_shape=[None, 7], input_dtype="int32", input_dim=10, output_dim=4,
        dropout=0.2, init="uniform", mask_zero=False, input_length=7,
    )  # fmt: skip
    path.write_text(sequential(embedding))
    network = shown(path)
    assert network.inputs[0].dtype == "int32"
    assert str(network.outputs[0].shape) == "(B, 7, 4)" and network.outputs[0].dtype == "float32"
    assert not network.unknowns


def test_gates_that_are_stored_one_by_one_are_the_weights_of_the_layer(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "model.h5"
    gates = [
        (f"lstm_1_{kind}_{gate}", shape)
        for gate in "icfo"
        for kind, shape in (("W", (2, 3)), ("U", (3, 3)), ("b", (3,)))
    ]
    dense = [("timedistributeddense_1_W", (3, 6)), ("timedistributeddense_1_b", (6,))]
    write(h5py, path, sequential(*RECURRENT), {"lstm_1": gates, "timedistributeddense_1": dense})
    network = shown(path)
    assert {weight.name: weight.shape for weight in network.weights} == dict(gates + dense)
    assert {weight.module for weight in network.weights} == {"lstm_1/lstm_cell", "timedistributeddense_1"}
    assert all(weight.kind == "parameter" for weight in network.weights) and not network.unknowns
    assert str(network.outputs[0].shape) == "(B, 5, 6)"


def test_kernels_with_another_order_of_dimensions_are_not_contradictions(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "model.h5"
    stored = [("convolution2d_1_W", (4, 3, 3, 2)), ("convolution2d_1_b", (4,))]
    write(h5py, path, sequential(CONVOLUTION), {"convolution2d_1": stored})
    network = shown(path)
    assert [(weight.name, weight.shape) for weight in network.weights] == stored and not network.unknowns
    assert [value.name for value in network.ops[0].inputs[1:2]] == ["convolution2d_1_W"]


def test_kernels_of_other_sizes_are_contradictions(tmp_path: Path) -> None:
    h5py = pytest.importorskip("h5py")
    path = tmp_path / "model.h5"
    write(h5py, path, sequential(CONVOLUTION), {"convolution2d_1": [("W", (5, 3, 3, 2)), ("b", (5,))]})
    assert any("are stored" in note.text for note in shown(path).unknowns)


def write(h5py: Any, path: Path, config: str, layers: dict[str, list[tuple[str, tuple[int, ...]]]]) -> None:
    with h5py.File(path, "w") as file:
        file.attrs["model_config"] = config.encode()
        file.attrs["keras_version"] = b"1.2.2"
        weights = file.create_group("model_weights")
        weights.attrs["layer_names"] = [name.encode() for name in layers]
        for name, tensors in layers.items():
            group = weights.create_group(name)
            group.attrs["weight_names"] = [each.encode() for each, _ in tensors]
            for each, shape in tensors:
                group.create_dataset(each, shape, "f4")
