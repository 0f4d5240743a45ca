"""What Cutaway writes contains no text of the target as code or as a path."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from cutaway import cli
from model_analysis.cli import _folder_name

_MODEL = """
from torch import nn
class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.add_module(NAME, nn.Linear(2, 3))
    def forward(self, x):
        for layer in self.children():
            x = layer(x)
        return x
"""


@pytest.mark.parametrize("name", ['a"""\nimport os\nprint(os)\n"""', "a'''\nprint(1)\n'''", "a\\", "é\n    1/0"])
def test_a_generated_test_runs_only_what_cutaway_wrote(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    model = tmp_path / "model.py"
    model.write_text(_MODEL.replace("NAME", repr(name)))
    assert cli.main(["ops", f"{model}::Net", "--input", "1x2", "--format", "pytest"]) == 0
    tree = ast.parse(capsys.readouterr().out)
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert not names & {"os", "print"}
    assert [node for node in ast.walk(tree) if isinstance(node, ast.Div)] == []


def test_the_name_of_a_class_is_no_path() -> None:
    assert _folder_name("../../etc/x") == "______etc_x"
    assert _folder_name("/") == "model"
    assert _folder_name("Net") == "Net"
