"""How facts are known, and how many are."""

from __future__ import annotations

from pathlib import Path

import cutaway
from cutaway.passes.provenance import Provenance, in_words
from cutaway.report import json

MODEL = """\
import torch.nn as nn
from absent import WIDTH

class Net(nn.Module):
    def __init__(self, hidden, gain=2):
        super().__init__()
        self.a = nn.Linear(8, hidden * gain)
        self.b = nn.Linear(8, 4, bias=False)
        self.c = nn.Linear(4, WIDTH)

    def forward(self, x):
        return self.b(x)
"""


def shown(tmp_path: Path, *inputs: str) -> cutaway.Architecture:
    (tmp_path / "model.py").write_text(MODEL)
    return cutaway.show(f"{tmp_path}/model.py::Net", input=inputs)[0]


def test_arguments_say_where_they_come_from(tmp_path: Path) -> None:
    modules = {module.path: dict(module.origins) for module in shown(tmp_path, "2x8").modules}
    assert modules["a"]["in_features"] == "literal"
    assert modules["a"]["out_features"] == "symbolic"
    assert modules["a"]["bias"] == "default"
    assert modules["b"]["bias"] == "literal"
    assert modules["c"]["out_features"] == "unknown"


def test_shapes_say_how_they_are_known(tmp_path: Path) -> None:
    (document,) = json.to_json([shown(tmp_path, "2x8")])["architectures"]
    ways = {weight["name"]: weight["provenance"] for weight in document["weights"]}
    assert ways["a.weight"] == "symbolic"
    assert ways["b.weight"] == "derived"
    assert ways["c.weight"] == {"unknown": "module absent is not found: add its folder with --path, or install it"}
    assert document["outputs"][0]["provenance"] == "derived"


def test_what_follows_from_an_input_that_nobody_gave_is_assumed(tmp_path: Path) -> None:
    (document,) = json.to_json([shown(tmp_path)])["architectures"]
    (way,) = [op["provenance"] for op in document["ops"]]
    assert way["assumed"][0].startswith("the input x is ")


def test_known_facts_are_counted(tmp_path: Path) -> None:
    known = Provenance(shown(tmp_path, "2x8")).counted()
    assert known.facts == known.derived + known.symbolic + known.assumed + known.unknown
    assert known.unknown == 2  # c.weight and c.bias
    assert in_words(known) == "known: 81.8% of 11 facts (7 derived, 2 symbolic, 2 unknown)"


def test_origins_survive_json(tmp_path: Path) -> None:
    network = shown(tmp_path, "2x8")
    (read,) = json.loads(json.dumps([network]))
    assert dict(read.modules[1].origins) == dict(network.modules[1].origins)


UNKNOWN_CODE = """\
import torch.nn as nn
import absent

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(4, 4)
        widths = [4]
        absent.adjust(widths)
        self.b = nn.Linear(4, widths[0])

    def forward(self, x):
        return self.b(self.a(x))
"""


def test_what_depends_on_an_assumption_about_the_program_is_marked_and_survives_json(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(UNKNOWN_CODE)
    network = cutaway.show(f"{tmp_path}/model.py::Net", input="1x4")[0]
    assert json.loads(json.dumps([network])) == (network,)
    (document,) = json.to_json([network])["architectures"]
    ways = {module["path"]: module["provenance"] for module in document["modules"]}
    (text,) = document["known"]["assumptions"]
    assert text.startswith("an unknown function changes none of its arguments: module absent is not found")
    assert ways == {"": {"assumed": [text]}, "a": "derived", "b": {"assumed": [text]}}
    assert [dict(module.origins)["out_features"] for module in network.modules[1:]] == ["literal", "assumed"]
    assert all(call.assumed == (text,) for module in network.modules for call in module.calls)
