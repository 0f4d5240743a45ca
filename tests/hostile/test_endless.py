"""A target that never ends, or builds too much, ends in an unknown with its reason, soon."""

from __future__ import annotations

from pathlib import Path

import pytest

import cutaway
from cutaway import cli
from tests.hostile.apart import apart, seconds_of_children
from tests.hostile.endless import ENDLESS, FINE, HUGE, MANY, SYMBOLIC

_NETWORK = """
import torch
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(2, 3)

    def forward(self, x):
        return self.fc(x)

net = Net()
{trouble}
"""


def _cases(table: dict[str, str]) -> list[object]:
    return [pytest.param(text, id=name) for name, text in table.items()]


def _show(
    folder: Path, trouble: str, seconds: str, capfd: pytest.CaptureFixture[str], *options: str
) -> tuple[str, float]:
    """Show the networks of a file with trouble in it; nothing but a result, or one message, comes out."""
    model = folder / "model.py"
    model.write_text(_NETWORK.format(trouble=trouble))
    started = seconds_of_children()
    code = apart(cli.main, ["show", str(model), "--timeout", seconds, *options], seconds=40)
    elapsed = seconds_of_children() - started
    out, err = capfd.readouterr()
    assert code in (0, 1, 2), (code, out, err)
    assert "Traceback" not in out + err
    assert "bug in Cutaway" not in err, err
    assert "Exception ignored" not in err, err
    assert (code == cli.FAILED) == bool(err), (code, err)
    assert "fc: Linear" in out
    return out, elapsed


@pytest.mark.parametrize("trouble", _cases(ENDLESS))
def test_what_never_ends_is_ended(tmp_path: Path, trouble: str, capfd: pytest.CaptureFixture[str]) -> None:
    out, elapsed = _show(tmp_path, trouble, "0.3", capfd)
    assert elapsed < 15
    assert any(word in out for word in ("budget ran out", "has not ended after", "too large", "RecursionError")), out


@pytest.mark.parametrize("trouble", _cases(HUGE))
def test_what_does_not_fit_is_not_built(tmp_path: Path, trouble: str, capfd: pytest.CaptureFixture[str]) -> None:
    out, elapsed = _show(tmp_path, trouble, "10", capfd)
    assert elapsed < 8
    assert "MemoryError" not in out


@pytest.mark.parametrize("trouble", _cases(MANY))
def test_many_of_anything_end_in_time(tmp_path: Path, trouble: str, capfd: pytest.CaptureFixture[str]) -> None:
    """Through the API, which has no alarm to help it."""
    model = tmp_path / "model.py"
    model.write_text(_NETWORK.format(trouble=trouble if "\n" in trouble or " = " in trouble else f"many = {trouble}"))
    started = seconds_of_children()
    assert apart(_weights, str(model), seconds=40) == (3, 2)
    assert seconds_of_children() - started < 10
    assert capfd.readouterr() == ("", "")


def _weights(model: str) -> object:
    return cutaway.show(f"{model}::net", timeout=1, isolated=False)[0].weights[0].shape


@pytest.mark.parametrize("trouble", _cases(SYMBOLIC))
def test_sizes_stay_in_bounds(tmp_path: Path, trouble: str, capfd: pytest.CaptureFixture[str]) -> None:
    model = f"""
class Sized(nn.Module):
    def forward(self, x):
        b = x.shape[0]
        {trouble}
        return x, torch.zeros(3, b) if isinstance(b, int) else x
"""
    _, elapsed = _show(tmp_path, model, "5", capfd, "--input", "Bx2")
    assert elapsed < 10


@pytest.mark.parametrize("trouble", _cases(FINE))
def test_what_is_odd_does_no_harm(tmp_path: Path, trouble: str, capfd: pytest.CaptureFixture[str]) -> None:
    _, elapsed = _show(tmp_path, trouble, "10", capfd)
    assert elapsed < 15
