"""Which networks a file has, and what is remarked about each."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway
from cutaway import Architecture

HEAD = "import torch\nfrom torch import nn\n"
BLOCK = """
class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.layer = nn.Linear(width, width)

    def forward(self, x):
        return self.layer(x)
"""
NET = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(4), Block(4))

    def forward(self, x):
        return self.blocks(x)
"""
DECIDES = """
class Decides(nn.Module):
    def forward(self, x):
        return x * 2 if x.sum() > 0 else x[:1]
"""


@pytest.fixture
def shown(tmp_path: Path) -> object:
    def show(*parts: str) -> dict[str, Architecture]:
        path = tmp_path / "model.py"
        path.write_text(HEAD + "".join(parts))
        return {network.name: network for network in cutaway.show(str(path), input="2x4")}

    return show


def test_parts_of_a_network_are_not_shown_beside_it(shown) -> None:  # type: ignore[no-untyped-def]
    assert list(shown(BLOCK, NET)) == ["Net"]


def test_an_argument_that_a_part_lacks_is_no_unknown_of_the_whole(shown) -> None:  # type: ignore[no-untyped-def]
    assert shown(BLOCK, NET)["Net"].unknowns == ()


def test_an_argument_that_is_not_given_is_a_symbol(shown) -> None:  # type: ignore[no-untyped-def]
    block = shown(BLOCK.replace("return self.layer(x)", "return self.layer.weight"))["Block"]
    assert block.unknowns == ()
    assert [str(size) for size in block.weights[0].shape or ()] == ["width", "width"]


def test_an_argument_that_has_to_fit_the_input_does(shown) -> None:  # type: ignore[no-untyped-def]
    block = shown(BLOCK)["Block"]
    assert block.weights[0].shape == (4, 4)
    assert any("width == 4: linear needs it" in note.text for note in block.assumptions)


def test_what_one_network_can_not_decide_is_no_unknown_of_another(shown) -> None:  # type: ignore[no-untyped-def]
    networks = shown(BLOCK, NET, DECIDES)
    assert networks["Net"].unknowns == ()
    assert [one.kind for one in networks["Decides"].conditions] == ["data"]


def test_a_class_that_can_not_be_made_is_told_with_the_others(shown) -> None:  # type: ignore[no-untyped-def]
    fails = "class Fails(nn.Module):\n    def __init__(self):\n        raise ValueError('no')\n"
    networks = shown(BLOCK, NET, fails)
    assert list(networks) == ["Net", "Fails"]
    assert [fault.message for fault in networks["Fails"].diagnostics] == ["ValueError: no"]
