"""Configurations that the real Keras writes of networks with unusual parts: every layer has the shape that Keras gives."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cutaway

keras = pytest.importorskip("keras")
layers = keras.layers


def network_called_twice() -> Any:
    """A network in a network that was made from another, whose calls are counted in two ways in one file."""
    stem = keras.Sequential([keras.Input((8, 8, 3)), layers.Conv2D(4, 3), layers.ReLU(6.0)])
    pooled = layers.GlobalMaxPooling2D()(stem.outputs[0])
    part = keras.Model(stem.inputs, [stem.outputs[0], pooled], name="part")
    left, right = keras.Input((8, 8, 3)), keras.Input((8, 8, 3))
    (images, vectors), (others, rest) = part(left), part(right)
    shared = layers.Dense(5)
    return keras.Model([left, right], [layers.Subtract()([shared(vectors), shared(rest)]), others, images])


def second_call_alone() -> Any:
    inputs = keras.Input((6,))
    part = keras.Sequential([keras.Input((6,)), layers.Dense(6)])
    part = keras.Model(part.inputs[0], part.outputs[0], name="part")
    return keras.Model(inputs, layers.Dense(2)(part(part(inputs))))


def preparation() -> Any:
    words, number = keras.Input((1,), dtype="string"), keras.Input((1,), dtype="int64")
    crossed = layers.HashedCrossing(num_bins=9, output_mode="one_hot")((words, number))
    found = layers.StringLookup(vocabulary=["x", "y"], output_mode="multi_hot")(words)
    return keras.Model([words, number], layers.Concatenate()([crossed, found]))


def augmentation() -> Any:
    images = keras.Input((12, 10, 3))
    made = layers.RandomRotation(0.1)(layers.RandomFlip("horizontal")(images))
    return keras.Model(images, layers.RandomContrast(0.2)(layers.RandomZoom(0.1, 0.2)(made)))


@pytest.mark.parametrize("build", [network_called_twice, second_call_alone, preparation, augmentation])
@pytest.mark.parametrize("ending", ["json", "h5", "keras"])
def test_layers_have_the_shapes_that_keras_gives(build: Any, ending: str, tmp_path: Path) -> None:
    model = build()
    path = tmp_path / f"model.{ending}"
    if ending == "json":
        path.write_text(model.to_json())
    else:
        model.save(path)
    (network,) = cutaway.show(str(path), isolated=False)
    modules = {module.path: module for module in network.modules}
    for each in model.layers:
        outputs = each.output if isinstance(each.output, list) else [each.output]
        expected = [tuple("B" if size is None else size for size in output.shape) for output in outputs]
        assert [
            tuple(str(s) if not isinstance(s, int) else s for s in shape)
            for shape in modules[each.name].calls[0].outputs
        ] == expected
    assert not network.unknowns
    assert sorted(weight.shape for weight in network.weights) == sorted(tuple(each.shape) for each in model.weights)
