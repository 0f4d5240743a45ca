"""Checkpoints in other forms than torch.save's, and weights beside the source that they belong to."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy
import pytest

import cutaway
from cutaway.core.architecture import Architecture

torch = pytest.importorskip("torch")

NET = """
import torch
from torch import nn
class Net(nn.Module):
    def __init__(self, width=16, depth=3):
        super().__init__()
        self.blocks = nn.ModuleList([nn.Linear(width, width) for _ in range(depth)])
        self.head = nn.Linear(width, 2)
    def forward(self, x):
        for block in self.blocks:
            x = torch.relu(block(x))
        return self.head(x)
"""


def _listed(networks: tuple[Architecture, ...]) -> list[object]:
    return [(each.name, [(w.name, w.shape, w.dtype, w.tied_to) for w in each.weights]) for each in networks]


@pytest.mark.parametrize("protocol", range(6))
def test_a_checkpoint_that_pickle_wrote_has_the_weights_that_it_loads(tmp_path: Path, protocol: int) -> None:
    shared = torch.zeros(3, 2)
    state = {
        "large": torch.zeros(600, 600),
        "half": torch.zeros(2, dtype=torch.bfloat16),
        "view": torch.zeros(4, 6).t(),
    }
    value = {"model": {**state, "a": shared, "b": shared}, "epoch": 3}
    with open(tmp_path / "plain.pkl", "wb") as file:
        pickle.dump(value, file, protocol=protocol)
    torch.save(value, tmp_path / "plain.pt")
    ours, theirs = (cutaway.show(str(tmp_path / name), isolated=False) for name in ("plain.pkl", "plain.pt"))
    assert _listed(ours) == _listed(theirs)


def test_states_of_generators_and_lone_numbers_beside_a_network_are_no_networks(tmp_path: Path) -> None:
    state = {"weight": torch.zeros(2, 3), "bias": torch.zeros(2)}
    generators = {"cuda": [torch.get_rng_state()], "numpy": numpy.random.RandomState(0).get_state()}
    kept = {"generators": generators, "callbacks": {"best": torch.tensor(0.5)}, "seen": {"steps": torch.tensor([3, 4])}}
    torch.save({"model": state, "epoch": 3, **kept}, tmp_path / "net.pt")
    (network,) = cutaway.show(str(tmp_path / "net.pt"), isolated=False)
    assert (network.name, [weight.name for weight in network.weights]) == ("model", ["weight", "bias"])


def test_quantized_weights_beside_a_network_are_one(tmp_path: Path) -> None:
    quantized = {"packed": torch.zeros(2, 3, dtype=torch.uint8), "zeros": torch.zeros(2, dtype=torch.int32)}
    torch.save({"model": {"weight": torch.zeros(2, 3)}, "quantized": quantized}, tmp_path / "net.pt")
    assert [each.name for each in cutaway.show(str(tmp_path / "net.pt"), isolated=False)] == ["model", "quantized"]


def test_a_list_of_names_and_tensors_is_one_network(tmp_path: Path) -> None:
    torch.save([("stem.weight", torch.zeros(2, 3)), ("head.weight", torch.zeros(4))], tmp_path / "net.pt")
    (network,) = cutaway.show(str(tmp_path / "net.pt"), isolated=False)
    assert {weight.name: weight.shape for weight in network.weights} == {"stem.weight": (2, 3), "head.weight": (4,)}


def test_a_folder_with_one_index_is_the_network_of_its_shards(tmp_path: Path) -> None:
    torch.save({"a": torch.zeros(2, 3)}, tmp_path / "model-1.bin")
    torch.save({"b": torch.zeros(4)}, tmp_path / "model-2.bin")
    index = {"weight_map": {"a": "model-1.bin", "b": "model-2.bin"}}
    (tmp_path / "model.bin.index.json").write_text(json.dumps(index))
    (network,) = cutaway.show(str(tmp_path), isolated=False)
    assert {weight.name: weight.shape for weight in network.weights} == {"a": (2, 3), "b": (4,)}


def test_weights_with_their_source_are_the_network_of_the_class_that_they_fit(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / "net.py").write_text(NET)
    shapes = {f"module.blocks.{n}.{p}": s for n in range(2) for p, s in (("weight", (24, 24)), ("bias", (24,)))}
    shapes |= {"module.head.weight": (2, 24), "module.head.bias": (2,)}
    torch.save({name: torch.zeros(shape) for name, shape in shapes.items()}, tmp_path / "w.pt")
    (network,) = cutaway.show(str(tmp_path / "w.pt"), input="1x24", path=[str(source)], isolated=False)
    assert sum("relu" in op.op for op in network.ops) == 2
    assert any("Net(width=24, depth=2)" in note.text and "module." in note.text for note in network.assumptions)
    assert all(module.assumed for module in network.modules)


def test_a_module_whose_class_is_not_found_says_what_to_add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "net_elsewhere.py").write_text(NET)
    (tmp_path / "saved").mkdir()
    with monkeypatch.context() as patch:
        patch.syspath_prepend(str(tmp_path))
        torch.save(__import__("net_elsewhere").Net(), tmp_path / "saved" / "whole.pt")
    (network,) = cutaway.show(str(tmp_path / "saved" / "whole.pt"), isolated=False)
    assert any("module net_elsewhere is not found" in note.text for note in network.unknowns)


@pytest.mark.parametrize(
    "value", [{}, [], {"a": 1}, [1, 2], 3, "text", (1, 2), {"n": numpy.zeros(2)}, Path("x"), numpy.float64, {1, 2}]
)
def test_pickles_of_the_oldest_protocols_are_recognised(value: object, tmp_path: Path) -> None:
    for protocol in (0, 1):
        path = tmp_path / f"value{protocol}.dat"
        path.write_bytes(pickle.dumps(value, protocol))
        try:
            cutaway.show(str(path), isolated=False)
        except cutaway.CutawayError as error:
            assert "syntax" not in str(error) and "Python" not in str(error)
