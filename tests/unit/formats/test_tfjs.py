"""Graph models of TensorFlow.js: a graph in JSON, with its weights in files beside it."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import pytest

import cutaway
from cutaway.formats import dispatch


def model(**changes: Any) -> dict[str, Any]:
    """Return a model that reshapes an image and multiplies it by a matrix."""

    def constant(name: str, kind: str, *sizes: int) -> dict[str, Any]:
        shape = {"dim": [{"size": str(size)} for size in sizes]}
        value = {"tensor": {"dtype": kind, "tensorShape": shape}}
        return {"name": name, "op": "Const", "attr": {"value": value, "dtype": {"type": kind}}}

    image = {"dim": [{"size": "-1"}, {"size": "2"}, {"size": "3"}]}
    nodes = [
        {"name": "x", "op": "Placeholder", "attr": {"dtype": {"type": "DT_FLOAT"}, "shape": {"shape": image}}},
        constant("shape", "DT_INT32", 2),
        constant("weight", "DT_FLOAT", 6, 4),
        {"name": "flat", "op": "Reshape", "input": ["x", "shape"], "attr": {"T": {"type": "DT_FLOAT"}}},
        {"name": "y", "op": "MatMul", "input": ["flat", "weight"], "attr": {"T": {"type": "DT_FLOAT"}}},
    ]
    weights = [
        {"name": "weight", "shape": [6, 4], "dtype": "float32"},
        {"name": "shape", "shape": [2], "dtype": "int32"},
    ]
    manifest = [{"paths": ["a.bin", "b.bin"], "weights": weights}]
    return {"format": "graph-model", "modelTopology": {"node": nodes}, "weightsManifest": manifest, **changes}


def written(folder: Path, document: dict[str, Any], numbers: bool = True) -> str:
    folder.mkdir(exist_ok=True)
    path = folder / "model.json"
    path.write_text(json.dumps(document), encoding="utf-8")
    if numbers:
        content = bytes(96) + struct.pack("<2i", -1, 6)
        (folder / "a.bin").write_bytes(content[:40])
        (folder / "b.bin").write_bytes(content[40:])
    return str(path)


def test_small_constants_are_read_from_the_files_of_weights(tmp_path: Path) -> None:
    (network,) = cutaway.show(written(tmp_path, model()))
    assert [op.op for op in network.ops] == ["tensorflow.raw_ops.Reshape", "tensorflow.raw_ops.MatMul"]
    assert [str(size) for size in network.outputs[0].shape or ()] == ["B", "4"]
    assert [(weight.name, weight.shape) for weight in network.weights] == [("weight", (6, 4))]


def test_constants_whose_files_are_missing_are_unknown_not_zero(tmp_path: Path) -> None:
    (network,) = cutaway.show(written(tmp_path, model(), numbers=False))
    assert network.ops[0].outputs[0].shape is None or 0 not in network.ops[0].outputs[0].shape


def test_element_types_may_be_numbers_as_old_converters_write_them(tmp_path: Path) -> None:
    document = model()
    text = json.dumps(document).replace('"DT_INT32"', "3").replace('"DT_FLOAT"', "1")
    for numbers in (True, False):
        (network,) = cutaway.show(written(tmp_path / str(numbers), json.loads(text), numbers))
        assert (str(network.ops[0].outputs[0].shape) == str(("B", 6)).replace("'", "")) == numbers
        assert [(weight.name, weight.shape) for weight in network.weights] == [("weight", (6, 4))]


def test_numbers_of_weights_are_not_zero_where_their_files_are_not_followed(tmp_path: Path) -> None:
    path = written(tmp_path, model())
    with dispatch.contents(path) as contents:
        assert contents is None or all(
            each.name != "weight" or each.pieces is None for each in contents.tensors.values()
        )


def test_files_outside_of_the_folder_are_not_opened(tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    written(tmp_path, model())
    document = model()
    document["weightsManifest"][0]["paths"] = ["../a.bin", "../b.bin"]
    (network,) = cutaway.show(written(inner, document, numbers=False))
    assert network.ops[0].outputs[0].shape in (None, (None, None)) or "B" not in map(
        str, network.ops[0].outputs[0].shape or ()
    )


@pytest.mark.parametrize("topology", [None, {"node": 3}, {"node": [{"name": 3}]}, {"node": [[]]}])
def test_a_damaged_model_is_refused_in_one_line(topology: Any, tmp_path: Path) -> None:
    with pytest.raises(cutaway.CutawayError, match=r"^\S*model\.json: [^\n]*$"):
        cutaway.show(written(tmp_path, model(modelTopology=topology)))
