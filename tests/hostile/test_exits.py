"""No exception of a target decides the exit code, or hides the networks that were made before it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.hostile.commands import command
from tests.hostile.exits import programs

_PROGRAMS = programs()
_SOME = 4
"""One of so many is run."""


@pytest.mark.parametrize("name", list(_PROGRAMS)[::_SOME])
def test_the_target_does_not_decide_how_the_command_ends(name: str, tmp_path: Path) -> None:
    model = tmp_path / "model.py"
    model.write_text(_PROGRAMS[name])
    ended = command(["show", str(model), "--no-cache", "--timeout", "20"])
    assert ended.code in (0, 1, 2)
    assert "Traceback" not in ended.out + ended.err
    assert "bug in Cutaway" not in ended.err
    assert (ended.code == 2) == bool(ended.err)
    assert ended.code == 2 or "fc: Linear" in ended.out
