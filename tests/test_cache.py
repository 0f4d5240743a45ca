"""Results that are kept on disk: given back only while nothing that they were made from has changed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import cutaway
from cutaway import cache
from cutaway.core import disk
from cutaway.interp.analysis import pipeline
from cutaway.isolation import files

MODEL = """
from torch import nn
from part import WIDTH

Net = nn.Sequential(nn.Linear(3, WIDTH))
"""

ENDLESS = """
from torch import nn

class Net(nn.Module):
    def forward(self, x):
        for _ in range(10**9):
            self.step()

    def step(self):
        return [].copy()
"""


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A network in two files, and a cache that keeps everything."""
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "kept"))
    monkeypatch.setattr(cache, "MIN_SECONDS", -1.0)
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / "model.py").write_text(MODEL)
    (folder / "part.py").write_text("WIDTH = 5\n")
    return folder


@pytest.fixture
def analyses(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """The targets that are analysed, one after the other."""
    done: list[str] = []
    analyse = pipeline.analyse

    def counted(target: pipeline.Target, *rest: Any) -> list[cutaway.Architecture]:
        done.append(str(target))
        return analyse(target, *rest)

    monkeypatch.setattr(pipeline, "analyse", counted)
    yield done


def shown(folder: Path, **options: object) -> tuple[cutaway.Architecture, ...]:
    """Analyse in this process, so that the tests see when."""
    return cutaway.show(f"{folder / 'model.py'}::Net", cache=True, isolated=False, **options)  # type: ignore[arg-type]


def test_second_time_is_not_analysed(project: Path, analyses: list[str]) -> None:
    first, second = shown(project), shown(project)
    assert first == second
    assert len(analyses) == 1


def test_other_inputs_are_another_result(project: Path, analyses: list[str]) -> None:
    shown(project, input="1x3")
    assert shown(project, input="7x3")[0].outputs != shown(project, input="1x3")[0].outputs
    assert len(analyses) == 2


def test_changed_file_is_seen(project: Path) -> None:
    assert shown(project)[0].totals.parameters == 20
    (project / "part.py").write_text("WIDTH = 6\n")
    assert shown(project)[0].totals.parameters == 24


def test_change_that_leaves_size_and_time_is_seen(project: Path) -> None:
    shown(project)
    before = (project / "part.py").stat()
    (project / "part.py").write_text("WIDTH = 7\n")
    os.utime(project / "part.py", ns=(before.st_atime_ns, before.st_mtime_ns))
    assert shown(project)[0].totals.parameters == 28


def test_file_that_takes_the_place_of_another_is_seen(project: Path) -> None:
    shown(project)
    (project / "part").mkdir()
    (project / "part" / "__init__.py").write_text("WIDTH = 8\n")
    assert shown(project)[0].totals.parameters == 32


def test_file_that_is_gone_is_seen(project: Path) -> None:
    shown(project)
    (project / "part.py").unlink()
    assert shown(project)[0].totals.parameters != 20


def test_unrelated_file_changes_nothing(project: Path, analyses: list[str]) -> None:
    shown(project)
    (project / "notes.txt").write_text("wider")
    shown(project)
    assert len(analyses) == 1


def test_another_cutaway_analyses_again(project: Path, analyses: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    shown(project)
    monkeypatch.setattr(cache, "__version__", "another")
    shown(project)
    assert len(analyses) == 2


@pytest.mark.parametrize("damage", [b"", b"{", b"[]\n", b"\xff\xfe", b'{"key": 3}\n{}'])
def test_damaged_entry_is_made_anew(project: Path, analyses: list[str], damage: bytes) -> None:
    first = shown(project)
    (entry,) = (project.parent / "kept").iterdir()
    entry.write_bytes(damage)
    assert shown(project) == first
    assert shown(project) == first
    assert len(analyses) == 2


def test_cut_entry_is_made_anew(project: Path, analyses: list[str]) -> None:
    first = shown(project)
    (entry,) = (project.parent / "kept").iterdir()
    entry.write_bytes(entry.read_bytes()[:-40])
    assert shown(project) == first
    assert len(analyses) == 2


def test_folder_that_cannot_be_written_keeps_nothing(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = project.parent / "file"
    file.write_text("")
    monkeypatch.setenv(cache.VARIABLE, str(file))
    assert shown(project)[0].totals.parameters == 20


def test_quick_result_is_not_kept(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache, "MIN_SECONDS", 1e6)
    shown(project)
    assert not (project.parent / "kept").exists()


def test_result_that_depends_on_time_is_not_kept(project: Path) -> None:
    (project / "model.py").write_text(ENDLESS)
    assert shown(project, input="1x3", timeout=0.3)[0].unknowns
    assert not (project.parent / "kept").exists()


def test_entries_that_are_not_used_make_room(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown(project)
    (entry,) = (project.parent / "kept").iterdir()
    monkeypatch.setattr(files, "MAX_CACHE_BYTES", entry.stat().st_size * 3 // 2)
    shown(project, input="1x3")
    assert len(list((project.parent / "kept").iterdir())) == 1
    assert not entry.exists()


def test_question_is_answered_once_in_a_recording(tmp_path: Path) -> None:
    file = tmp_path / "file"
    with disk.recorded():
        assert not disk.is_file(str(file))
        file.write_text("")
        assert not disk.is_file(str(file))
    assert disk.is_file(str(file))
