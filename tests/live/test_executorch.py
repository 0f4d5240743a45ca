"""Programs of ExecuTorch: operators, weights, inputs and outputs, as the exported network has them."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway
from cutaway.core.error import CutawayError

torch = pytest.importorskip("torch")


@pytest.mark.filterwarnings("ignore")
def test_a_program_has_the_operators_and_weights_of_the_network(tmp_path: Path) -> None:
    exir = pytest.importorskip("executorch.exir")
    net = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3), torch.nn.ReLU()).eval()
    program = exir.to_edge(torch.export.export(net, (torch.zeros(1, 3, 8, 8),))).to_executorch()
    (tmp_path / "model.pte").write_bytes(program.buffer)
    (found,) = cutaway.show(str(tmp_path / "model.pte"))
    assert [op.op for op in found.ops] == ["aten.convolution.out", "aten.relu.out"]
    assert [value.shape for value in (*found.inputs, *found.outputs)] == [(1, 3, 8, 8), (1, 4, 6, 6)]
    assert found.totals.parameters == 112 and found.totals.macs == 36 * 4 * 27


def test_a_program_that_is_cut_off_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "model.pte").write_bytes(b"\x10\x00\x00\x00ET12" + bytes(4))
    with pytest.raises(CutawayError, match="not a complete program of ExecuTorch"):
        cutaway.show(str(tmp_path / "model.pte"))
