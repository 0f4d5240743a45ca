"""How a network differs in the other mode, in words."""

from __future__ import annotations

from pathlib import Path

import cutaway
from cutaway.passes.modes import other_mode

NORMS = """
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.norms = nn.ModuleList(nn.BatchNorm1d(4) for _ in range(6))

    def forward(self, x):
        for norm in self.norms:
            x = norm(x)
        return x
"""
TWICE = """
import torch.nn as nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    def forward(self, x):
        x = self.fc(x).relu()
        return self.fc(x).relu() if self.training else x
"""


def differences(source: str, tmp_path: Path, train: bool) -> list[str]:
    file = tmp_path / "model.py"
    file.write_text(source)
    shown, other = (cutaway.show(f"{file}::Net", input="2x4", train=mode)[0] for mode in (not train, train))
    found = other_mode(shown, other)
    assert found.mode == ("training" if train else "evaluation")
    return [note.text for note in found.differences]


def test_what_many_modules_do_is_said_once(tmp_path: Path) -> None:
    names = "norms.0, norms.1, norms.2, norms.3 and 2 more modules"
    assert differences(NORMS, tmp_path, train=True) == [f"runs torch.Tensor.add_ → (), in {names}"]
    assert differences(NORMS, tmp_path, train=False) == [f"does not run torch.Tensor.add_ → (), in {names}"]


def test_what_is_done_more_often_is_said_of_the_further_times(tmp_path: Path) -> None:
    assert differences(TWICE, tmp_path, train=True) == [
        "Linear is called 2x4 → 2x4; 2x4 → 2x4 instead of 2x4 → 2x4",
        "runs torch.relu → 2x4",
    ]


def test_the_same_in_both_modes(tmp_path: Path) -> None:
    same = NORMS.replace("BatchNorm1d(4)", "Linear(4, 4)")
    assert differences(same, tmp_path, train=True) == []
