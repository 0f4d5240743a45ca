"""Rows on arguments that nobody picked: mutated samples, the documentation's examples; and their FLOPs."""

from __future__ import annotations

import pytest

from cutaway.knowledge.base.registry import TABLE
from cutaway.knowledge.torch.tensor.op import RULES

from . import attributes, calls, extra, rows
from .check import check
from .exclusions import INVENTED, UNSAMPLED, excused
from .mutate import mutations
from .rows import exists
from .verdicts import explain, failures

rows.load()
LABELS = [label for label in calls.infos() if calls.names_of(label)]
COUNTED = (
    "mm bmm addmm baddbmm addbmm matmul linear bilinear einsum tensordot conv1d conv2d conv3d conv_transpose1d "
    "conv_transpose2d conv_transpose3d scaled_dot_product_attention multi_head_attention_forward"
).split()


@pytest.mark.parametrize("label", LABELS)
def test_mutated_samples(label: str) -> None:
    """Other sizes, ranks, dtypes, numbers and defaults than in the samples."""
    samples = calls.from_op_db(label, limit=6)
    outcomes = [check(call) for call in mutations(samples, count=15)]
    assert not failures(outcomes), explain(failures(outcomes))


@pytest.mark.parametrize("name", [n for n in rows.callables() if calls.has_examples(n)])
def test_documentation_examples(name: str) -> None:
    """Every modelled call in the examples of torch's documentation."""
    outcomes = [check(call) for call in calls.from_documentation(name)]
    assert not failures(outcomes), explain(failures(outcomes))


@pytest.mark.parametrize("label", [label for label in LABELS if calls.tail(calls.infos()[label].name) in COUNTED])
def test_flops(label: str) -> None:
    """Twice the multiply-accumulates are what torch's flop counter counts."""
    samples = list(calls.from_op_db(label, limit=8))
    outcomes = [check(call, flops=True) for call in [*samples, *mutations(samples, count=20)]]
    bad = [o for o in failures(outcomes) if any(mode.startswith("flops") for mode in o.modes)]
    assert not bad, explain(bad)


@pytest.mark.parametrize("name", [name for name in extra.table() if name in rows.callables()])
def test_extra_samples(name: str) -> None:
    """Rows that torch's own databases leave out."""
    samples = list(extra.from_extra(name))
    outcomes = [check(call, flops=True) for call in [*samples, *mutations(samples, count=15)]]
    assert not failures(outcomes), explain(failures(outcomes))


@pytest.mark.parametrize("name", attributes.names())
def test_attribute(name: str) -> None:
    """Attributes of tensors, such as `.T` and `.is_leaf`."""
    assert not attributes.differences(name)


def test_every_rule_is_exercised() -> None:
    """A row that no source has samples for is not tested at all; `extra.py` is the place to add some."""
    sampled = {name for label in LABELS for name in calls.names_of(label)} | set(extra.table())
    sampled |= {call.name for name in rows.callables() for call in calls.from_documentation(name)}
    missing = {name for name in RULES if callable(rows.real(name))} - sampled
    assert missing - set(UNSAMPLED) == set()
    assert set(UNSAMPLED) - missing == set(), "these have samples now: drop their entries"


def test_every_row_exists_in_torch() -> None:
    """A name that torch lacks would hide the target's mistake."""
    invented = {name for name in TABLE if name.startswith("torch.") and not exists(name)}
    assert {name for name in invented if not excused(name)} == set()
    assert {name for name in INVENTED if not any(row.startswith(name) for row in invented)} == set(), (
        "drop these entries"
    )
