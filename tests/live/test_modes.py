"""A running network is in the same mode as the one that is read, whoever has set it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("torch")

import torch

import cutaway
from cutaway.cli import main

PROGRAM = """
import copy
import torch
from torch import nn

class Gate(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = nn.BatchNorm1d(4)
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        x = self.norm(x)
        return self.fc(x) if self.training else x

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.first = Gate()
        self.second = Gate()
        self.aux = nn.Linear(4, 2)

    def forward(self, x):
        x = self.second(self.first(x))
        return (x, self.aux(x)) if self.training else x

class Partly(Net):
    def __init__(self):
        super().__init__()
        self.first.train()
        self.second.norm.eval()

class Frozen(Net):
    def train(self, mode=True):
        super().train(mode)
        self.first.eval()
        return self

class Stubborn(Net):
    def train(self, mode=True):
        return super().train(True)

class Parametrized(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.utils.parametrizations.spectral_norm(nn.Linear(4, 4))
        self.old = nn.utils.spectral_norm(nn.Linear(4, 4), n_power_iterations=2)

    def forward(self, x):
        return self.old(self.fc(x))

class Assigned(Net):
    def __init__(self):
        super().__init__()
        for module in self.modules():
            if isinstance(module, nn.BatchNorm1d):
                module.training = module is self.first.norm

trained = Net().train()
evaluated = Net().train().eval()
extended = Net().train()
extended.aux = nn.Sequential(nn.BatchNorm1d(4), nn.Linear(4, 2))
replaced = Net().eval()
replaced.aux = nn.Linear(4, 2)
copied = Partly()
copied.second = copy.deepcopy(copied.first)
synchronized = nn.SyncBatchNorm.convert_sync_batchnorm(nn.Sequential(nn.BatchNorm1d(4).eval(), nn.Linear(4, 4)))
"""


@pytest.mark.parametrize("option", [None, "--train", "--eval"])
@pytest.mark.parametrize(
    "network",
    """Net Partly Frozen Stubborn Parametrized Assigned trained evaluated extended replaced copied synchronized""".split(),
)
def test_both_paths_are_in_the_same_mode(
    network: str, option: str | None, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    if (network, option) == ("synchronized", "--train"):
        pytest.skip("a synchronised batch norm runs on an accelerator only")
    file = tmp_path / "model.py"
    file.write_text(PROGRAM)
    target = f"{file}::{network}"
    assert main(["verify", target, "--input", "2x4", "--format", "json", *([option] if option else [])]) == 0
    assert json.loads(capsys.readouterr().out)["facts"] == []
    train = {None: None, "--train": True, "--eval": False}[option]
    static, live = (cutaway.show(target, input="2x4", train=train, live=live)[0] for live in (False, True))
    assert static.mode == live.mode
    assert {note.text for note in static.assumptions} <= {note.text for note in live.assumptions}


def test_a_network_is_left_in_its_own_mode() -> None:
    network = torch.nn.Sequential(torch.nn.Dropout(), torch.nn.BatchNorm1d(4).eval())
    shown = cutaway.observe(network, torch.zeros(2, 4))
    assert shown.mode == "evaluation"
    assert [module.training for module in network.modules()] == [True, True, False]
    assert not any("mode" in name for module in network.modules() for name in vars(module))
