"""Inputs that are found from a class alone, against the live model: at the borders of what is admitted, and around them."""

from __future__ import annotations

import random

import pytest

import cutaway


@pytest.mark.parametrize("name", ["LeNet", "Cifar", "Mnist"])
def test_what_is_admitted_runs_and_what_is_excluded_fails(name: str) -> None:
    pytest.importorskip("torch")
    from benchmarks.solve import networks
    from benchmarks.solve.__main__ import built, inputs, runs, shifted, sizes

    required = cutaway.show(f"benchmarks/solve/networks.py::{name}")[0].requires
    assert required is not None and required.exact
    model = built(getattr(networks, name))
    rng = random.Random(1)
    tried = {True: 0, False: 0}
    for given in sizes(required, rng):
        admitted = required.admits({"B": 1, "C": 3 if name != "Mnist" else 1, **given})
        assert runs(model, required, inputs(required, given)) is admitted, given
        tried[admitted] += 1
    assert min(tried.values()) > 5
    assert not any(runs(model, required, shapes) for shapes in shifted(required, rng))
