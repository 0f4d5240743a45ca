"""The JSON form follows its schema, reads back to what was written, and says what is wrong with a bad document."""

from __future__ import annotations

import copy
import json as standard
import math
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import cutaway
from cutaway.core.architecture import Architecture, Op, Value
from cutaway.core.size.dim import Dim
from cutaway.core.size.parser import read_size
from cutaway.report import json

NETWORK = """
import torch.nn as nn

class Net(nn.Module):
    def __init__(self, width, use_norm):
        super().__init__()
        self.conv = nn.Conv2d(3, width, 3, padding=1)
        self.norm = nn.BatchNorm2d(width) if use_norm else nn.Identity()

    def forward(self, x):
        return nn.functional.pixel_unshuffle(self.norm(self.conv(x)), 4)
"""
NETWORKS = ["residual", "broken", "symbolic", "tied"]
VALIDATOR = jsonschema.Draft202012Validator(json.schema())


@pytest.fixture(params=NETWORKS)
def architecture(request: pytest.FixtureRequest) -> Architecture:
    found: Architecture = request.getfixturevalue(request.param)
    return found


def test_the_schema_is_one() -> None:
    jsonschema.Draft202012Validator.check_schema(json.schema())


def test_a_document_follows_the_schema(architecture: Architecture) -> None:
    VALIDATOR.validate(standard.loads(json.dumps([architecture])))


def test_a_document_reads_back(architecture: Architecture) -> None:
    assert json.loads(json.dumps([architecture])) == (architecture,)
    assert json.from_json(json.to_json([architecture])) == (architecture,)


def test_sizes_are_written_as_strings_and_read_back_as_sizes(symbolic: Architecture) -> None:
    document = json.to_json([symbolic])["architectures"][0]
    assert document["outputs"][0]["shape"] == ["B", 8, "H - 2", "floor(W/2)"]
    assert document["totals"]["macs"] == "216*B*(H - 2)*floor(W/2)"
    (read,) = json.loads(json.dumps([symbolic]))
    batch, channels, height, _ = read.outputs[0].shape or ()
    assert isinstance(batch, Dim) and channels == 8 and isinstance(height, Dim)
    assert str(height + 2) == "H"


def test_sizes_in_settings_survive(residual: Architecture) -> None:
    settings = {"size": [read_size("2*B"), 3], "width": read_size("dim // heads"), "name": "B"}
    op = Op("resize", settings, (), (Value("v", (read_size("dim // heads"),), "float32"),), macs=read_size("B"))
    text = json.dumps([replace(residual, ops=(op,))])
    assert '"size": [{"symbolic": "2*B"}, 3], "width": {"symbolic": "dim // heads"}, "name": "B"' in text
    (read,) = json.loads(text)
    assert read.ops == (op,) and json.dumps([read]) == text


def test_what_a_network_says_of_symbolic_sizes_reads_back(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(NETWORK)
    networks = cutaway.show(f"{tmp_path}/model.py::Net", input="Bx3xHxH")
    sizes = networks[0].outputs[0].shape or ()
    assert [str(size) for size in sizes] == ["B", "16*width", "H/4", "H/4"]
    text = json.dumps(networks)
    assert json.loads(text) == networks and json.dumps(json.loads(text)) == text


def test_the_schema_names_every_field() -> None:
    from cutaway.core import architecture as representation

    definitions = json.schema()["$defs"]
    for record, name in {
        "Architecture": "architecture",
        "Value": "value",
        "Module": "module",
        "ModuleCall": "call",
        "Weight": "weight",
        "Op": "op",
        "Totals": "totals",
        "Note": "note",
        "Diagnostic": "diagnostic",
        "Allowed": "allowed",
        "Precondition": "precondition",
        "Condition": "condition",
    }.items():
        expected = [field.name for field in fields(getattr(representation, record))]
        told = [
            field for field in definitions[name]["properties"] if field not in ("provenance", "known", "costs", "depth")
        ]
        assert told == expected
        left_out = {
            "condition",
            "repeat",
            "otherwise",
            "origins",
            "assumed",
            "frees",
            "temporaries",
            "results",
        }  # where they have their defaults
        assert sorted(definitions[name]["required"]) == sorted(set(expected) - left_out)


def test_several_and_none(residual: Architecture, tied: Architecture) -> None:
    assert json.loads(json.dumps([residual, tied])) == (residual, tied)
    assert json.loads(json.dumps([])) == ()


def test_numbers_that_json_lacks_survive(residual: Architecture) -> None:
    op = Op("masked_fill", {"value": -math.inf, "bounds": [math.inf, 1.5]}, (), (Value("v", (), "float32"),))
    text = json.dumps([replace(residual, ops=(op,))])
    standard.loads(text, parse_constant=pytest.fail)
    assert json.loads(text)[0].ops == (op,)
    (nan,) = json.loads(json.dumps([replace(residual, ops=(replace(op, attributes={"value": math.nan}),))]))[0].ops
    assert math.isnan(nan.attributes["value"])  # type: ignore[arg-type]


def test_each_module_weight_and_operation_has_a_line(residual: Architecture) -> None:
    lines = json.dumps([residual]).splitlines()
    for part in (*residual.modules, *residual.ops):
        name = f'"path": "{part.path}"' if hasattr(part, "path") else f'"name": "{part.outputs[0].name}"'
        assert len([line for line in lines if name in line]) == 1


def test_unknown_fields_are_passed_over(residual: Architecture) -> None:
    document = json.to_json([residual])
    document["architectures"][0]["colour"] = "blue"
    assert json.from_json(document) == (residual,)


def at(*path: Any, value: Any) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value

    return change


def without(*path: Any) -> Callable[[Any], None]:
    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        del document[path[-1]]

    return change


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            at("schema", value="cutaway/architecture/9"),
            'schema: this version reads "cutaway/architecture/2", the document is',
        ),
        (without("schema"), 'expected an object with "schema"'),
        (without("architectures"), "architectures: expected a list, found null"),
        (
            without("architectures", 0, "modules", 1, "path"),
            r'architectures\[0\]\.modules\[1\]: the field "path" is missing',
        ),
        (
            at("architectures", 0, "weights", 0, "kind", value="x"),
            r'weights\[0\]\.kind: expected "parameter" or "buffer" or "tensor", found "x"',
        ),
        (
            at("architectures", 0, "weights", 0, "shape", value=[1, 2.5]),
            r"weights\[0\]\.shape\[1\]: expected an integer",
        ),
        (
            at("architectures", 0, "weights", 0, "trainable", value=1),
            r"weights\[0\]\.trainable: expected true or false, found 1",
        ),
        (at("architectures", 0, "ops", 0, "source", value=3), r"ops\[0\]\.source: expected a string, found 3"),
        (at("architectures", 0, "totals", "macs", value=True), r"totals\.macs: expected an integer"),
        (at("architectures", 0, "modules", 0, "config", value=[]), r"modules\[0\]\.config: expected an object"),
        (at("architectures", 0, value="Net"), r'architectures\[0\]: expected an object, found "Net"'),
    ],
)
def test_a_malformed_document_is_refused_with_the_place(
    residual: Architecture, change: Callable[[Any], None], message: str
) -> None:
    document = copy.deepcopy(json.to_json([residual]))
    change(document)
    with pytest.raises(json.MalformedDocument, match=message):
        json.from_json(document)


@pytest.mark.parametrize("text", ["", "{", "[" * 100_000, b"\xff\xfe\x00", "[]", "null"], ids=range(6))
def test_text_that_is_no_document_is_refused(text: str | bytes) -> None:
    with pytest.raises(json.MalformedDocument):
        json.loads(text)


def test_modes_are_written_and_read_back(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text(
        "import torch.nn as nn\n\nclass Net(nn.Module):\n    def forward(self, x):\n"
        "        return (x, x.relu()) if self.training else x\n"
    )
    (network,) = cutaway.show(f"{file}::Net", input="2x4")
    (document,) = json.to_json([network])["architectures"]
    assert document["mode"] == "evaluation" and document["other_mode"]["mode"] == "training"
    assert [note["text"] for note in document["other_mode"]["differences"]] == [
        "returns 0: 2x4 float32, 1: 2x4 float32",
        "runs torch.relu → 2x4",
    ]
    VALIDATOR.validate(standard.loads(json.dumps([network])))
    assert json.loads(json.dumps([network])) == (network,)


def test_modules_have_their_costs(residual: Architecture) -> None:
    (document,) = json.to_json([residual])["architectures"]
    root = document["modules"][0]["costs"]
    assert root == {name: document["totals"][name] for name in root}
    home = document["ops"][0]["module"]
    (conv,) = (each for each in document["modules"] if each["path"] == home)
    weights = [each for each in document["weights"] if each["module"] == home]
    assert conv["costs"]["parameters"] == sum(math.prod(each["shape"]) for each in weights)
    assert conv["costs"]["macs"] == sum(each["macs"] for each in document["ops"] if each["module"] == home)


def test_a_document_of_some_levels(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(
        "from torch import nn\nnet = nn.Sequential(nn.Sequential(nn.Linear(8, 4)), nn.ReLU())\n"
    )
    networks = cutaway.show(str(tmp_path / "net.py"), input="1x8")
    for compact in (False, True):
        text = json.dumps(networks, compact=compact, depth=1)
        VALIDATOR.validate(standard.loads(text))
        (document,) = standard.loads(text)["architectures"]
        assert document["depth"] == 1
        assert [each["path"] for each in document["modules"]] == ["", "0", "1"]
        assert document["modules"][1]["costs"]["parameters"] == 36
        assert (document["weights"], [each["module"] for each in document["ops"]]) == ([], ["1"])
        with pytest.raises(json.MalformedDocument, match="--depth"):
            json.loads(text)


def test_a_compact_document_reads_back(architecture: Architecture) -> None:
    text = json.dumps([architecture], compact=True)
    assert text.count("\n") == 1
    assert json.loads(text) == (architecture,)
