"""Archives of TorchScript that the real torch writes: tree, weights and calls are those of the network."""

from __future__ import annotations

import enum
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import cutaway  # noqa: E402

nn = torch.nn


class Convolutional(nn.Module):  # type: ignore[misc]
    """Has a branch on a size, a loop over modules, buffers, and settings."""

    def __init__(self) -> None:
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.norm = nn.BatchNorm2d(8)
        self.blocks = nn.ModuleList([nn.Linear(8, 8) for _ in range(3)])
        self.register_buffer("scale", torch.ones(8))
        self.factor = 2
        self.pool = nn.MaxPool2d(2)
        self.up = nn.Upsample(scale_factor=2.0)
        self.head = nn.Linear(8, 4)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = torch.relu(self.norm(self.conv(x)))
        x = self.up(self.pool(x))
        x = nn.functional.adaptive_avg_pool2d(x, 1).flatten(1) * self.scale
        for block in self.blocks:
            x = x + block(x)
        if x.shape[0] > 1:
            x = x * self.factor
        return self.head(x)


class Recurrent(nn.Module):  # type: ignore[misc]
    """Has a recurrent layer and attention, which have much code of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(20, 8)
        self.lstm = nn.LSTM(8, 8, batch_first=True)
        self.attention = nn.MultiheadAttention(8, 2, batch_first=True)
        self.norm = nn.LayerNorm(8)
        self.head = nn.Linear(8, 20, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens: torch.Tensor) -> torch.Tensor:
        y, _ = self.lstm(self.embed(tokens))
        z, _ = self.attention(y, y, y)
        return self.head(self.norm(z + y)[:, -1])


class Shared(nn.Module):  # type: ignore[misc]
    """Calls one module twice, with other sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.layer = nn.Conv1d(4, 4, 3, stride=2)
        self.act = nn.GELU()

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.act(self.layer(self.act(self.layer(x)))).reshape(x.size(0), -1)


CASES: dict[str, tuple[type, Callable[[], Any], str]] = {
    "convolutional": (Convolutional, lambda: torch.randn(2, 3, 16, 16), "2x3x16x16"),
    "recurrent": (Recurrent, lambda: torch.zeros(2, 5, dtype=torch.long), "2x5:int64"),
    "shared": (Shared, lambda: torch.randn(2, 4, 31), "2x4x31"),
}


def saved(net: Any, way: str, sample: Any, path: Path) -> None:
    made = torch.jit.script(net) if way == "scripted" else torch.jit.trace(net, sample, check_trace=False)
    torch.jit.save(made, path)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("way", ["scripted", "traced"])
@pytest.mark.parametrize("case", sorted(CASES))
def test_an_archive_has_the_tree_weights_and_calls_of_the_network(case: str, way: str, tmp_path: Path) -> None:
    make, sample, text = CASES[case]
    net = make().eval()
    saved(net, way, sample(), tmp_path / "model.pt")
    (found,) = cutaway.show(str(tmp_path / "model.pt"), input=text)
    true = cutaway.observe(net, sample())
    assert [(m.path, m.class_name) for m in found.modules] == [(m.path, m.class_name) for m in true.modules]
    facts = [{w.name: (w.shape, w.dtype, w.kind, w.tied_to) for w in side.weights} for side in (found, true)]
    assert facts[0] == facts[1]
    assert [v.shape for v in found.outputs] == [v.shape for v in true.outputs]
    if way == "scripted":
        assert found.totals.macs == true.totals.macs
    for ours, theirs in zip(found.modules, true.modules):
        if way == "scripted" or theirs.class_name not in ("LSTM", "MultiheadAttention"):  # a trace leaves out results
            assert [c.outputs for c in ours.calls] == [c.outputs for c in theirs.calls], ours.path


class Layout(enum.Enum):
    """Where channels are."""

    FIRST = "first"
    LAST = "last"


class Chosen(nn.Module):  # type: ignore[misc]
    """Keeps a member of an enumeration, and asks for it."""

    def __init__(self) -> None:
        super().__init__()
        self.layout = Layout.LAST
        self.linear = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if self.layout == Layout.LAST:
            return self.linear(x)
        return x


@pytest.mark.filterwarnings("ignore")
def test_a_branch_on_an_enumeration_is_decided(tmp_path: Path) -> None:
    saved(Chosen().eval(), "scripted", None, tmp_path / "model.pt")
    (found,) = cutaway.show(str(tmp_path / "model.pt"), input="3x4")
    assert [value.shape for value in found.outputs] == [(3, 2)] and not found.unknowns


@pytest.mark.filterwarnings("ignore")
def test_constants_and_attributes_are_settings(tmp_path: Path) -> None:
    saved(Convolutional().eval(), "scripted", None, tmp_path / "model.pt")
    (found,) = cutaway.show(str(tmp_path / "model.pt"), input="2x3x16x16")
    settings = {module.path: module.config for module in found.modules}
    assert settings[""]["factor"] == 2 and settings["conv"]["kernel_size"] == [3, 3]


class Stateful(nn.Module):  # type: ignore[misc]
    """Has an argument with a tensor as its default, and one that is a number."""

    def __init__(self) -> None:
        super().__init__()
        self.linear = nn.Linear(4, 2)

    def forward(self, x: torch.Tensor, rate: int, state: torch.Tensor = torch.zeros(0)) -> torch.Tensor:
        if not len(state):
            state = torch.zeros(x.shape[0], 4)
        return self.linear(x + state) * rate


@pytest.mark.filterwarnings("ignore")
def test_a_tensor_that_is_a_default_is_known_where_the_function_is_defined(tmp_path: Path) -> None:
    saved(Stateful().eval(), "scripted", None, tmp_path / "model.pt")
    (found,) = cutaway.show(str(tmp_path / "model.pt"), input=["3x4", "rate=2"])
    assert [value.shape for value in found.outputs] == [(3, 2)] and not found.unknowns


class Indexed(nn.Module):  # type: ignore[misc]
    """Decides by the numbers in tensors, so that what its arguments are can't be seen from what it does with them."""

    def forward(self, delay: torch.Tensor, start: torch.Tensor, state: torch.Tensor) -> torch.Tensor:
        if not bool(start) and bool(state != delay):
            print("changed", state)
        return state


@pytest.mark.filterwarnings("ignore")
def test_arguments_that_the_archive_declares_as_tensors_are_not_taken_for_numbers(tmp_path: Path) -> None:
    saved(Indexed().eval(), "scripted", None, tmp_path / "model.pt")
    (found,) = cutaway.show(str(tmp_path / "model.pt"))
    assert not [note.text for note in found.assumptions if "is an integer" in note.text]
