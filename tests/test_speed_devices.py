"""What exists for speed alone changes no result."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from benchmarks.checkouts.__main__ import Worker
from benchmarks.checkouts.compare import differences, without_assumptions
from benchmarks.checkouts.targets import Job, case_jobs
from cutaway.core.speed import DEVICES

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = [
    Job("mobilenet", "torchvision.models.mobilenetv2:mobilenet_v2", ["1x3x64x64"]),
    Job("swin", "torchvision.models.swin_transformer:swin_t", ["1x3x64x64"]),
]


def jobs() -> list[Job]:
    """Return every tenth literate case, and models of an installed package."""
    return [*list(case_jobs())[::10], *PACKAGES]


@pytest.fixture(scope="module")
def expected() -> dict[str, dict[str, Any]]:
    worker = Worker(ROOT)
    try:
        return {job.name: worker.run(job) for job in jobs()}
    finally:
        worker.stop()


@pytest.mark.parametrize("device", [*DEVICES, "all"])
def test_results_are_the_same_without(device: str, expected: dict[str, dict[str, Any]]) -> None:
    worker = Worker(ROOT)
    worker.environment = {**os.environ, **worker.environment, "CUTAWAY_WITHOUT": device}
    try:
        different = {
            job.name: list(differences(without_assumptions(expected[job.name]), without_assumptions(worker.run(job))))
            for job in jobs()
        }
    finally:
        worker.stop()
    assert {name: found for name, found in different.items() if found} == {}
