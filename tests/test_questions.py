"""Faults of the kind that people ask about are found, and nothing is reported of the fixed programs."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from benchmarks.questions.__main__ import Version, reports, versions
from cutaway.checking.file_check import check_file


def _versions() -> list[Version]:
    with tempfile.TemporaryDirectory() as folder:
        return versions(Path(folder), "")


VERSIONS = _versions()


def _problems(version: Version, folder: Path) -> list[str]:
    file = folder / version.path.name
    file.write_text(version.text, encoding="utf-8")
    return [f"{each.line}: {each.message}" for each in reports(version, check_file(str(file)))]


@pytest.mark.parametrize("version", [each for each in VERSIONS if each.is_faulty], ids=lambda each: each.path.stem)
def test_the_fault_is_found(version: Version, tmp_path: Path) -> None:
    assert bool(_problems(version, tmp_path)) != bool(version.not_found)


@pytest.mark.parametrize("version", [each for each in VERSIONS if not each.is_faulty], ids=lambda each: each.path.stem)
def test_nothing_is_reported_of_the_fixed_program(version: Version, tmp_path: Path) -> None:
    assert _problems(version, tmp_path) == []
