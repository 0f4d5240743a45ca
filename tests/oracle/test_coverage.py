"""The modelled share of the public API does not fall below the committed floor."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.coverage import measure

FLOOR = json.loads(Path(__file__).with_name("coverage.json").read_text())
MEASURED = {coverage.namespace: coverage for coverage in measure()}


@pytest.mark.parametrize("namespace", sorted(FLOOR))
def test_coverage_does_not_fall(namespace: str) -> None:
    """After adding rows, raise the floor: `python -m benchmarks.coverage --json > tests/oracle/coverage.json`."""
    coverage = MEASURED[namespace]
    modelled = len(coverage.public) - len(coverage.missing)
    assert modelled >= FLOOR[namespace]["modelled"], f"missing: {', '.join(coverage.missing)}"


def test_every_namespace_has_a_floor() -> None:
    assert set(FLOOR) == set(MEASURED)
