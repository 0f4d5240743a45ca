"""Static results against what is true."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import cutaway
from cutaway.core.architecture import Architecture, Note
from cutaway.core.size.dim import symbol
from cutaway.passes.compare import EQUAL, UNKNOWN, WRONG, compare, shape_verdict

SOURCE = """
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3)
        self.act = nn.ReLU()
    def forward(self, x):
        return self.act(self.conv(x)).flatten(1)
"""


@pytest.fixture(scope="module")
def net(tmp_path_factory: pytest.TempPathFactory) -> Architecture:
    path: Path = tmp_path_factory.mktemp("compare") / "net.py"
    path.write_text(SOURCE)
    (found,) = cutaway.show(f"{path}::Net", input="1x3x8x8")
    return found


def verdicts(static: Architecture, true: Architecture) -> dict[str, set[str]]:
    """Return the kinds of facts that are not equal, with their verdicts."""
    found: dict[str, set[str]] = {}
    for fact in compare(static, true):
        if fact.verdict != EQUAL:
            assert fact.detail
            found.setdefault(fact.kind, set()).add(fact.verdict)
    return found


def changed(architecture: Architecture, field: str, at: int, **changes: Any) -> Architecture:
    entries = list(getattr(architecture, field))
    entries[at] = replace(entries[at], **changes)
    return replace(architecture, **{field: tuple(entries)})


def test_a_network_equals_itself(net: Architecture) -> None:
    assert verdicts(net, net) == {}
    assert {fact.kind for fact in compare(net, net)} >= {"tree", "weights", "calls", "operations", "macs"}


def test_what_is_stated_and_differs_is_wrong(net: Architecture) -> None:
    assert verdicts(changed(net, "modules", 2, class_name="GELU"), net) == {"tree": {WRONG}}
    assert verdicts(changed(net, "modules", 2, config={"inplace": True}), net) == {"configuration": {WRONG}}
    assert verdicts(changed(net, "weights", 0, shape=(8, 3, 5, 5)), net) == {"weights": {WRONG}}
    assert verdicts(changed(net, "weights", 0, dtype="float16"), net) == {"weights": {WRONG}}
    assert verdicts(changed(net, "weights", 1, tied_to="conv.weight"), net) == {"weights": {WRONG}}
    assert verdicts(changed(net, "outputs", 0, shape=(1, 9)), net) == {"outputs": {WRONG}}
    assert verdicts(changed(net, "modules", 2, calls=()), net) == {"calls": {WRONG}}
    assert verdicts(changed(net, "ops", 1, attributes={"inplace": True}), net) == {"attributes": {WRONG}}
    assert verdicts(changed(net, "ops", 1, module="conv"), net) == {"operations": {WRONG}}
    assert verdicts(replace(net, ops=net.ops[:-1]), net) == {"operations": {WRONG}}
    assert verdicts(replace(net, modules=net.modules[:-1]), net) == {"tree": {WRONG}}
    assert verdicts(replace(net, totals=replace(net.totals, macs=1)), net) == {"macs": {WRONG}}


def test_what_is_left_open_is_unknown(net: Architecture) -> None:
    assert verdicts(changed(net, "weights", 0, shape=None), net) == {"weights": {UNKNOWN}}
    assert verdicts(changed(net, "outputs", 0, shape=(1, None)), net) == {"outputs": {UNKNOWN}}
    assert verdicts(replace(net, totals=replace(net.totals, macs=None)), net) == {"macs": {UNKNOWN}}
    unsure = replace(net, unknowns=(Note("a condition", module=""),), ops=net.ops[:-1])
    assert verdicts(unsure, net) == {"operations": {UNKNOWN}}
    part = replace(changed(net, "modules", 0, complete=False))
    assert verdicts(replace(part, modules=part.modules[:-1]), net) == {"tree": {UNKNOWN}}


def test_nothing_is_known_behind_what_raised(net: Architecture) -> None:
    call = replace(net.modules[0].calls[0], outputs=None)
    truth = changed(replace(net, ops=net.ops[:1], outputs=()), "modules", 0, calls=(call,))
    truth = changed(truth, "modules", 2, calls=())
    assert verdicts(net, truth) == {"outputs": {UNKNOWN}, "calls": {UNKNOWN}, "operations": {UNKNOWN}}


@pytest.mark.parametrize(
    ("static", "true", "verdict"),
    [
        ((1, 2), (1, 2), EQUAL),
        ((1, 3), (1, 2), WRONG),
        ((1,), (1, 2), WRONG),
        ((None, 2), (1, 2), UNKNOWN),
        ((symbol("B"), 2), (1, 2), UNKNOWN),
        ((symbol("B"), 3), (1, 2), WRONG),
        (None, (1, 2), UNKNOWN),
    ],
)
def test_shapes(static: Any, true: Any, verdict: str) -> None:
    assert shape_verdict(static, true) == verdict
