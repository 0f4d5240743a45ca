"""Inputs that nobody gives: which are assumed, from what, and what is said where they do not fit."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

import cutaway

HEAD = "import torch\nfrom torch import nn\n"
CONFIG = """
class Config:
    def __init__(self, **settings):
        self.__dict__.update(settings)
"""
TEXT = """
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.config = Config({settings})
        self.embed = nn.Embedding(100, 4)
    def forward(self, {arguments}):
        {body}
"""


def shown(folder: Path, source: str) -> cutaway.Architecture:
    (folder / "model.py").write_text(HEAD + CONFIG + source)
    (network,) = cutaway.show(f"{folder}/model.py::Net")
    return network


def inputs(network: cutaway.Architecture) -> dict[str, object]:
    return {value.name: (value.shape, value.dtype) for value in network.inputs}


@pytest.mark.parametrize(
    ("settings", "arguments", "body", "expected"),
    [
        ("", "input_ids", "return self.embed(input_ids)", {"input_ids": ((1, 128), "int64")}),
        (
            "max_position_embeddings=40",
            "input_ids=None",
            "return self.embed(input_ids)",
            {"input_ids": ((1, 20), "int64")},
        ),
        (
            "image_size=32, num_channels=1",
            "pixel_values",
            "return pixel_values * 2",
            {"pixel_values": ((1, 1, 32, 32), "float32")},
        ),
        (
            "vision_config=Config(image_size=[16, 24])",
            "pixel_values",
            "return pixel_values * 2",
            {"pixel_values": ((1, 3, 16, 24), "float32")},
        ),
        (
            "image_size=8, num_frames=5",
            "pixel_values",
            "return pixel_values * 2",
            {"pixel_values": ((1, 5, 3, 8, 8), "float32")},
        ),
        ("", "input_values", "return input_values * 2", {"input_values": ((1, 16000), "float32")}),
        (
            "num_mel_bins=80, max_source_positions=15",
            "input_features",
            "return input_features * 2",
            {"input_features": ((1, 80, 30), "float32")},
        ),
        (
            "is_encoder_decoder=True",
            "input_ids=None, decoder_input_ids=None",
            "return self.embed(input_ids + decoder_input_ids)",
            {"input_ids": ((1, 128), "int64"), "decoder_input_ids": ((1, 128), "int64")},
        ),
        (
            "vocab_size=100",
            "tokens: torch.LongTensor",
            "return self.embed(tokens)",
            {"tokens": ((1, 128), "int64")},
        ),
        (
            "in_channels=4, sample_size=8",
            "sample, timestep",
            "return sample * timestep",
            {"sample": ((1, 4, 8, 8), "float32"), "timestep": ((1,), "int64")},
        ),
        (
            "in_channels=4, sample_size=8, cross_attention_dim=6",
            "hidden_states, encoder_hidden_states=None",
            "return hidden_states * encoder_hidden_states.mean()",
            {"hidden_states": ((1, 4, 8, 8), "float32"), "encoder_hidden_states": ((1, 77, 6), "float32")},
        ),
        ("hidden_size=16", "hidden_states", "return hidden_states * 2", {"hidden_states": ((1, 128, 16), "float32")}),
        (
            "context_length=9, num_input_channels=2",
            "past_values",
            "return past_values * 2",
            {"past_values": ((1, 9, 2), "float32")},
        ),
    ],
    ids="tokens positions image nested video sound spectrum two-sided annotated diffusion conditions layer series".split(),
)
def test_the_settings_of_a_network_give_its_input(
    tmp_path: Path, settings: str, arguments: str, body: str, expected: dict[str, object]
) -> None:
    network = shown(tmp_path, TEXT.format(settings=settings, arguments=arguments, body=body))
    assert inputs(network) == expected
    assert network.outputs and not network.unknowns
    assumed = " ".join(note.text for note in network.assumptions)
    assert all(f"the input {name} is" in assumed for name in expected)


def test_the_arguments_of_a_network_for_images_give_its_input(tmp_path: Path) -> None:
    source = """
class Net(nn.Module):
    def __init__(self, img_size=48, in_chans=2):
        super().__init__()
        self.conv = nn.Conv2d(in_chans, 4, 3)
    def forward(self, x):
        return self.conv(x)
"""
    assert inputs(shown(tmp_path, source)) == {"x": ((1, 2, 48, 48), "float32")}


def test_more_inputs_are_tried_where_one_is_not_enough(tmp_path: Path) -> None:
    body = "if pixel_values is None: raise ValueError('both')\n        return self.embed(input_ids), pixel_values"
    network = shown(tmp_path, TEXT.format(settings="", arguments="input_ids=None, pixel_values=None", body=body))
    assert list(inputs(network)) == ["input_ids", "pixel_values"]
    assert not network.unknowns


def test_an_assumed_input_that_does_not_fit_gives_way_to_an_inferred_one(tmp_path: Path) -> None:
    body = "return pixel_values.view(7, 7)"
    network = shown(tmp_path, TEXT.format(settings="image_size=8", arguments="pixel_values", body=body))
    assert network.diagnostics == network.unknowns == ()
    shape, _ = inputs(network)["pixel_values"]
    assert shape is not None and math.prod(shape) == 49


def test_nothing_is_assumed_where_no_convention_applies(tmp_path: Path) -> None:
    source = (
        "class Net(nn.Module):\n    def forward(self, x, a, b, c, d, e, f):\n        return x + a + b + c + d + e + f\n"
    )
    network = shown(tmp_path, source)
    assert inputs(network)["x"] == (None, "float32")
    assert "the shape of the input x is not given" in network.unknowns[0].text
