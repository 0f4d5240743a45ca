"""What is said about the inputs of random networks holds in torch; `benchmarks.solve.generated` runs more of them."""

from __future__ import annotations

import pytest

pytest.importorskip("torch")

from benchmarks.solve.generated import judge
from benchmarks.solve.generated_networks import generate

SEEDS = (1, 2, 3, 4, 6, 8, 9, 14, 15, 16, 18, 19)


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_said_about_inputs_holds(seed: int) -> None:
    network = generate(seed)
    assert not judge(network, seed).problems, network.source()
