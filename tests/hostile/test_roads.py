"""No road through code of the host leads a target out of its world, or changes anything in it."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

import cutaway
from cutaway.core.record import compile_initialisers
from tests.hostile.addresses import ADDRESSES, NOTES
from tests.hostile.apart import apart
from tests.hostile.library_roads import LIBRARY_ROADS
from tests.hostile.protocol_roads import ROADS
from tests.hostile.roads import FILES, READS_BY_NAME
from tests.hostile.snapshot import changed, state
from tests.hostile.test_acts import _NETWORK
from tests.hostile.variables import VARIABLES
from tests.hostile.watch import watching


def _prepared(folder: Path) -> Path:
    """Fill a project with links that lead out of it and with hidden files; return the folder that they lead to."""
    outside = folder.parent / f"{folder.name}_outside"
    outside.mkdir()
    (outside / "secret.py").write_text("secret = 'a token'\n")
    (outside / "passwd").write_text("root: token\n")
    (folder / "keep").write_text("kept")
    (folder / "hostile_mark.py").write_text("raise SystemExit('imported')")
    (folder / "link").symlink_to("/etc/passwd")
    (folder / "folder").symlink_to(outside)
    (folder / "linked.py").symlink_to(outside / "secret.py")
    (folder / ".secret").write_text("token\n")
    (folder / ".git").mkdir()
    (folder / ".git" / "config").write_text("token\n")
    return outside


def effects(folder: Path, attack: str) -> list[str]:
    """Return what a target does to its host: acts, loot, changes, and files."""
    outside = _prepared(folder)
    model = folder / "model.py"
    text = attack.replace("HERE", str(folder)).replace("OUTSIDE", str(outside))
    model.write_text(_NETWORK.format(attack=text))
    names = {path.name for path in folder.iterdir()}
    compile_initialisers()
    before = state()
    with watching() as watch, suppress(cutaway.CutawayError):
        cutaway.show(f"{model}::Net", input="1x2", timeout=20, isolated=False)
    new = {path.name for path in folder.iterdir()} ^ names
    return [*watch.acts, *watch.escaped(), *changed(before, state()), *new]


def _cases(*tables: dict[str, str]) -> list[object]:
    return [pytest.param(text, id=name) for table in tables for name, text in table.items()]


@pytest.mark.parametrize("attack", _cases(READS_BY_NAME, FILES, ADDRESSES, NOTES, ROADS, VARIABLES, LIBRARY_ROADS))
def test_a_road_ends_inside(tmp_path: Path, attack: str, capfd: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "project"
    folder.mkdir()
    assert apart(effects, folder, attack) == []
    assert capfd.readouterr() == ("", "")
