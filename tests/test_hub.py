"""Folders as they come from the hub, with small packages in place of the real libraries."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import cutaway
from cutaway import CutawayError, cli
from cutaway.syntax import resolve

PACKAGES = {
    "transformers/__init__.py": """
__version__ = '9.9'
from .modeling_utils import PreTrainedModel
from .configuration_utils import PretrainedConfig
from .auto import AutoModel
from .tiny import TinyConfig, TinyModel, TinyForLM
""",
    "transformers/configuration_utils.py": """
import json, os

class PretrainedConfig:
    dtype = None
    def __init__(self, **settings):
        for name, value in settings.items():
            setattr(self, name, value)

    @classmethod
    def from_pretrained(cls, folder, return_unused_kwargs=False, **changes):
        with open(os.path.join(folder, 'config.json')) as file:
            made = cls(**{**json.load(file), **changes})
        return (made, {}) if return_unused_kwargs else made
""",
    "transformers/modeling_utils.py": """
from torch import nn

class PreTrainedModel(nn.Module):
    config_class = None
    def __init__(self, config):
        super().__init__()
        self.config = config

    @classmethod
    def _from_config(cls, config, **settings):
        return cls(config, **settings)

    @classmethod
    def from_pretrained(cls, folder, **settings):
        raise OSError('no checkpoint is there')
""",
    "transformers/auto.py": """
class AutoModel:
    @classmethod
    def from_pretrained(cls, folder, **settings):
        from .configuration_utils import PretrainedConfig
        from .tiny import TinyModel
        kind = PretrainedConfig.from_pretrained(folder).model_type
        if kind != 'tiny':
            raise ValueError(f'the type {kind} is not known')
        return TinyModel.from_pretrained(folder, **settings)
""",
    "transformers/tiny.py": """
from torch import nn
from .configuration_utils import PretrainedConfig
from .modeling_utils import PreTrainedModel

class TinyConfig(PretrainedConfig):
    model_type = 'tiny'
    width = 4
    vocab_size = 10

class TinyModel(PreTrainedModel):
    config_class = TinyConfig
    def __init__(self, config):
        super().__init__(config)
        self.embed = nn.Embedding(config.vocab_size, config.width)
        self.layer = nn.Linear(config.width, config.width)

    def forward(self, input_ids=None):
        return self.layer(self.embed(input_ids))

class TinyForLM(TinyModel):
    def __init__(self, config):
        super().__init__(config)
        self.head = nn.Linear(config.width, config.vocab_size, bias=False)

    def forward(self, input_ids=None):
        return self.head(super().forward(input_ids))
""",
    "timm/__init__.py": """
from torch import nn

class Plain(nn.Module):
    def __init__(self, num_classes=1000, width=8, pretrained_cfg=None):
        super().__init__()
        self.pretrained_cfg = pretrained_cfg
        self.conv = nn.Conv2d(3, width, 3, padding=1)
        self.head = nn.Linear(width, num_classes)

    def forward(self, x):
        return self.head(self.conv(x).mean((2, 3)))

def create_model(name, pretrained=False, **settings):
    return {'plain': Plain}[name](**settings)
""",
    "diffusers/__init__.py": """
__version__ = '1.2'
from torch import nn

class Net2D(nn.Module):
    def __init__(self, in_channels, sample_size):
        super().__init__()
        self._internal_dict = {'in_channels': in_channels, 'sample_size': sample_size}
        self.conv = nn.Conv2d(in_channels, in_channels, 3, padding=1)

    @classmethod
    def from_config(cls, settings):
        return cls(**{name: value for name, value in settings.items() if name[0] != '_'})

    def forward(self, sample, timestep):
        return self.conv(sample)
""",
}
CODE = {
    "configuration_own.py": """
from transformers import PretrainedConfig

class OwnConfig(PretrainedConfig):
    depth = 1
""",
    "modeling_own.py": """
from torch import nn
from transformers import PreTrainedModel
from .configuration_own import OwnConfig
from .layers import block

class OwnForLM(PreTrainedModel):
    config_class = OwnConfig
    def __init__(self, config):
        super().__init__(config)
        self.blocks = nn.ModuleList([block(config.width) for _ in range(config.depth)])

    def forward(self, inputs_embeds):
        for block in self.blocks:
            inputs_embeds = block(inputs_embeds)
        return inputs_embeds
""",
    "layers.py": "from torch import nn\ndef block(width):\n    return nn.Linear(width, width)\n",
}
TINY = {"architectures": ["TinyForLM"], "model_type": "tiny", "width": 6, "vocab_size": 20}
OWN = {
    "architectures": ["OwnForLM"],
    "auto_map": {"AutoConfig": "configuration_own.OwnConfig", "AutoModel": "modeling_own.OwnForLM"},
    "width": 5,
    "depth": 3,
}


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder to write into, with the packages in `site-packages` beside."""
    monkeypatch.chdir(tmp_path)
    for name, text in PACKAGES.items():
        write(tmp_path / "site-packages" / name, text)
    return tmp_path


def write(path: Path, content: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1))
    return path.parent


def shown(folder: Path, **options: Any) -> cutaway.Architecture:
    (network,) = cutaway.show(str(folder), path="site-packages", **options)
    return network


def said(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    code = cli.main(["show", *arguments])
    captured = capsys.readouterr()
    assert (code, captured.out) == (2, "") and captured.err.count("\n") == 1
    return captured.err


def shapes(network: cutaway.Architecture) -> dict[str, Any]:
    return {weight.name: weight.shape for weight in network.weights}


def test_the_class_is_found_from_the_configuration(hub: Path) -> None:
    network = shown(write(hub / "model/config.json", TINY))
    assert network.name == "TinyForLM"
    assert shapes(network)["head.weight"] == (20, 6)
    assert [(value.name, value.dtype) for value in network.inputs] == [("input_ids", "int64")]
    assert any(note.text.startswith("the input input_ids is 1x128 int64") for note in network.assumptions)


def test_the_configuration_itself_may_be_named(hub: Path) -> None:
    write(hub / "model/config.json", TINY)
    assert shown(hub / "model/config.json").name == "TinyForLM"


def test_without_an_architecture_the_base_network_is_shown(hub: Path) -> None:
    network = shown(write(hub / "model/config.json", {"model_type": "tiny"}))
    assert network.name == "TinyModel"
    assert any("does not name an architecture" in note.text for note in network.assumptions)


def test_code_beside_the_configuration_is_interpreted(hub: Path) -> None:
    folder = write(hub / "own/config.json", OWN)
    for name, text in CODE.items():
        write(folder / name, text + "\nopen('ran', 'w')\n")
    network = shown(folder, input="1x7x5")
    assert network.name == "OwnForLM"
    assert [name for name in shapes(network) if name.endswith("weight")] == [f"blocks.{i}.weight" for i in range(3)]
    assert network.outputs[0].shape == (1, 7, 5)
    assert not (hub / "ran").exists()


def test_weights_beside_the_configuration_are_not_read(hub: Path) -> None:
    folder = write(hub / "model/config.json", TINY)
    (folder / "model.safetensors").write_bytes(b"\xff" * 8)
    assert shapes(shown(folder))["layer.weight"] == (6, 6)


def test_how_quantised_weights_are_stored_is_not_known(hub: Path) -> None:
    settings = {**TINY, "quantization_config": {"quant_method": "four-bit", "modules_to_not_convert": ["head"]}}
    network = shown(write(hub / "model/config.json", settings))
    assert shapes(network)["layer.weight"] is None and shapes(network)["head.weight"] == (20, 6)
    assert network.outputs[0].shape == (1, 128, 20)
    (note,) = network.unknowns
    assert note.text.startswith("the weights of linear layers are quantised (four-bit)")


def test_a_folder_of_image_networks(hub: Path) -> None:
    settings = {"architecture": "plain", "num_classes": 7, "model_args": {"width": 3}}
    folder = write(hub / "model/config.json", {**settings, "pretrained_cfg": {"input_size": [3, 32, 32]}})
    network = shown(folder)
    assert (network.name, shapes(network)["head.weight"]) == ("Plain", (7, 3))
    assert network.inputs[0].shape == (1, 3, 32, 32)


def test_a_component_of_a_pipeline(hub: Path) -> None:
    settings = {"_class_name": "Net2D", "in_channels": 4, "sample_size": 16}
    network = shown(write(hub / "net/config.json", settings))
    assert network.outputs[0].shape == (1, 4, 16, 16)


@pytest.fixture
def pipeline(hub: Path) -> Path:
    folder = write(
        hub / "pipe/model_index.json",
        {
            "_class_name": "TextToImage",
            "net": ["diffusers", "Net2D"],
            "text": ["transformers", "TinyModel"],
            "steps": ["diffusers", "Steps"],
            "words": ["transformers", "Words"],
            "checker": [None, None],
            "lost": ["diffusers", "Lost"],
        },
    )
    write(folder / "net/config.json", {"_class_name": "Net2D", "in_channels": 4, "sample_size": 16})
    write(folder / "text/config.json", TINY)
    write(folder / "steps/scheduler_config.json", {"_class_name": "Steps"})
    write(folder / "words/tokenizer_config.json", {})
    return folder


def test_a_pipeline_lists_each_component(pipeline: Path) -> None:
    network = shown(pipeline)
    assert network.name == "TextToImage"
    top = [(module.path, module.class_name) for module in network.modules if "." not in module.path]
    assert top == [
        ("", "TextToImage"),
        ("net", "Net2D"),
        ("text", "TinyModel"),
        ("steps", "Steps"),
        ("words", "Words"),
        ("lost", "Lost"),
    ]
    assert shapes(network)["net.conv.weight"] == (4, 4, 3, 3) and shapes(network)["text.layer.weight"] == (6, 6)
    assert network.totals.parameters == 4 * 4 * 9 + 4 + 20 * 6 + 6 * 6 + 6
    notes = " ".join(note.text for note in network.assumptions)
    assert "steps (Steps) is a scheduler" in notes and "words (Words) is a tokenizer" in notes
    assert "lost (Lost) is omitted: its folder does not exist" in notes


def test_a_component_that_can_not_be_shown_costs_only_itself(pipeline: Path) -> None:
    write(pipeline / "net/config.json", {"_class_name": "Other"})
    settings = json.loads((pipeline / "model_index.json").read_text())
    write(pipeline / "model_index.json", {**settings, "net": ["diffusers", "Other"]})
    network = shown(pipeline)
    assert shapes(network)["text.layer.weight"] == (6, 6)
    assert any("names Other, which diffusers 1.2 does not have" in note.text for note in network.unknowns)
    assert network.totals.parameters is None


def test_an_input_is_for_one_component(pipeline: Path) -> None:
    with pytest.raises(CutawayError, match="is a pipeline of several networks; give --input to one"):
        shown(pipeline, input="1x4x16x16")


def test_a_program_makes_the_network_of_a_folder(hub: Path) -> None:
    write(hub / "model/config.json", TINY)
    write(
        hub / "program.py",
        """
from torch import nn
from transformers import TinyModel

class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.body = TinyModel.from_pretrained('model', width=9)
        self.head = nn.Linear(self.body.config.width, 2)

    def forward(self, input_ids, attention_mask):
        return self.head(self.body(input_ids).mean(1))
""",
    )
    network = shown(hub / "program.py")
    assert shapes(network)["body.layer.weight"] == (9, 9)
    assert network.outputs[0].shape == (1, 2)


def test_a_network_that_would_be_downloaded_is_not_known(hub: Path) -> None:
    write(hub / "program.py", "from transformers import TinyModel\nnet = TinyModel.from_pretrained('someone/tiny')\n")
    with pytest.raises(CutawayError, match=r"config\.json of someone/tiny is not here, and nothing is downloaded"):
        shown(hub / "program.py", input=())


BAD = {
    "broken": ('{"architectures": [\n', "model/config.json:2: not JSON: "),
    "a list": ("[1]", "model/config.json: does not describe a network: it is a list, not an object with settings"),
    "no class": ("{}", "model/config.json: does not name a network: it has none of architectures"),
    "no such class": (
        {"architectures": ["OtherModel"]},
        "model/config.json:2: names OtherModel, which transformers 9.9 does not have",
    ),
    "no type": (
        {"architectures": []},
        "does not name a class: architectures is missing or empty, and so is model_type",
    ),
    "another type": ({"model_type": "other"}, "ValueError: the type other is not known"),
    "no code": (
        {"architectures": ["Own"], "auto_map": {"AutoModel": "modeling_own.Own"}},
        "auto_map names Own in modeling_own.py, which is not in the folder; put it next to config.json",
    ),
    "code elsewhere": (
        {"architectures": ["Own"], "auto_map": {"AutoModel": "a/b--modeling_own.Own"}},
        "auto_map names Own in modeling_own.py of a/b, which is not in the folder",
    ),
    "strange code": (
        {"auto_map": {"AutoModel": "../x"}},
        "auto_map names '../x', which is not of the form module.Class",
    ),
    "strange class": ({"architectures": ["os; x"]}, "'os; x' is not the name of a class"),
}


@pytest.mark.parametrize(("content", "message"), BAD.values(), ids=BAD)
def test_what_is_wrong_with_a_folder_is_said(
    hub: Path, content: Any, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write(hub / "model/config.json", content)
    assert message in said(["model", "--path", "site-packages"], capsys)


def test_a_library_that_is_missing_is_named(
    hub: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(resolve, "environment_folders", lambda: [])
    write(hub / "model/config.json", TINY)
    message = "needs transformers, whose source is not found: pip install --no-deps transformers, or add its folder"
    assert message in said(["model"], capsys)


def test_a_base_network_that_is_not_here_is_named(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(hub / "model/adapter_config.json", {"peft_type": "LORA", "base_model_name_or_path": "someone/base"})
    message = "its base network someone/base is missing, and nothing is downloaded; name the folder"
    assert message in said(["model", "--path", "site-packages"], capsys)


def test_a_folder_without_a_description(hub: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (hub / "model").mkdir()
    assert "model: no file in it defines a network, and it has no config.json" in said(["model"], capsys)
