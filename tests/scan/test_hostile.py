"""Hostile files: each is found out, and nothing in it runs."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from cutaway.scan.files import scan_file
from cutaway.scan.finding import RUNS
from tests.scan.evasive_files import evasive_files
from tests.scan.hostile_files import CANARY, hostile_files

FILES = {**dict(hostile_files()), **dict(evasive_files())}


def test_there_are_many() -> None:
    assert len(FILES) >= 300


@pytest.mark.parametrize("name", sorted(FILES))
def test_a_hostile_file_would_run_code_and_none_of_it_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / name
    path.write_bytes(FILES[name])
    report = scan_file(str(path))
    assert report.verdict == RUNS, report.findings
    assert not os.path.exists(CANARY)
