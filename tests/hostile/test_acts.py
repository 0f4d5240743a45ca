"""A target that acts has no effect but an unknown."""

from __future__ import annotations

import sys
from contextlib import suppress
from pathlib import Path

import pytest

import cutaway
from cutaway.core.record import compile_initialisers
from tests.hostile.acts import BRINGS, READS, STARTS, WRITES
from tests.hostile.apart import apart
from tests.hostile.host_state import CHANGES
from tests.hostile.introspection import ESCAPES
from tests.hostile.snapshot import changed, state
from tests.hostile.watch import Watch, watching

_NETWORK = """
import torch
from torch import nn
{attack}

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)

    def forward(self, x):
        return self.fc(x)
"""


_MARKS = {
    "requests": pytest.mark.xfail(
        reason="requests.get is given up, because following it takes too long, and the network is lost with it"
    )
}


def _cases(*tables: dict[str, str]) -> list[object]:
    return [pytest.param(text, id=name, marks=_MARKS.get(name, ())) for table in tables for name, text in table.items()]


def _analyse(folder: Path, attack: str, may_fail: bool = False) -> Watch:
    """Show a network in whose file the attack stands; it must come out all the same, or have a fault where it may."""
    (folder / "keep").write_text("kept")
    (folder / "hostile_mark.py").write_text("raise SystemExit('imported')")
    (folder / "link").unlink(missing_ok=True)
    (folder / "link").symlink_to("/etc/passwd")
    model = folder / "model.py"
    model.write_text(_NETWORK.format(attack=attack.replace("HERE", str(folder))))
    loaded = set(sys.modules)
    with watching() as watch:
        (network,) = cutaway.show(f"{model}::Net", input="1x2", timeout=60, isolated=False)
    new = {name for name in set(sys.modules) - loaded if not name.startswith(("cutaway", "numpy"))}
    assert not any("hostile" in name or name == "model" for name in new), new
    assert (may_fail and network.diagnostics) or network.weights[0].shape == (3, 2)
    assert {p.name for p in folder.iterdir()} == {"keep", "link", "model.py", "hostile_mark.py"}
    assert (folder / "keep").read_text() == "kept"
    return watch


def _acts_and_loot(folder: Path, attack: str) -> tuple[list[str], list[str]]:
    watch = _analyse(folder, attack)
    return watch.acts, watch.escaped()


def _changes(folder: Path, attack: str) -> list[str]:
    compile_initialisers()
    before = state()
    with suppress(cutaway.CutawayError):  # a network whose parts its file has changed may be none any more
        _analyse(folder, attack, may_fail=True)
    return changed(before, state())


@pytest.mark.parametrize("attack", _cases(WRITES, READS, STARTS, BRINGS))
def test_a_target_that_acts_has_no_effect(tmp_path: Path, attack: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert apart(_acts_and_loot, tmp_path, attack) == ([], [])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("attack", _cases(ESCAPES))
def test_a_target_does_not_reach_the_host(tmp_path: Path, attack: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert apart(_acts_and_loot, tmp_path, attack) == ([], [])
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("attack", _cases(CHANGES))
def test_a_target_does_not_change_the_host(tmp_path: Path, attack: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert apart(_changes, tmp_path, attack) == []
    assert capfd.readouterr() == ("", "")
