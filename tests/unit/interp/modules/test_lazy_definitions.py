"""Statements that are evaluated when the name that they bind is used."""

from __future__ import annotations

from pathlib import Path

from cutaway import Architecture, show

SETTINGS = """
import os

if "WIDTH" in os.environ:
    WIDTH = int(os.environ["WIDTH"])
else:
    WIDTH = 3

def set_width(width):
    global WIDTH
    WIDTH = width

def width():
    return WIDTH
"""
NET = """
import os
import torch.nn as nn
import settings
{first}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, {width})

    def forward(self, x):
        return self.fc(x)
"""


def shown(folder: Path, width: str, first: str = "") -> Architecture:
    """Show a network whose width may be one of the settings."""
    (folder / "settings.py").write_text(SETTINGS)
    (folder / "net.py").write_text(NET.format(width=width, first=first))
    return show(f"{folder / 'net.py'}::Net", input="1x2", cache=False)[0]


def conditions(network: Architecture) -> list[str]:
    """Return the conditions that a network is shown under."""
    return [condition.text for condition in network.conditions]


def test_what_is_chosen_by_the_environment_and_not_used_is_no_condition(tmp_path: Path) -> None:
    assert conditions(shown(tmp_path, "5")) == []


def test_what_is_used_is_a_condition(tmp_path: Path) -> None:
    assert conditions(shown(tmp_path, "settings.width()")) == ["'WIDTH' in os.environ"]


def test_it_is_chosen_before_the_environment_changes(tmp_path: Path) -> None:
    network = shown(tmp_path, "settings.width()", "os.environ['WIDTH'] = '7'")
    assert conditions(network) == ["'WIDTH' in os.environ"]
    shape = network.outputs[0].shape
    assert shape is not None and 7 not in shape


def test_a_function_that_assigns_the_name_replaces_it(tmp_path: Path) -> None:
    network = shown(tmp_path, "settings.width()", "settings.set_width(9)")
    assert network.outputs[0].shape == (1, 9)
    assert conditions(network) == []
