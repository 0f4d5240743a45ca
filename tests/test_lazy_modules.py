"""Modules that wait until something of them is used: nobody can notice."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import cutaway
from benchmarks.checkouts.targets import Job
from benchmarks.lazy.__main__ import compared, workers
from benchmarks.lazy.registries import KINDS, registry_jobs
from cutaway.interp.analysis import single_run

MODELS = [
    Job("get_model", "torchvision.models:get_model('fcn_resnet50', weights_backbone=None)", ["1x3x64x64"]),
    Job("quantized", "torchvision.models:get_model('quantized_resnet18')", ["1x3x64x64"]),
    Job("list_models", "torchvision.models:get_model(list_models()[3])", ["1x3x64x64"]),
]


def jobs() -> list[Job]:
    """Return programs with every kind of registry, each imported in a few ways, and models that are built by their name."""
    generated = list(registry_jobs())
    return [*generated[:: len(generated) // (3 * len(KINDS)) - 1], *MODELS]


def test_results_are_the_same_with_every_module_evaluated_where_it_is_imported() -> None:
    lazy, eager = workers()
    try:
        different = {job.name: compared(lazy, eager, job) for job in jobs()}
    finally:
        lazy.stop()
        eager.stop()
    assert {name: found[:3] for name, found in different.items() if found} == {}


def test_a_module_may_read_its_own_registry_late(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "zoo").mkdir()
    (tmp_path / "zoo" / "__init__.py").write_text("")
    (tmp_path / "zoo" / "table.py").write_text("SIZES = {}\nSIZES['small'] = 4\nWIDTH = sum(SIZES.values())\n")
    source = "from torch import nn\nfrom zoo import table\nnet = nn.Linear(2, table.WIDTH)\n"
    (tmp_path / "model.py").write_text(source)
    repeats = []

    def noted(*arguments: Any, **options: Any) -> Any:
        repeats.append(options.get("lazy", True))
        return new_analysis(*arguments, **options)

    new_analysis = single_run._new_analysis
    monkeypatch.setattr(single_run, "_new_analysis", noted)
    (network,) = cutaway.show(f"{tmp_path}/model.py::net", isolated=False)
    assert network.weights[0].shape == (4, 2)
    assert all(repeats)
