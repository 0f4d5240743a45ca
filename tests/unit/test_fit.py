"""Weights and networks that they may belong to: what differs is said, and arguments are found."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from cutaway import CutawayError
from cutaway._api import fit
from cutaway.cli import main
from tests.unit.formats.test_weights import entries, safetensors, written

MODEL = """
from torch import nn

class Other(nn.Module):
    def __init__(self, size=3):
        super().__init__()
        self.stem = nn.Conv2d(size, 4, 3)

class Net(nn.Module):
    def __init__(self, width, heads, depth=2, num_classes=10, bias=True):
        super().__init__()
        self.stem = nn.Linear(8, width)
        self.blocks = nn.ModuleList([nn.Linear(width, 2 * width) for _ in range(depth)])
        self.head = nn.Linear(width, num_classes, bias=bias)
    def forward(self, x):
        return self.head(self.stem(x))
"""


def shapes(width: int, depth: int, classes: int) -> dict[str, tuple[int, ...]]:
    found: dict[str, tuple[int, ...]] = {"stem.weight": (width, 8), "stem.bias": (width,)}
    for at in range(depth):
        found |= {f"blocks.{at}.weight": (2 * width, width), f"blocks.{at}.bias": (2 * width,)}
    return {**found, "head.weight": (classes, width)}


@pytest.mark.parametrize("prefix", ["", "module."])
def test_the_class_and_its_arguments_are_found(prefix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    stored = {f"{prefix}{name}": shape for name, shape in shapes(24, 5, 7).items()}
    weights = written(tmp_path, "model.safetensors", safetensors(entries(stored)))
    assert main(["fit", weights, str(tmp_path / "model.py")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"{tmp_path}/model.py::Net(width=24, heads=8, depth=5, num_classes=7, bias=False)"
    assert lines[-1] == "  no weight depends on heads"


def test_a_file_that_no_class_has_the_weights_of(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    weights = written(tmp_path, "model.safetensors", safetensors(entries({"tower.a": (3,), "tower.b": (4,)})))
    assert main(["fit", weights, str(tmp_path / "model.py")]) == 1
    assert "no class there has such weights" in capsys.readouterr().out


def test_parts_that_are_called_otherwise_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    stored = {name.replace("head", "fc"): shape for name, shape in shapes(16, 2, 10).items()} | {"fc.bias": (10,)}
    weights = written(tmp_path, "model.safetensors", safetensors(entries(stored)))
    assert main(["diff", f"{tmp_path}/model.py::Net(16, 2)", weights]) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == ["8 weights fit", "renaming: fc -> head"]


HEADS = """
from torch import nn

class Config:
    def __init__(self, width=12, heads=12):
        self.width, self.heads = width, heads

class Net(nn.Module):
    def __init__(self, config: Config):
        super().__init__()
        if config.width % config.heads:
            raise ValueError("the heads do not divide the width")
        self.stem = nn.Linear(config.width, config.width)
"""


def test_a_number_that_only_has_to_divide_another_is_said_to_be_open(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "model.py").write_text(HEADS)
    weights = written(
        tmp_path, "model.safetensors", safetensors(entries({"stem.weight": (32, 32), "stem.bias": (32,)}))
    )
    assert main(["fit", weights, str(tmp_path / "model.py")]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{tmp_path}/model.py::Net(Config(width=32, heads=")
    assert lines[-1] == "  no weight depends on heads"


def test_a_search_that_has_no_time_says_so(tmp_path: Path) -> None:
    (tmp_path / "model.py").write_text(MODEL)
    weights = written(tmp_path, "model.safetensors", safetensors(entries(shapes(24, 5, 7))))
    with pytest.raises(CutawayError, match="the time limit ended the search"):
        fit(weights, str(tmp_path / "model.py"), timeout=0.0)


def test_the_time_limit_does_not_count_waiting_for_a_busy_machine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hours = itertools.count(step=3600.0)
    monkeypatch.setattr("cutaway.interp.run.budget.time.monotonic", lambda: next(hours))
    (tmp_path / "model.py").write_text(MODEL)
    weights = written(tmp_path, "model.safetensors", safetensors(entries(shapes(24, 5, 7))))
    assert fit(weights, str(tmp_path / "model.py"))[0].is_exact
