"""The tables of other packages, and the facts that are kept of their models, belong together."""

from __future__ import annotations

import pytest

from benchmarks.packages.table import read_table, read_truth


@pytest.mark.parametrize("name", ["first", "second"])
def test_every_recorded_model_is_one_of_the_table(name: str) -> None:
    packages = read_table(name)
    listed = {(package.name, model.target): list(model.inputs) for package in packages for model in package.models}
    recorded = {(row["package"], row["target"]): row["input"] for row in read_truth(name)}
    assert len(packages) == 10
    assert recorded == {key: listed[key] for key in recorded}
    assert {package for package, _ in recorded} == {package.name for package in packages}
