"""Archives of torch.export: weights, operations and calls with their sizes, as the running network has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import cutaway  # noqa: E402
from cutaway.passes.cost import undecided  # noqa: E402
from tests.live.test_torchscript import CASES, Convolutional  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.mark.parametrize("case", ["convolutional", "shared"])
def test_a_graph_has_the_weights_and_calls_of_the_network(case: str, tmp_path: Path) -> None:
    make, sample, _ = CASES[case]
    net = make().eval()
    torch.export.save(torch.export.export(net, (sample(),)), tmp_path / "model.pt2")
    (found,) = cutaway.show(str(tmp_path / "model.pt2"))
    true = cutaway.observe(net, sample())
    facts = [{w.name: (w.shape, w.dtype, w.kind) for w in side.weights} for side in (found, true)]
    assert facts[0] == facts[1]
    assert [v.shape for v in found.outputs] == [v.shape for v in true.outputs]
    assert found.totals.macs == true.totals.macs
    classes = {module.path: module.class_name for module in true.modules}
    calls = {module.path: [call.outputs for call in module.calls] for module in true.modules}
    for module in found.modules:
        assert not module.class_name or module.class_name == classes[module.path]
        assert not module.calls or [call.outputs for call in module.calls] == calls[module.path]


def test_sizes_that_were_left_open_are_symbols(tmp_path: Path) -> None:
    batch = torch.export.Dim("batch", min=2)
    program = torch.export.export(
        Convolutional().eval(), (torch.randn(2, 3, 16, 16),), dynamic_shapes={"x": {0: batch}}
    )
    torch.export.save(program, tmp_path / "model.pt2")
    (found,) = cutaway.show(str(tmp_path / "model.pt2"))
    (symbol, *rest) = found.inputs[0].shape or ()
    assert not isinstance(symbol, int) and rest == [3, 16, 16]
    numbers: Any = cutaway.show(str(tmp_path / "model.pt2"), set={str(symbol): 5})[0].outputs[0].shape
    assert numbers == (5, 4)


def test_a_weight_under_two_names_is_counted_once(tmp_path: Path) -> None:
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Linear(4, 4), torch.nn.Linear(4, 4))
    net[1].weight = net[0].weight
    net.append(net[2])
    torch.export.save(torch.export.export(net, (torch.zeros(1, 4),)), tmp_path / "model.pt2")
    (found,) = cutaway.show(str(tmp_path / "model.pt2"))
    assert found.totals.parameters == sum(each.numel() for each in net.parameters())
    assert {weight.name: weight.tied_to for weight in found.weights}["1.weight"] == "0.weight"


def test_results_have_the_names_that_the_network_gives_them(tmp_path: Path) -> None:
    class Heads(torch.nn.Module):  # type: ignore[misc]
        def forward(self, x: torch.Tensor) -> dict[str, Any]:
            return {"first": x + 1, "rest": [x[:, :2], x.mean()]}

    torch.export.save(torch.export.export(Heads(), (torch.zeros(2, 4),)), tmp_path / "model.pt2")
    (found,) = cutaway.show(str(tmp_path / "model.pt2"))
    assert [(v.name, v.shape) for v in found.outputs] == [("first", (2, 4)), ("rest.0", (2, 2)), ("rest.1", ())]
    assert found.modules[0].calls[0].outputs == ((2, 4), (2, 2), ())


def test_calls_that_follow_each_other_are_apart_and_a_recurrent_layer_returns_its_state(tmp_path: Path) -> None:
    class Twice(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.conv = torch.nn.Conv1d(4, 4, 3)
            self.lstm = torch.nn.LSTM(6, 5)

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.lstm(self.conv(self.conv(x)))[0]

    net = Twice().eval()
    torch.export.save(torch.export.export(net, (torch.zeros(2, 4, 10),)), tmp_path / "model.pt2")
    (found,) = cutaway.show(str(tmp_path / "model.pt2"))
    true = cutaway.observe(net, torch.zeros(2, 4, 10))
    calls = [{m.path: [(c.inputs, c.outputs) for c in m.calls] for m in side.modules} for side in (found, true)]
    assert calls[0] == calls[1]
    assert found.totals.macs == true.totals.macs


class Growing(torch.nn.Module):  # type: ignore[misc]
    """Asks for the size of its input, which an export adds an operation of its own for."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = torch.nn.Linear(4, 6)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.linear(x).reshape(x.shape[0] * 2, 3)


def test_operations_that_torch_adds_are_in_no_module(tmp_path: Path) -> None:
    batch = torch.export.Dim("batch", min=2, max=64)
    program = torch.export.export(Growing(), (torch.randn(3, 4),), dynamic_shapes={"x": {0: batch}})
    torch.export.save(program, tmp_path / "model.pt2")
    (found,) = cutaway.show(str(tmp_path / "model.pt2"))
    assert [module.path for module in found.modules] == ["", "linear"]


class Branching(torch.nn.Module):  # type: ignore[misc]
    """Calls one of two layers, as its input decides."""

    def __init__(self) -> None:
        super().__init__()
        self.a = torch.nn.Linear(4, 4)
        self.b = torch.nn.Linear(4, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.cond(x.sum() > 0, lambda y: self.a(y), lambda y: self.b(y), (x,))


def test_modules_in_the_branches_of_a_condition_are_not_said_to_be_left_out(tmp_path: Path) -> None:
    torch.export.save(torch.export.export(Branching(), (torch.randn(3, 4),)), tmp_path / "model.pt2")
    (found,) = cutaway.show(str(tmp_path / "model.pt2"))
    assert [(note.text, note.module) for note in found.unknowns] == [
        ("higher_order.cond: what its inner graphs call is not read", "")
    ]
    assert undecided(found) == {"a", "b"}
