"""A folder of files: a line for each network in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cutaway import cli

FILES = {
    "nets/net.py": """\
from torch import nn

class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(4, width)

    def forward(self, x):
        return self.fc(x)
""",
    "train.py": """\
import torch
from nets.net import Net

def main():
    model = Net(3)
    print(model)

if __name__ == "__main__":
    main()
""",
    "data.py": "import torch\n\nclass Data(torch.utils.data.Dataset):\n    pass\n",
    "broken.py": "from torch import nn\nimport nowhere\n\nclass Net(nowhere.Base):\n    pass\n",
    "tests/test_net.py": "from torch import nn\n\nclass TestNet(nn.Module):\n    pass\n",
    ".venv/pyvenv.cfg": "",
    ".venv/lib/net.py": "from torch import nn\nnet = nn.Linear(1, 1)\n",
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("repository")
def test_every_network_has_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", ".", "--no-cache"]) == 0
    assert (
        capsys.readouterr().out
        == """\
.  2 networks in 2 files

network          class  parameters  known
nets/net.py::Net  Net       5*width   100%
train.py::model   Net            15   100%

to see one: cutaway show nets/net.py::Net

Not shown (1)
  broken.py: no network found; Net may be one, but its base class is unknown: broken.py:2: module nowhere is not found: \
add its folder with --path, or install it
""".replace("network          class", "network           class")
    )


@pytest.mark.usefixtures("repository")
def test_a_line_is_a_target(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", "train.py::model", "--no-cache"]) == 0
    assert "fc: Linear" in capsys.readouterr().out


@pytest.mark.usefixtures("repository")
def test_json_has_all_networks(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["show", ".", "--format", "json", "--no-cache"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [network["name"] for network in document["architectures"]] == ["Net", "model"]
