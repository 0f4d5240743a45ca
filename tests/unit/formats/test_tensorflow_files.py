"""Files of Keras and TensorFlow that the real frameworks wrote.

`python -m benchmarks.formats_tf.generate FOLDER --only shared_inputs` writes those in `files/keras3`, and with `--legacy`
those in `files/keras2`: two inputs, a nested model and a layer that are both called twice.
"""

from __future__ import annotations

import json
import random
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import cutaway
from benchmarks.formats_tf.fuzz import LONGEST, fuzz
from cutaway.core.architecture import Architecture
from cutaway.formats.hdf5 import File
from cutaway.formats.hdf5_bytes import Damaged, Window
from cutaway.passes.diff import diff

FILES = Path(__file__).parent / "files"
WITH_CONFIGURATION = [
    "keras3/model.keras",
    "keras3/model.h5",
    "keras3/model.json",
    "keras2/model.keras",
    "keras2/model.h5",
]
WITH_GRAPH = ["keras3/saved", "keras3/saved/saved_model.pb", "keras3/frozen.pb"]


def shown(name: str) -> Architecture:
    (network,) = cutaway.show(str(FILES / name), isolated=False)
    return network


def facts(name: str) -> Any:
    return json.loads((FILES / name.partition("/")[0] / "facts.json").read_text())


def written(shape: Any) -> list[Any]:
    """Return a shape as Keras writes it: None for a size that is left open."""
    return [size if isinstance(size, int) else None for size in shape]


@pytest.mark.parametrize("name", WITH_CONFIGURATION)
def test_layers_have_the_shapes_that_keras_says(name: str) -> None:
    layers = {module.path: module.calls for module in shown(name).modules}
    for path, shapes in facts(name)["layers"]:
        assert [written(shape) for shape in layers[path][0].outputs or ()] == shapes


@pytest.mark.parametrize("name", [*WITH_CONFIGURATION, *WITH_GRAPH, "keras3/checkpoint.index"])
def test_weights_have_the_shapes_that_keras_says(name: str) -> None:
    expected = Counter(tuple(shape) for _, shape, _ in facts(name)["weights"])
    assert Counter(weight.shape for weight in shown(name).weights) == expected


def test_weights_have_the_names_of_the_file() -> None:
    names = [name for name, _, _ in facts("keras2/model.h5")["weights"]]
    assert sorted(weight.name for weight in shown("keras2/model.h5").weights) == sorted(names)


@pytest.mark.parametrize("name", WITH_GRAPH)
def test_every_output_of_a_graph_has_a_shape(name: str) -> None:
    network = shown(name)
    assert all(v.shape is not None and None not in v.shape for op in network.ops for v in op.outputs)
    assert not network.unknowns


def test_a_shared_layer_is_called_twice() -> None:
    shared = next(module for module in shown("keras3/saved").modules if module.path == "shared")
    assert [written(call.outputs[0]) for call in shared.calls if call.outputs] == [[None, 6], [None, 6]]


@pytest.mark.parametrize("name", ["keras3/model.h5", "keras3/model.json"])
def test_formats_of_one_network_do_not_differ(name: str) -> None:
    assert not diff(shown("keras3/model.keras"), shown(name))


def test_code_in_a_file_is_not_run(tmp_path: Path) -> None:
    config = {
        "class_name": "Sequential",
        "config": {
            "name": "net",
            "layers": [
                {"class_name": "Dense", "config": {"name": "a", "units": 3, "batch_input_shape": [None, 2]}},
                {"class_name": "Lambda", "config": {"name": "code", "function": ["4wEAAAAA", None, None]}},
                {"class_name": "Mystery", "config": {"name": "b", "units": 4}},
            ],
        },
    }
    path = tmp_path / "model.json"
    path.write_text(json.dumps(config))
    (network,) = cutaway.show(str(path), isolated=False)
    assert [(m.path, m.class_name) for m in network.modules][-2:] == [("code", "Lambda"), ("b", "Mystery")]
    assert any("never run" in note.text for note in network.unknowns)


def test_a_class_of_the_users_is_read_from_its_source(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import keras\n\n\nclass Twice(keras.layers.Layer):\n    def call(self, x):\n        return keras.ops.concatenate([x, x], 1)\n"
    )
    layers = [
        {"class_name": "InputLayer", "config": {"name": "x", "batch_input_shape": [None, 2]}},
        {"class_name": "Twice", "config": {"name": "twice"}},
    ]
    path = tmp_path / "model.json"
    path.write_text(json.dumps({"class_name": "Sequential", "config": {"name": "net", "layers": layers}}))
    (network,) = cutaway.show(str(path), isolated=False, path=str(tmp_path))
    assert written(network.outputs[0].shape) == [None, 4]


def test_an_archive_that_unpacks_to_much_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bomb.keras"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("metadata.json", "{}")
        file.writestr("config.json", b" " * (30 << 20))
    with pytest.raises(cutaway.CutawayError, match="unpacks to"):
        cutaway.show(str(path), isolated=False)


def test_a_pointer_of_git_lfs_is_called_that(tmp_path: Path) -> None:
    path = tmp_path / "model.h5"
    path.write_text("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n")
    with pytest.raises(cutaway.CutawayError, match="Git LFS pointer"):
        cutaway.show(str(path), isolated=False)


def test_an_hdf5_file_that_is_cut_off_is_damaged() -> None:
    with (FILES / "keras3/model.h5").open("rb") as file, pytest.raises(Damaged):
        list(File(Window(file, 0, 700)).walk())


def test_damaged_files_neither_crash_nor_hang() -> None:
    paths = [str(path) for path in sorted(FILES.rglob("*")) if path.is_file() and path.name != "facts.json"]
    outcome, worst = fuzz(paths, 3, random.Random(1))
    assert not outcome["crash"]
    assert worst < LONGEST
