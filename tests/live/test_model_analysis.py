"""`tt-model-analysis` and `model_analysis`, as their documentation describes them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from model_analysis import extract_pytorch_ops, extract_unique_modules  # noqa: E402
from model_analysis.cli import main  # noqa: E402

EXAMPLE = '''
import torch
import torch.nn as nn

def load_model():
    """Return the model to analyze."""
    model = nn.Sequential(
        nn.Conv2d(3, 64, 3, padding=1),
        nn.BatchNorm2d(64),
        nn.ReLU(),
        nn.Conv2d(64, 64, 3, padding=1),
        nn.BatchNorm2d(64),
        nn.ReLU(),
    )
    return model

def get_inputs():
    """Return sample input tensor(s)."""
    return torch.randn(1, 3, 224, 224)
'''


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my_model.py").write_text(EXAMPLE)
    return tmp_path


def run(*more: str, model: str = "my_model.py::load_model", inputs: str = "my_model.py::get_inputs") -> int:
    return main(["--model-path", model, "--inputs-path", inputs, *more])


def read(path: Path) -> tuple[Any, Any]:
    return tuple(json.loads((path / name).read_text()) for name in ("unique_modules.json", "pytorch_ops.json"))  # type: ignore[return-value]


@pytest.mark.parametrize("more", [[], ["--static"]], ids=["live", "static"])
def test_the_documented_example(here: Path, more: list[str]) -> None:
    assert run(*more) == 0
    modules, ops = read(here / "Sequential")
    metadata = modules["metadata"]
    assert list(metadata)[:6] == [
        "load_fn_location", "load_fn_name", "model_class", "total_modules", "unique_modules", "timestamp",
    ]  # fmt: skip
    assert metadata["load_fn_location"] == "my_model.py:load_model"
    assert metadata["load_fn_name"] == "load_model" and metadata["model_class"] == "Sequential"
    assert metadata["total_modules"] == 7 and metadata["unique_modules"] == 5
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d", metadata["timestamp"])
    root, conv = modules["modules"][:2]
    assert root == {
        "id": "mod_000",
        "class_name": "Sequential",
        "module_path": "(root)",
        "parent": None,
        "input_shapes": ["1x3x224x224"],
        "output_shapes": ["1x64x224x224"],
        "input_dtypes": ["float32"],
        "output_dtypes": ["float32"],
        "parameters": {},
        "occurrences": ["(root)"],
    }
    assert list(conv) == list(root) and conv["id"] == "mod_001" and conv["parent"] == "(root)"
    documented = {"in_channels": 3, "out_channels": 64, "kernel_size": [3, 3], "stride": [1, 1], "padding": [1, 1]}
    assert documented.items() <= conv["parameters"].items()
    assert [record["occurrences"] for record in modules["modules"]] == [
        ["(root)"],
        ["0"],
        ["1", "4"],
        ["2", "5"],
        ["3"],
    ]
    assert list(ops["metadata"])[:4] == ["source_modules_json", "total_ops", "unique_ops", "timestamp"]
    assert ops["metadata"]["source_modules_json"] == "unique_modules.json"
    assert ops["metadata"]["total_ops"] == 6 and ops["metadata"]["unique_ops"] == 4
    first = ops["ops"][0]
    assert list(first)[:7] == [
        "id", "op_name", "source_module_id", "source_module_class", "attributes", "tensor_types", "occurrences",
    ]  # fmt: skip
    assert (first["id"], first["op_name"]) == ("op_000", "torch.conv2d")
    assert (first["source_module_id"], first["source_module_class"]) == ("mod_001", "Conv2d")
    assert first["attributes"] == {"stride": [1, 1], "padding": [1, 1], "dilation": [1, 1], "groups": 1}
    assert first["tensor_types"]["output"] == {"shape": "1x64x224x224", "dtype": "float32"}
    assert {"source_module_id": "mod_001", "node_name": "conv2d"}.items() <= first["occurrences"][0].items()


def test_static_and_live_agree(here: Path) -> None:
    assert run("--dir", "live") == run("--dir", "static", "--static") == 0
    live, static = read(here / "live"), read(here / "static")
    for document in (*live, *static):
        for field in ("timestamp", "source"):
            document["metadata"].pop(field, None)
    assert live == static


def test_the_documented_calls(tmp_path: Path) -> None:
    def load_model() -> Any:
        return torch.nn.Sequential(torch.nn.Linear(10, 20), torch.nn.ReLU(), torch.nn.Linear(20, 10))

    def get_inputs() -> Any:
        return torch.randn(1, 10)

    where = tmp_path / "unique_modules.json"
    modules = extract_unique_modules(load_fn=load_model, get_sample_input=get_inputs, output_path=str(where))
    assert json.loads(where.read_text()) == modules and modules["metadata"]["unique_modules"] == 4
    ops = extract_pytorch_ops(
        modules_json_path=str(where),
        load_fn=load_model,
        get_sample_input=get_inputs,
        output_path=str(tmp_path / "pytorch_ops.json"),
    )
    assert [op["op_name"].rpartition(".")[2] for op in ops["ops"]] == ["linear", "relu", "linear"]
    assert modules["metadata"]["load_fn_location"].endswith("test_model_analysis.py:load_model")


@pytest.mark.parametrize("ids", ["numbered", "named"])
def test_both_dialects_of_ids_are_written_and_read(here: Path, ids: str) -> None:
    space: dict[str, Any] = {}
    exec(EXAMPLE, space)
    where = here / "modules.json"
    modules = extract_unique_modules(space["load_model"], space["get_inputs"], where, ids=ids)
    ops = extract_pytorch_ops(where, space["load_model"], space["get_inputs"], None)
    root, first = modules["modules"][0], modules["modules"][1]
    expected = ("(root)", "mod_001") if ids == "numbered" else ("full_model", "mod_001_0")
    assert (root["module_path"], first["id"]) == expected and first["parent"] == expected[0]
    assert ops["ops"][0]["source_module_id"] == first["id"]


def takes(make: Callable[[], Any], given: Callable[[], Any]) -> list[str]:
    shapes: list[str] = extract_unique_modules(make, given, None)["modules"][0]["input_shapes"]
    return shapes


def test_inputs_of_every_kind() -> None:
    left, right = torch.zeros(1, 4), torch.zeros(1, 3)
    module = "tests.live.probes"
    probes = __import__(module, fromlist=["Several"])
    assert takes(lambda: torch.nn.Linear(4, 2), lambda: left) == ["1x4"]
    assert takes(probes.Several, lambda: (left, right)) == ["1x4", "1x3"]
    assert takes(probes.Several, lambda: [left, right]) == ["1x4", "1x3"]
    assert takes(probes.Several, lambda: {"right": right, "left": left}) == ["1x3", "1x4"]


WRONG = {
    "def load_model():\n    raise OSError('no weights')\n": "load_model() raised OSError: no weights",
    "def load_model():\n    return [1]\n": "it gives a list, not a torch.nn.Module",
    "def other():\n    pass\n": "load_model is not defined there; there are other",
    "load_model = 3\n": "load_model is not a function but an int",
    "import torch\ndef load_model():\n    return torch.nn.Linear(7, 2)\n": "Linear, in the network itself (Linear), given 1x3",
    "import nothing_of_this_name\n": "No module named 'nothing_of_this_name'",
    "def load_model(:\n": "SyntaxError",
}


@pytest.mark.parametrize("source", WRONG)
def test_what_is_wrong_is_told_with_the_users_traceback(
    here: Path, source: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "wrong.py").write_text(source)
    assert run(model="wrong.py::load_model") == 2
    said = capsys.readouterr().err
    assert WRONG[source] in said
    if " raised " in said:
        assert "Traceback (most recent call last):" in said or "SyntaxError" in said
    assert not (here / "Linear").exists() and "cutaway/live" not in said


@pytest.mark.parametrize(
    ("model", "message"),
    [
        ("my_model.py", "write it as file.py::function_name"),
        ("missing.py::load_model", "file missing.py does not exist"),
    ],
)
def test_what_is_wrong_on_the_command_line(
    here: Path, model: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(model=model) == 2
    assert message in capsys.readouterr().err


def test_files_are_written_whole_or_not_at_all(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from cutaway.commands import output

    real = output.write

    def failing(text: Any, path: Any) -> None:
        if str(path).endswith("pytorch_ops.json") and isinstance(text, str):
            raise output.CutawayError("the disk is full")
        real(text, path)

    assert run("--dir", "out") == 0
    before = {path.name: path.read_bytes() for path in (here / "out").iterdir()}
    monkeypatch.setattr(output, "write", failing)
    assert run("--dir", "out", "--ids", "named") == 2 and run("--dir", "fresh") == 2
    assert {path.name: path.read_bytes() for path in (here / "out").iterdir()} == before
    assert list((here / "fresh").iterdir()) == []


def test_a_file_that_is_no_list_of_modules(here: Path) -> None:
    from cutaway import CutawayError

    (here / "bad.json").write_text("[1, 2]")
    with pytest.raises(CutawayError, match="it is no file of unique modules"):
        extract_pytorch_ops(here / "bad.json", lambda: None, lambda: None, None)
