"""Modules that read values from text."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway

PROGRAM = """\
import tomllib
from torch import nn

with open("net.toml", "rb") as file:
    settings = tomllib.load(file)
net = nn.Linear(settings["net"]["width"], tomllib.loads("classes = 2")["classes"])
"""


def test_toml_is_read(tmp_path: Path) -> None:
    pytest.importorskip("tomllib", reason="Python has it from 3.11 on")
    (tmp_path / "net.toml").write_text("[net]\nwidth = 3\n")
    (tmp_path / "model.py").write_text(PROGRAM)
    (network,) = cutaway.show(str(tmp_path / "model.py"), cache=False)
    assert network.weights[0].shape == (2, 3) and not network.unknowns
