"""Keras models as people write them: every fact equals that of the live model.

`python -m benchmarks.zoo.keras_truth benchmarks/zoo/truth/keras_models.jsonl.gz --files tests/keras_models` records those.
"""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pytest

from benchmarks.zoo.compare import EQUAL
from benchmarks.zoo.measure import measure, read_truth

FOLDER = Path(__file__).resolve().parents[1] / "keras_models"
ROWS = {row["target"]: row for row in read_truth("keras_models")}


def test_every_file_is_recorded() -> None:
    assert sorted(ROWS) == sorted(f"{path.name}::model" for path in FOLDER.glob("*.py"))


@pytest.mark.parametrize("target", sorted(ROWS))
def test_every_fact_is_the_live_models(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if target.startswith("func_transfer"):
        try:
            version("keras")
        except PackageNotFoundError:
            pytest.skip("the source of keras is not installed: pip install --no-deps keras==3.15.1")
    monkeypatch.chdir(FOLDER)
    row: dict[str, Any] = ROWS[target]
    result = measure(row)
    differing = {fact: verdict for fact, verdict in result["verdicts"].items() if verdict[0] != EQUAL}
    assert not differing, "\n".join(map(str, [*differing.items(), *result["unknowns"][:5]]))
