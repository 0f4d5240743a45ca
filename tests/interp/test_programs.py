"""Every program of `programs/` has the same result natively and interpreted."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.interp.differential import MAIN, interpreted, native
from tests.literate import Case, read

pytestmark = pytest.mark.filterwarnings("ignore")

CASES = read(Path(__file__).parent / "programs")


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_program(case: Case, tmp_path: Path) -> None:
    files = _files(case)
    expected = native(files, tmp_path / "native")
    assert expected.error is None, f"{case.file}:{case.line}: the program itself is wrong: {expected}"
    assert str(interpreted(files, tmp_path / "interpreted")) == str(expected)


@pytest.mark.parametrize("case", [case for case in CASES if case.file.stem != "imports"], ids=lambda case: case.name)
def test_installed_program(case: Case, tmp_path: Path) -> None:
    """Of an installed package, definitions are evaluated when they are used, which can't be told from outside.

    That modules are imported late can be told, by what they do to each other.
    """
    files = _files(case)
    expected = native(files, tmp_path / "native")
    assert str(interpreted(files, tmp_path / "interpreted", installed=True)) == str(expected)


def _files(case: Case) -> dict[str, str]:
    needed = case.directive("python")
    if needed is not None and sys.version_info < tuple(map(int, needed.split("."))):
        pytest.skip(f"needs Python {needed}")
    return case.sources(MAIN)
