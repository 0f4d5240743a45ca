"""Archives of torch.export: weights, operations and calls with their sizes, as the running network has them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import cutaway  # noqa: E402
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
