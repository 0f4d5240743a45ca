"""What is read off a running network."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import cutaway  # noqa: E402
from cutaway.core.architecture import Architecture, Module  # noqa: E402
from tests.live import probes  # noqa: E402


def module(architecture: Architecture, path: str) -> Module:
    return next(each for each in architecture.modules if each.path == path)


def test_a_call_by_keywords_alone() -> None:
    seen = cutaway.observe(probes.Keywords(), tokens=torch.zeros(2, 5, dtype=torch.int64))
    assert [(v.name, v.shape, v.dtype) for v in seen.inputs] == [("tokens", (2, 5), "int64")]
    assert module(seen, "").calls[0].inputs == ((2, 5),)
    assert module(seen, "").calls[0].input_dtypes == ("int64",)
    assert seen.outputs[0].shape == (2, 5, 2)


def test_tied_weights_are_one_tensor() -> None:
    seen = cutaway.observe(probes.Tied(), torch.zeros(2, 5, dtype=torch.int64))
    assert [(w.name, w.tied_to) for w in seen.weights] == [("embed.weight", None), ("head.weight", "embed.weight")]
    assert seen.totals.parameters == 40
    assert seen.ops[-1].inputs[1].name == "embed.weight"


def test_every_call_of_a_module() -> None:
    seen = cutaway.observe(probes.Twice(), torch.zeros(1, 3, 32, 32))
    calls = module(seen, "down").calls
    assert [call.outputs for call in calls] == [((1, 3, 16, 16),), ((1, 3, 8, 8),)]


def test_the_branch_that_is_taken() -> None:
    seen = cutaway.observe(probes.Branch(), torch.zeros(1, 4))
    assert module(seen, "left").calls == ()
    assert module(seen, "right").calls[0].outputs == ((1, 3),)


def test_a_data_class_is_flattened_by_its_fields() -> None:
    seen = cutaway.observe(probes.Record(), torch.zeros(1, 4))
    assert [(v.name, v.shape) for v in seen.outputs] == [
        ("logits", (1, 2)),
        ("hidden.0", (1, 8)),
        ("hidden.1", (1, 4)),
    ]


def test_a_nested_input_is_flattened_by_its_keys() -> None:
    batch = {"left": {"x": torch.zeros(5, 4)}, "right": [torch.zeros(5, 3)]}
    seen = cutaway.observe(probes.Nested(), batch)
    assert [(v.name, v.shape) for v in seen.inputs] == [("batch.left.x", (5, 4)), ("batch.right.0", (5, 3))]


def test_a_forward_that_fails_gives_what_was_before_it() -> None:
    seen = cutaway.observe(probes.Halfway(), torch.zeros(1, 4))
    assert module(seen, "first").calls[0].outputs == ((1, 8),)
    assert module(seen, "second").calls[0].outputs is None
    assert [op.op for op in seen.ops] == ["torch.nn.functional.linear"]
    (fault,) = seen.diagnostics
    assert "1x8 and 6x2" in fault.message
    assert fault.place is not None and fault.place.file.endswith("probes.py")
    assert [note.text for note in fault.notes] == [
        "in second (Linear), given 1x8",
        "its weights are weight 2x6, bias 2",
    ]


def test_recurrent_layers_and_attention() -> None:
    seen = cutaway.observe(probes.Recurrent(), torch.zeros(2, 5, 6))
    assert [v.shape for v in seen.outputs] == [(2, 16), (4, 2, 8), (2, 5, 5)]
    assert "torch.lstm" in [op.op for op in seen.ops]
    # Four gates: into, and between, two layers in two directions; then four projections and two products.
    assert seen.totals.macs == 2 * 5 * (2 * 32 * (6 + 8) + 2 * 32 * (16 + 8)) + 2 * 5 * 16 * 16 * 4 + 2 * 2 * 5 * 5 * 16


def test_a_network_without_modules() -> None:
    seen = cutaway.observe(probes.Functional(), torch.zeros(1, 3, 8, 8))
    assert [op.op.rpartition(".")[2] for op in seen.ops] == [
        "conv2d", "relu", "max_pool2d", "add_", "flatten", "softmax", "rsub",
    ]  # fmt: skip
    assert {op.module for op in seen.ops} == {""}


def test_without_arguments_nothing_is_called() -> None:
    seen = cutaway.observe(probes.Halfway())
    assert seen.ops == () and seen.diagnostics == ()
    assert [m.path for m in seen.modules] == ["", "first", "second"]


def test_nothing_is_left_behind() -> None:
    numpy = pytest.importorskip("numpy")
    network = probes.Recurrent().train()
    network.attention.eval()
    state = torch.get_rng_state().clone(), random.getstate(), numpy.random.get_state()[1].copy()
    fields = {id(m): set(m.__dict__) for m in network.modules()}
    hooks = [len(m._forward_hooks) + len(m._forward_pre_hooks) for m in network.modules()]
    cutaway.observe(network, torch.zeros(2, 5, 6))
    assert [len(m._forward_hooks) + len(m._forward_pre_hooks) for m in network.modules()] == hooks
    assert {id(m): set(m.__dict__) for m in network.modules()} == fields
    assert network.training and network.lstm.training and not network.attention.training
    assert torch.equal(torch.get_rng_state(), state[0]) and random.getstate() == state[1]
    assert (numpy.random.get_state()[1] == state[2]).all()
    assert torch.is_grad_enabled() and torch._C._len_torch_function_stack() == 0
    assert torch._C._len_torch_dispatch_stack() == 0


def test_nothing_is_left_behind_by_a_failure() -> None:
    network = probes.Halfway()
    cutaway.observe(network, torch.zeros(1, 4))
    assert not network.first._forward_hooks and not network.second._forward_hooks_always_called
    assert torch._C._len_torch_function_stack() == 0 and torch._C._len_torch_dispatch_stack() == 0


def test_a_network_larger_than_memory() -> None:
    with torch.device("meta"):
        network = torch.nn.Linear(1 << 20, 1 << 20)
        seen = cutaway.observe(network, torch.zeros(1, 1 << 20))
    assert seen.totals.parameters == (1 << 40) + (1 << 20)
    assert seen.totals.macs == 1 << 40


PROBES: dict[str, tuple[Callable[[], Any], list[str]]] = {
    "Keywords": (probes.Keywords, ["tokens=2x5:int64"]),
    "Tied": (probes.Tied, ["2x5:int64"]),
    "Twice": (probes.Twice, ["1x3x32x32"]),
    "Record": (probes.Record, ["1x4"]),
    "Recurrent": (probes.Recurrent, ["2x5x6"]),
    "Functional": (probes.Functional, ["1x3x8x8"]),
    "Several": (probes.Several, ["1x4", "1x3"]),
}


@pytest.mark.parametrize("name", PROBES)
def test_running_and_reading_give_the_same(name: str) -> None:
    target = f"{probes.__file__}::{name}"
    (live,) = cutaway.show(target, input=PROBES[name][1], live=True)
    (static,) = cutaway.show(target, input=PROBES[name][1])
    for fact in ("name", "target", "framework", "inputs", "outputs", "weights", "totals"):
        if fact == "totals" and live.totals.activation_bytes != static.totals.activation_bytes:
            continue  # a view of what is not contiguous copies, which only strides tell
        assert getattr(live, fact) == getattr(static, fact), fact
    assert [(m.path, m.qualified_name, dict(m.config), m.calls) for m in live.modules] == [
        (m.path, m.qualified_name, dict(m.config), m.calls) for m in static.modules
    ]
    assert [(o.op, dict(o.attributes), o.module, o.macs, [v.shape for v in o.outputs]) for o in live.ops] == [
        (o.op, dict(o.attributes), o.module, o.macs, [v.shape for v in o.outputs]) for o in static.ops
    ]
    assert cutaway.loads(cutaway.dumps([live])) == (live,)
