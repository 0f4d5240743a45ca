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
    needed = case.directive("python")
    if needed is not None and sys.version_info < tuple(map(int, needed.split("."))):
        pytest.skip(f"needs Python {needed}")
    files = case.sources(MAIN)
    expected = native(files, tmp_path / "native")
    if case.directive("raises") is None:
        assert expected.error is None, f"{case.file}:{case.line}: the program itself is wrong: {expected}"
    assert str(interpreted(files, tmp_path / "interpreted")) == str(expected)
