"""`show --explain`: where unknowns come from, and how much of a network depends on each."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway
from cutaway import cli

MODEL = """\
import torch
from torch import nn
from absent import width
from missing import enough


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.up = nn.Linear(8, width)
        self.down = nn.Linear(width, 8, bias=False)

    def forward(self, x):
        return self.down(self.up(x))


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(width), Block(width))
        self.plain = nn.Linear(8, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        return self.head(enough(self.plain(self.blocks(x))))
"""


@pytest.fixture
def model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "70")
    (tmp_path / "model.py").write_text(MODEL)
    return "model.py::Net"


def causes(target: str, shape: str) -> list[tuple[str, int, int, int]]:
    (network,) = cutaway.show(target, input=shape)
    return [(str(cause.place), cause.modules, cause.weights, cause.ops) for cause in network.causes]


def test_that_on_which_most_hangs_comes_first(model: str) -> None:
    # up of two blocks: the output, a weight and a bias each; down: a weight each. neither what head returns nor the result is known
    assert causes(model, "1x8") == [("model.py:3", 2, 6, 2), ("model.py:4", 2, 0, 1)]


def test_every_unknown_has_a_cause(model: str) -> None:
    (network,) = cutaway.show(model, input="1x8")
    listed = {(cause.text, cause.place) for cause in network.causes}
    assert {(note.text, note.place) for note in network.unknowns} <= listed


def test_causes_survive_json(model: str) -> None:
    networks = cutaway.show(model, input="1x8")
    assert cutaway.loads(cutaway.dumps(networks)) == networks


def test_they_are_printed_with_their_places(model: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", model, "--input", "1x8", "--explain"]) == 0
    assert capsys.readouterr().out == (
        "Net  model.py::Net  pytorch\n"
        "\n"
        "Where unknowns come from (2), in a network of 10 modules, 10 weights,\n"
        "6 operations\n"
        "2 modules, 6 weights, 2 operations depend on\n"
        "  model.py:3  module absent is not found: add its folder with --path,\n"
        "              or install it\n"
        "2 modules, 1 operation depend on\n"
        "  model.py:4  module missing is not found: add its folder with --path,\n"
        "              or install it\n"
        "\n"
        "known: 63% of 27 facts (17 derived, 10 unknown)\n"
    )


def test_a_network_that_is_known(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.py").write_text("from torch import nn\nnet = nn.Linear(2, 3)\n")
    assert cli.main(["show", f"{tmp_path}/model.py::net", "--input", "1x2", "--explain"]) == 0
    assert capsys.readouterr().out.endswith("\n\nnothing is unknown\n")
