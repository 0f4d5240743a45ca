"""What the tests of hostile targets share."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway
from cutaway.knowledge.base import registry

_BROUGHT = "argparse calendar csv dataclasses einops enum fractions keyword numpy pathlib statistics string typing"


@pytest.fixture(scope="package", autouse=True)
def _warm(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Load what any target may need: it is then no act of one, and each child process has it already."""
    registry.load_all()
    model: Path = tmp_path_factory.mktemp("warm") / "model.py"
    uses = "".join(f"import {name}\n{name}.x\n" for name in _BROUGHT.split())
    model.write_text(f"{uses}from torch import nn\nnet = nn.Linear(2, 3)\n")
    cutaway.show(str(model), input="1x2", isolated=False)
