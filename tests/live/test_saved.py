"""Files that the real torch and safetensors write: read without unpickling, they have the weights of the network."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import cutaway  # noqa: E402
from cutaway.cli import main  # noqa: E402
from tests.live import probes  # noqa: E402


class Trained(torch.nn.Module):  # type: ignore[misc]
    """Has buffers, a frozen and a tied weight, another element type, and a part that is not saved."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = torch.nn.Embedding(10, 4)
        self.norm = torch.nn.BatchNorm1d(4)
        self.head = torch.nn.Linear(4, 10, bias=False)
        self.head.weight = self.embed.weight
        self.half = torch.nn.Linear(3, 2).half().requires_grad_(False)
        self.drop = torch.nn.Dropout(0.3)
        self.register_buffer("cache", torch.zeros(5), persistent=False)

    def forward(self, tokens: Any) -> Any:
        return self.head(self.drop(self.norm(self.embed(tokens))))


FORMS: dict[str, Callable[[Any, Path], None]] = {
    "state": lambda net, path: torch.save(net.state_dict(), path),
    "legacy": lambda net, path: torch.save(net.state_dict(), path, _use_new_zipfile_serialization=False),
    "protocol 5": lambda net, path: torch.save(net.state_dict(), path, pickle_protocol=5),
    "parameters": lambda net, path: torch.save(net.state_dict(keep_vars=True), path),
}


@pytest.mark.parametrize("form", sorted(FORMS))
def test_a_state_dict_has_the_weights_of_the_network(form: str, tmp_path: Path) -> None:
    net = Trained()
    FORMS[form](net, tmp_path / "model.pt")
    (found,) = cutaway.show(str(tmp_path / "model.pt"))
    expected = {name: (tuple(t.shape), str(t.dtype).removeprefix("torch.")) for name, t in net.state_dict().items()}
    assert {weight.name: (weight.shape, weight.dtype) for weight in found.weights} == expected
    assert [w.name for w in found.weights if w.tied_to] == ["head.weight"]


def test_a_module_that_was_saved_whole_has_classes_settings_and_kinds(tmp_path: Path) -> None:
    net = Trained()
    torch.save(net, tmp_path / "model.pt")
    (found,) = cutaway.show(str(tmp_path / "model.pt"))
    true = cutaway.observe(net)
    assert [(m.path, m.qualified_name) for m in found.modules] == [(m.path, m.qualified_name) for m in true.modules]
    facts = [
        {w.name: (w.shape, w.dtype, w.kind, w.tied_to) for w in side.weights if w.tied_to is None}
        for side in (found, true)
    ]
    assert facts[0] == facts[1]
    assert next(m for m in found.modules if m.path == "drop").config["p"] == 0.3


def test_an_archive_of_torchscript_has_its_tree(tmp_path: Path) -> None:
    torch.jit.save(torch.jit.script(probes.Twice()), tmp_path / "model.pt")
    (found,) = cutaway.show(str(tmp_path / "model.pt"))
    assert [(m.path, m.class_name) for m in found.modules] == [("", "Twice"), ("down", "Conv2d")]
    assert {w.name: w.shape for w in found.weights} == {"down.weight": (3, 3, 3, 3), "down.bias": (3,)}


def test_safetensors_are_those_that_the_library_writes(tmp_path: Path) -> None:
    library = pytest.importorskip("safetensors.torch")
    made = {
        "a.f": torch.zeros(2, 3),
        "a.h": torch.zeros(4, dtype=torch.bfloat16),
        "b": torch.zeros((), dtype=torch.bool),
    }
    library.save_file(made, tmp_path / "model.safetensors", metadata={"format": "pt"})
    (found,) = cutaway.show(str(tmp_path / "model.safetensors"))
    shapes = {w.name: (w.shape, w.dtype) for w in found.weights}
    assert shapes == {"a.f": ((2, 3), "float32"), "a.h": ((4,), "bfloat16"), "b": ((), "bool")}


@pytest.mark.parametrize("form", ["weights", "whole"])
def test_a_source_against_what_was_saved_of_it(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    net = probes.Recurrent()
    torch.save(net.state_dict() if form == "weights" else net, tmp_path / "model.pt")
    home = str(Path(probes.__file__))
    assert main(["diff", f"{home}::Recurrent", str(tmp_path / "model.pt"), "--input", "2x5x6"]) == 0
    torch.save(torch.nn.LSTM(6, 8).state_dict(), tmp_path / "other.pt")
    assert main(["diff", f"{home}::Recurrent", str(tmp_path / "other.pt"), "--input", "2x5x6"]) == 1
    assert "attention" in capsys.readouterr().out
