"""The oracle itself: a rule that is wrong in one way is found out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch

from cutaway.core.fault import Fault
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import TABLE
from cutaway.knowledge.torch.tensor.op import Out, compute, op
from cutaway.knowledge.torch.tensor.types import DTYPES

from . import rows
from .check import FAIL, LENIENT, PASS, RAISES, UNKNOWN, Call, check

X = torch.tensor([[1.0, -2.0, 3.0], [-4.0, 5.0, -6.0]])


@pytest.fixture
def verdict(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., str]]:
    """Return a function that gives the verdict on a rule put in the place of `torch.relu`."""
    rows.load()

    def judge(rule: Callable[..., Any], *args: Any) -> str:
        monkeypatch.delitem(TABLE, "torch.relu", raising=False)
        op("torch.relu")(rule)
        return check(Call("torch.relu", args or (X,), {}, "here")).verdict

    yield judge


def test_right_rule_passes(verdict: Any) -> None:
    assert verdict(lambda input: Out(input.shape, input.dtype, compute(lambda np, x: np.maximum(x, 0), input))) == PASS


def test_rule_without_numbers_passes(verdict: Any) -> None:
    assert verdict(lambda input: Out(input.shape, input.dtype)) == PASS


def test_wrong_shape(verdict: Any) -> None:
    assert verdict(lambda input: Out(input.shape[:1], input.dtype)) == FAIL


def test_wrong_dtype(verdict: Any) -> None:
    assert verdict(lambda input: Out(input.shape, DTYPES["float64"])) == FAIL


def test_wrong_numbers(verdict: Any) -> None:
    assert verdict(lambda input: Out(input.shape, input.dtype, compute(lambda np, x: np.abs(x), input))) == FAIL


def test_wrong_only_for_symbols(verdict: Any) -> None:
    def rule(input):  # type: ignore[no-untyped-def]
        return Out([s if isinstance(s, int) else s + 1 for s in input.shape], input.dtype)

    assert verdict(rule) == FAIL


def test_two_results_for_one(verdict: Any) -> None:
    assert verdict(lambda input: (Out(input.shape, input.dtype), Out(input.shape, input.dtype))) == FAIL


def test_fault_where_torch_has_none(verdict: Any) -> None:
    def rule(input):  # type: ignore[no-untyped-def]
        raise Fault("no")

    assert verdict(rule) == FAIL
    assert verdict(rule, X, "too many") == RAISES


def test_crash_where_torch_raises(verdict: Any) -> None:
    def rule(input, other):  # type: ignore[no-untyped-def]
        return {}["key"]

    assert verdict(rule, X, "too many") == FAIL


def test_accepting_what_torch_rejects_is_lenient(verdict: Any) -> None:
    assert verdict(lambda input, other: Out(input.shape, input.dtype), X, "too many") == LENIENT


def test_unknown(verdict: Any) -> None:
    assert verdict(lambda input: Unknown("not modelled")) == UNKNOWN


def test_forgotten_write() -> None:
    rows.load()
    call = Call("torch.Tensor.relu_", (X,), {}, "here")
    assert check(call).verdict == PASS
    right = TABLE["torch.Tensor.relu_"]
    try:
        TABLE["torch.Tensor.relu_"] = TABLE["torch.Tensor.relu"]
        assert check(call).verdict == FAIL
    finally:
        TABLE["torch.Tensor.relu_"] = right


def test_wrong_flops() -> None:
    rows.load()
    call = Call("torch.nn.functional.linear", (torch.ones(2, 3), torch.ones(4, 3)), {}, "here")
    assert check(call, flops=True).verdict == PASS
    right = TABLE["torch.nn.functional.linear"]
    try:
        TABLE["torch.nn.functional.linear"] = TABLE["torch.matmul"]
        changed = Call("torch.nn.functional.linear", (torch.ones(2, 3), torch.ones(3, 3)), {}, "here")
        assert check(changed, flops=True).verdict == PASS
        TABLE["torch.nn.functional.linear"] = lambda input, weight: (
            TABLE["torch.matmul"](input, weight.T) + input @ weight.T
        )
        assert check(call, flops=True).verdict == FAIL
    finally:
        TABLE["torch.nn.functional.linear"] = right
