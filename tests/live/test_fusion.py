"""Modules that were saved whole, computed with the source of their classes: all is as in the running network."""

from __future__ import annotations

from pathlib import Path

import pytest

torch = pytest.importorskip("torch")

import cutaway  # noqa: E402
from tests.live.test_torchscript import CASES  # noqa: E402


@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("case", sorted(CASES))
def test_a_whole_module_is_computed_by_its_source(case: str, zipped: bool, tmp_path: Path) -> None:
    make, sample, text = CASES[case]
    net = make().eval()
    torch.save(net, tmp_path / "model.pt", _use_new_zipfile_serialization=zipped)
    root = str(Path(__file__).parents[2])
    (found,) = cutaway.show(str(tmp_path / "model.pt"), input=text, path=root)
    true = cutaway.observe(net, sample())
    assert [(m.path, m.qualified_name) for m in found.modules] == [(m.path, m.qualified_name) for m in true.modules]
    facts = [{w.name: (w.shape, w.dtype, w.kind, w.tied_to) for w in side.weights} for side in (found, true)]
    assert facts[0] == facts[1]
    calls = [{m.path: [c.outputs for c in m.calls] for m in side.modules} for side in (found, true)]
    assert calls[0] == calls[1]
    assert [op.op for op in found.ops] == [op.op for op in true.ops]
    assert found.totals == true.totals


def test_without_the_source_the_tree_is_shown(tmp_path: Path) -> None:
    make, _, text = CASES["shared"]
    torch.save(make(), tmp_path / "model.pt", _use_new_zipfile_serialization=False)
    content = (tmp_path / "model.pt").read_bytes().replace(b"test_torchscript", b"text_torchscript")
    (tmp_path / "model.pt").write_bytes(content)
    (found,) = cutaway.show(str(tmp_path / "model.pt"), input=text)
    assert [m.class_name for m in found.modules] == ["Shared", "Conv1d", "GELU"]
    assert found.unknowns and not found.ops


@pytest.mark.parametrize("protocol", [2, 4])
def test_attributes_are_settings_and_passing_buffers_are_known(protocol: int, tmp_path: Path) -> None:
    net = torch.nn.TransformerEncoderLayer(8, 2, activation="gelu")
    net.linear1.register_buffer("table", torch.zeros(3), persistent=False)
    torch.save(net, tmp_path / "model.pt", pickle_protocol=protocol)
    (found,) = cutaway.show(str(tmp_path / "model.pt"), input="4x1x8")
    settings = {module.path: module.config for module in found.modules}
    assert settings["linear1"]["bias"] is True and settings["linear1"]["in_features"] == 8
    assert settings[""]["activation"] == {"name": "torch._C._nn.gelu"}
    assert {weight.name for weight in found.weights if not weight.persistent} == {"linear1.table"}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", ["whole", "scripted"])
def test_weights_of_a_shared_module_have_all_of_their_names(way: str, tmp_path: Path) -> None:
    net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Sequential(torch.nn.BatchNorm1d(4)))
    net.append(net[1]).append(net[0])
    torch.save(net, tmp_path / "model.pt") if way == "whole" else torch.jit.script(net).save(tmp_path / "model.pt")
    (found,) = cutaway.show(str(tmp_path / "model.pt"))
    true = cutaway.observe(net.eval())
    assert {w.name: w.tied_to for w in found.weights} == {w.name: w.tied_to for w in true.weights}
    if way == "whole":  # an archive keeps a module as often as it is used
        assert [m.path for m in found.modules] == [m.path for m in true.modules]
