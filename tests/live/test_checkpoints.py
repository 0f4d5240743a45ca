"""Checkpoints as people nest them, saved by the real torch: no network is lost, and nothing else is taken for one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

import cutaway  # noqa: E402


class Agent:
    """An object that has networks."""

    def __init__(self, net: Any) -> None:
        self.policy, self.steps = net, 3


def network() -> Any:
    return torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.BatchNorm1d(8), torch.nn.Linear(8, 2))


def optimizer(net: Any) -> Any:
    made = torch.optim.Adam(net.parameters())
    net(torch.randn(3, 4)).sum().backward()
    made.step()
    return made.state_dict()


NESTINGS: dict[str, tuple[Callable[[Any], Any], list[str]]] = {
    "a counter beside it": (lambda n: {"epoch": torch.tensor(3), "state_dict": n.state_dict()}, ["state_dict"]),
    "a list": (lambda n: [n.state_dict(), n.state_dict()], ["0", "1"]),
    "numbers as keys": (lambda n: {0: n.state_dict(), 1: n.state_dict()}, ["0", "1"]),
    "a module beside a state dict": (lambda n: {"model": n, "ema": n.state_dict()}, ["model", "ema"]),
    "an optimizer beside it": (lambda n: {"model": n.state_dict(), "optimizer": optimizer(n)}, ["model"]),
    "a generator's state beside it": (lambda n: {"model": n.state_dict(), "rng": torch.get_rng_state()}, ["model"]),
    "deep": (lambda n: {"a": {"b": [{"c": n.state_dict()}]}}, ["a.b.0.c"]),
    "an object": (Agent, ["policy"]),
}


@pytest.mark.parametrize("form", sorted(NESTINGS))
def test_each_network_is_found_under_its_key(form: str, tmp_path: Path) -> None:
    net = network()
    nest, keys = NESTINGS[form]
    torch.save(nest(net), tmp_path / "model.pt")
    found = cutaway.show(str(tmp_path / "model.pt"))
    assert [each.name for each in found] == keys
    expected = {name: tuple(tensor.shape) for name, tensor in net.state_dict().items()}
    for each in found:
        assert {weight.name: weight.shape for weight in each.weights} == expected
        assert cutaway.show(each.target)[0].name == each.name


def test_the_state_of_an_optimizer_is_shown_when_it_is_named(tmp_path: Path) -> None:
    net = network()
    torch.save({"model": net.state_dict(), "optimizer": optimizer(net)}, tmp_path / "model.pt")
    (found,) = cutaway.show(f"{tmp_path / 'model.pt'}::optimizer")
    assert {weight.name: weight.shape for weight in found.weights}["state.0.exp_avg"] == (8, 4)


@pytest.mark.parametrize("protocol", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("zipped", [True, False])
@pytest.mark.parametrize("whole", [True, False])
def test_every_protocol_is_read(protocol: int, zipped: bool, whole: bool, tmp_path: Path) -> None:
    net = network()
    what = net if whole else net.state_dict()
    torch.save(what, tmp_path / "model.pt", pickle_protocol=protocol, _use_new_zipfile_serialization=zipped)
    (found,) = cutaway.show(str(tmp_path / "model.pt"))
    expected = {name: tuple(tensor.shape) for name, tensor in net.state_dict().items()}
    assert {weight.name: weight.shape for weight in found.weights} == expected
    assert (found.modules[1].class_name == "Linear") is whole


def test_sparse_and_quantised_tensors_have_sizes_and_types(tmp_path: Path) -> None:
    square = torch.randn(4, 4)
    kept = {
        "a": square,
        "transposed": square.t(),
        "again": square,
        "sparse": torch.eye(3).to_sparse(),
        "rows": torch.eye(5).to_sparse_csr(),
        "quantised": torch.quantize_per_tensor(torch.randn(2, 3), 0.1, 0, torch.qint8),
    }
    torch.save(kept, tmp_path / "model.pt")
    (found,) = cutaway.show(str(tmp_path / "model.pt"))
    assert {w.name: (w.shape, w.dtype, w.tied_to) for w in found.weights} == {
        "a": ((4, 4), "float32", None),
        "transposed": ((4, 4), "float32", None),
        "again": ((4, 4), "float32", "a"),
        "sparse": ((3, 3), "float32", None),
        "rows": ((5, 5), "float32", None),
        "quantised": ((2, 3), "qint8", None),
    }


def test_a_distributed_checkpoint_is_read_from_its_metadata(tmp_path: Path) -> None:
    checkpoint = pytest.importorskip("torch.distributed.checkpoint")
    net = network()
    checkpoint.save({"model": net.state_dict(), "optim": optimizer(net)}, checkpoint_id=tmp_path / "ck", no_dist=True)
    (found,) = cutaway.show(str(tmp_path / "ck"))
    assert {w.name: w.shape for w in found.weights} == {n: tuple(t.shape) for n, t in net.state_dict().items()}
    assert {w.dtype for w in found.weights} == {"float32", "int64"}


def test_a_folder_of_deepspeed_is_read_from_its_last_step(tmp_path: Path) -> None:
    net = network()
    (tmp_path / "step5").mkdir()
    (tmp_path / "latest").write_text("step5")
    torch.save({"module": net.state_dict()}, tmp_path / "step5" / "mp_rank_00_model_states.pt")
    (found,) = cutaway.show(str(tmp_path))
    assert {w.name: w.shape for w in found.weights} == {n: tuple(t.shape) for n, t in net.state_dict().items()}


@pytest.mark.filterwarnings("ignore")
def test_weights_of_quantized_layers_belong_to_the_network_that_they_stand_in(tmp_path: Path) -> None:
    nn = torch.nn
    float_net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2, bias=False)).eval()
    net = torch.ao.quantization.quantize_dynamic(float_net, {nn.Linear}, dtype=torch.qint8)
    torch.save(net.state_dict(), tmp_path / "net.pt")
    (found,) = cutaway.show(str(tmp_path / "net.pt"))
    shapes = {weight.name: (weight.shape, weight.dtype) for weight in found.weights}
    stored = "_packed_params._packed_params"
    assert shapes[f"0.{stored}.0"] == ((8, 4), "qint8") and shapes[f"0.{stored}.1"] == ((8,), "float32")
    assert shapes[f"2.{stored}.0"] == ((2, 8), "qint8") and f"2.{stored}.1" not in shapes
