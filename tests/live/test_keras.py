"""Models of the real Keras: the same Architecture as from their source, fact by fact."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

keras = pytest.importorskip("keras")
pytest.importorskip("tensorflow")

import cutaway  # noqa: E402
from cutaway.cli import main  # noqa: E402
from cutaway.passes.compare import UNKNOWN, WRONG, compare  # noqa: E402

MODELS = Path(__file__).resolve().parents[1] / "keras_models"
INPUTS: dict[str, list[str]] = {
    "func_mixer": ["2x32x32x3"],
    "func_transfer": ["2x96x96x3"],
    "func_two": ["title=2x7:int32", "body=2x9:int32", "tags=2x12"],
    "func_unet": ["2x64x64x3"],
    "sub_convgru": ["2x5x32x32x3"],
    "sub_custom": ["2x20"],
    "sub_transformer": ["2x64:int32"],
    "sub_vae": ["2x28x28x1"],
}

FAILING = """
import keras
from keras import layers

class Net(keras.Model):
    def __init__(self):
        super().__init__()
        self.first = layers.Dense(8)
        self.second = layers.Conv2D(4, 3)
    def call(self, x):
        return self.second(self.first(x))
"""


def test_every_model_is_here() -> None:
    assert sorted(INPUTS) == sorted(path.stem for path in MODELS.glob("*.py"))


@pytest.mark.parametrize("name", sorted(INPUTS))
def test_nothing_that_is_read_from_source_is_wrong(name: str) -> None:
    target = f"{MODELS / name}.py::model"
    (static,) = cutaway.show(target, input=INPUTS[name])
    (live,) = cutaway.show(target, input=INPUTS[name], live=True)
    facts = compare(static, live)
    assert not [fact for fact in facts if fact.verdict == WRONG]
    assert {fact.kind for fact in facts if fact.verdict == UNKNOWN} <= {"configuration"}
    assert {"tree", "weights", "inputs", "outputs", "calls"} <= {fact.kind for fact in facts}


def test_verify_runs_a_model_of_keras(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", f"{MODELS / 'sub_custom.py'}::model", "--input", "2x20"]) == 0
    assert "wrong" in capsys.readouterr().out


def test_a_model_that_declares_its_inputs_needs_none() -> None:
    (found,) = cutaway.show(f"{MODELS / 'func_unet.py'}::model", live=True)
    assert found.inputs[0].shape == (1, 64, 64, 3)
    assert any("a batch of 1" in note.text for note in found.assumptions)


def test_a_call_that_raises_gives_everything_up_to_there(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(FAILING)
    (found,) = cutaway.show(f"{tmp_path / 'net.py'}::Net", input="2x4", live=True)
    assert next(module for module in found.modules if module.path == "dense").calls[0].outputs == ((2, 8),)
    (fault,) = found.diagnostics
    assert fault.code == "forward-raises" and "conv2d (Conv2D), given 2x8" in fault.notes[0].text


def test_a_running_model_is_observed_and_left_as_it_was() -> None:
    model = keras.Sequential([keras.layers.Dense(3), keras.layers.Dropout(0.5)])
    before: Any = keras.Layer.__call__
    found = cutaway.observe(model, keras.ops.zeros((2, 4)))
    assert keras.Layer.__call__ is before
    assert {layer.name for layer in model.layers} <= {module.path for module in found.modules}
    assert [call.outputs for module in found.modules for call in module.calls] == [((2, 3),)] * 3
    assert {weight.name: weight.shape for weight in found.weights} == {w.path: tuple(w.shape) for w in model.weights}
