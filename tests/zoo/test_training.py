"""Models of torchvision in training mode: what the modules of an installed package test is decided by their mode."""

from __future__ import annotations

import pytest

import cutaway
from tests.zoo.test_sample import VERSIONS, installed


@pytest.mark.parametrize(
    ("target", "outputs"),
    [
        ("googlenet:googlenet(init_weights=False)", ["logits", "aux_logits2", "aux_logits1"]),
        ("inception:inception_v3(init_weights=False)", ["logits", "aux_logits"]),
    ],
)
def test_auxiliary_outputs_are_those_of_training(target: str, outputs: list[str]) -> None:
    if installed("torchvision") != VERSIONS["torchvision"]:
        pytest.skip("the source of torchvision is not installed")
    for train, names in ((True, outputs), (None, [""])):
        (network,) = cutaway.show(f"torchvision.models.{target}", input="2x3x299x299", train=train)
        assert [value.name for value in network.outputs] == names
        assert {value.shape for value in network.outputs} == {(2, 1000)}
        assert any(module.calls for module in network.modules if "aux" in module.path.lower()) is bool(train)
        assert not network.unknowns and network.other_mode is None
