"""The examples: static facts equal those of the live model, and the broken one is told apart."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import cutaway
from benchmarks.zoo.compare import EQUAL, compare
from benchmarks.zoo.truth import Subject, record
from cutaway.report.json import schema

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"

NETWORKS = [
    ("classifier.py", "Classifier", [[2, 3, 32, 32]], ["float32"]),
    ("classifier.py", "Classifier(classes=100, blocks=(1, 3))", [[2, 3, 64, 64]], ["float32"]),
    ("encoder.py", "Encoder", [[2, 24], [2, 24]], ["int64", "bool"]),
    ("encoder.py", "small()", [[2, 24]], ["int64"]),
    ("lenet.py", "LeNet", [[2, 1, 28, 30]], ["float32"]),
    ("unet.py", "UNet", [[1, 3, 64, 96]], ["float32"]),
    ("unet.py", "UNet(channels=1, depth=2, learned=False)", [[1, 1, 64, 64]], ["float32"]),
    ("registry.py", "build('small', classes=10)", [[1, 3, 224, 224]], ["float32"]),
    ("registry.py", "build('base', image=64, classes=0)", [[1, 3, 64, 64]], ["float32"]),
]


def imported(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def written(shapes: list[list[int]], dtypes: list[str]) -> list[str]:
    return [f"{'x'.join(map(str, shape))}:{dtype}" for shape, dtype in zip(shapes, dtypes)]


@pytest.mark.parametrize(
    ("file", "expression", "shapes", "dtypes"), NETWORKS, ids=[f"{n[0]}::{n[1]}" for n in NETWORKS]
)
def test_every_fact_is_the_live_models(file: str, expression: str, shapes: list[Any], dtypes: list[str]) -> None:
    pytest.importorskip("torch")
    (found,) = cutaway.show(f"{EXAMPLES / file}::{expression}", input=written(shapes, dtypes))
    call = expression if expression.endswith(")") else f"{expression}()"
    names = vars(imported(EXAMPLES / file))
    row = record(Subject(call, lambda: eval(call, names), lambda model: shapes, dtypes=tuple(dtypes)))
    assert "forward_error" not in row, row
    assert {fact: verdict for fact, verdict in compare(row, found).items() if verdict[0] != EQUAL} == {}
    assert not found.unknowns and not found.diagnostics


@pytest.mark.parametrize("file", sorted(path.name for path in EXAMPLES.glob("*.py")))
def test_json_is_of_the_documented_form(file: str) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    networks = cutaway.show(str(EXAMPLES / file))
    jsonschema.validate(json.loads(cutaway.dumps(networks)), schema())
    assert cutaway.loads(cutaway.dumps(networks)) == networks


def test_a_file_shows_the_network_that_contains_the_others() -> None:
    assert [network.name for network in cutaway.show(str(EXAMPLES / "unet.py"))] == ["UNet"]


def test_tied_weights_count_once() -> None:
    (encoder,) = cutaway.show(f"{EXAMPLES / 'encoder.py'}::Encoder")
    assert [w.name for w in encoder.weights if w.tied_to == "words.weight"] == ["predict.weight"]
    assert encoder.totals.parameters == 12_550_144


def test_sizes_may_be_symbols() -> None:
    (classifier,) = cutaway.show(f"{EXAMPLES / 'classifier.py'}::Classifier", input="Bx3x32x32")
    assert [str(size) for size in classifier.outputs[0].shape or ()] == ["B", "10"]
    assert str(classifier.totals.macs) == "123569408*B"


def test_the_fault_is_named_with_both_sizes_and_its_line() -> None:
    (broken,) = cutaway.show(f"{EXAMPLES / 'broken.py'}::Broken", input="1x1x28x28")
    (fault,) = broken.diagnostics
    assert fault.code == "shape-mismatch"
    assert "3136" in fault.message and "1600" in fault.message
    assert fault.place is not None and fault.place.line == 24


def test_what_comes_before_the_fault_is_still_shown() -> None:
    (broken,) = cutaway.show(f"{EXAMPLES / 'broken.py'}::Broken", input="1x1x28x28")
    outputs = {module.path: module.calls[0].outputs for module in broken.modules if module.calls}
    assert outputs["features"] == ((1, 64, 7, 7),)
    assert outputs["hidden"] is None
    assert broken.totals.parameters == 225_034
