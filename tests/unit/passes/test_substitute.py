"""Numbers in place of symbols, in all parts of a network."""

from __future__ import annotations

import pytest

from cutaway.core.architecture import Architecture, Module, ModuleCall, Op, Value, Weight
from cutaway.core.error import CutawayError
from cutaway.core.size.parser import read_size as size
from cutaway.passes.cost import with_totals
from cutaway.passes.substitute import evaluate, names

B, H, W, HALF = size("B"), size("H"), size("W"), size("ceil(H/2)")
GIVEN, MADE = (B, 3, H, H), (B, W, HALF, HALF)


@pytest.fixture
def network() -> Architecture:
    attributes = {"padding": "same", "size": [HALF, HALF], "scale": [B], "name": "H"}
    return with_totals(
        Architecture(
            "Net",
            inputs=(Value("x", GIVEN, "float32"),),
            outputs=(Value("", MADE, "float32"),),
            modules=(Module("", "Net", "model.Net", calls=(ModuleCall((GIVEN,), (MADE,)),)),),
            weights=(Weight("weight", (W, 3), "float32", "parameter"),),
            ops=(Op("resize", attributes, (), (Value("v1", MADE, "float32"),), macs=size("3*B*W*ceil(H/2)**2")),),
        )
    )


def test_names_are_those_of_all_sizes(network: Architecture) -> None:
    assert names(network) == {"B", "H", "W"}


def test_what_is_given_is_put_in_everywhere(network: Architecture) -> None:
    found = evaluate(network, {"H": 7, "W": 2})
    assert found.inputs[0].shape == (B, 3, 7, 7)
    assert found.modules[0].calls[0].outputs == ((B, 2, 4, 4),)
    assert found.weights[0].shape == (2, 3)
    assert dict(found.ops[0].attributes) == {"padding": "same", "size": [4, 4], "scale": [B], "name": "H"}
    assert (found.totals.parameters, found.totals.macs) == (6, 96 * B)
    assert found.totals.activation_bytes == 128 * B


def test_a_quotient_that_is_not_whole_is_refused() -> None:
    network = Architecture("Net", inputs=(Value("x", (size("H/32"),), "float32"),))
    assert evaluate(network, {"H": 64}).inputs[0].shape == (2,)
    with pytest.raises(CutawayError, match=r"H=65 can't be: H/32 is a whole number, but 65 is not divisible by 32"):
        evaluate(network, {"H": 65})
