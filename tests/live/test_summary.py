"""Summaries of running networks and of targets, and networks at a prompt and in a notebook."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

import cutaway

EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "lenet.py"


@pytest.fixture
def network() -> torch.nn.Module:
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.ReLU())


def test_running_network(network: torch.nn.Module, capsys: pytest.CaptureFixture[str]) -> None:
    found = cutaway.summary(
        network, input_size=(2, 3), col_names=("input_size", "output_size", "num_params", "mult_adds")
    )
    assert (found.total_params, found.trainable_params, found.total_mult_adds) == (16, 16, 24)
    assert "0: Linear  2x3    2x4         16    24" in capsys.readouterr().out


def test_input_data(network: torch.nn.Module) -> None:
    found = cutaway.summary(network, input_data=torch.zeros(5, 3), verbose=0)
    assert found.networks[0].outputs[0].shape == (5, 4)


def test_target(capsys: pytest.CaptureFixture[str]) -> None:
    found = cutaway.summary(f"{EXAMPLE}::LeNet", input_size=(1, 1, 28, 28), depth=1, verbose=0)
    assert capsys.readouterr().out == ""
    assert found.total_params == 61706


def test_columns_that_there_are_not(network: torch.nn.Module) -> None:
    with pytest.raises(cutaway.CutawayError, match="'size' is not a column"):
        cutaway.summary(network, col_names=("size",))


def test_networks_are_printed_as_tables_and_shown_as_pages() -> None:
    (network,) = cutaway.show(f"{EXAMPLE}::LeNet", input=(1, 1, 28, 28))
    assert "├─ conv1: Conv2d" in str(network)
    frame = network._repr_html_()
    assert frame is not None and frame.startswith('<iframe sandbox="allow-scripts"')
    assert "<script" not in frame  # the page is in an attribute
    assert str(cutaway.loads(cutaway.dumps([network]))[0]) == str(network)
