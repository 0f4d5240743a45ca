"""Names, arguments and element types of a hostile file do not become code."""

from __future__ import annotations

import ast
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from cutaway._recovery_api import recover  # noqa: E402
from cutaway.core.error import CutawayError  # noqa: E402
from cutaway.recover.targets.gate import Foreign, demand_own_names  # noqa: E402

X = {"name": "self", "arg": {"as_tensor": {"name": "x"}}, "kind": 1}


class Net(torch.nn.Module):
    """One operation that has no row in a table."""

    def forward(self, x: Any) -> Any:
        return torch.special.entr(x) + 1


def program(path: Path, target: str, *inputs: Any) -> str:
    """Write an exported program whose first operation is another one."""
    torch.export.save(torch.export.export(Net(), (torch.randn(2, 3),)), path)
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in members.items():
            if name.endswith("models/model.json"):
                model = json.loads(data)
                model["graph_module"]["graph"]["nodes"][0].update({"target": target, "inputs": list(inputs)})
                data = json.dumps(model).encode()
            archive.writestr(name, data)
    return str(path)


def text(name: str, value: str) -> Any:
    return {"name": name, "arg": {"as_string": value}, "kind": 2}


@pytest.mark.parametrize(
    "target",
    ["torch.os.system", "torch.ops.torch.os.system", "torch.ops.F.torch.os.system", "torch.ops..system", "torch.load",
     "torch.ops.aten.from_file.default", "builtins.eval", "torch.ops.aten.relu.default; import os", "F.os.system"],
)  # fmt: skip
def test_a_file_can_not_name_what_the_code_calls(target: str, tmp_path: Path) -> None:
    result = recover(program(tmp_path / "net.pt2", target, text("command", "halt")))
    assert len(result.missing) == 1
    assert calls(result.source) <= {"super().__init__", "super", "NotImplementedError", *missing(result.source)}


def missing(source: str) -> set[str]:
    """Return the functions that stand for operations without code."""
    return {node.name for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)}


def calls(source: str) -> set[str]:
    """Return what a program calls."""
    return {ast.unparse(node.func) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call)}


@pytest.mark.parametrize(
    "argument",
    [text("dtype", "torch.float32, print(1)"), text("dtype", "hub"), text("lambda", "x"), text("a=1, b", "x"), text("x", "'+open('a')+'")],
)  # fmt: skip
@pytest.mark.parametrize("target", ["special_entr", "sum", "_to_copy", "relu"])
def test_arguments_of_a_file_are_literals(target: str, argument: Any, tmp_path: Path) -> None:
    path = program(tmp_path / "net.pt2", f"torch.ops.aten.{target}.default", X, argument)
    try:
        source = recover(path).source
    except CutawayError:
        return  # nothing is written
    assert not calls(source) & {"print", "open", "torch.hub"}


@pytest.mark.parametrize(
    "line",
    ["torch.os.system('x')", "__import__('os')", "open('x')", "x.__class__", "torch.hub.load('x')", "eval(x)", "x +", "nn.functional.torch.os"],
)  # fmt: skip
def test_the_last_check_refuses_names_that_are_not_ours(line: str) -> None:
    with pytest.raises(Foreign):
        demand_own_names(f"import torch\nfrom torch import nn\ndef forward(x):\n    return {line}\n")
