"""Generated programs that compute gradients: what `check` reports is what torch raises, in the same line."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch

from cutaway.checking.file_check import check_file

START = """\
import torch
import torch.nn as nn
import torch.nn.functional as F

layer = nn.Linear(3, 3)
other = nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3), nn.ReLU(inplace=True))
w = torch.ones(3, 3, requires_grad=True)
a = torch.randn(4, 3)
b = torch.randn(4, 3)


@torch.no_grad()
def evaluated(x):
    return layer(x)


def trained(x):
    return other(x)


"""
STATEMENTS = [
    "{x} = layer({y})", "{x} = trained({y})", "{x} = evaluated({y})", "{x} = {y} @ w", "{x} = {y} * 2 + {x}",
    "{x} = F.relu({y})", "{x} = {y}.detach()", "{x} = {y}.data", "{x} = {y}.clone()", "{x} = torch.randn(4, 3)",
    "{x} = torch.zeros_like({y})", "{x} = torch.cat([{x}[:2], {y}[2:]])", "{x}[:, 0] = {y}[:, 1]", "{x} += {y}",
    "w.data -= 0.1", "w -= 0.1", "layer.weight.data.mul_(0.5)", "layer.requires_grad_(False)", "w.requires_grad = False",
    "for p in other.parameters():\n    p.requires_grad = False", "with torch.no_grad():\n    w -= 0.1",
    "with torch.no_grad():\n    {x} = layer({y})", "{x}.numpy()", "{x}.detach().numpy()", "{x}.data.numpy()",
    "{x}.mean().backward()", "{x}.mean().backward(retain_graph=True)", "F.mse_loss({x}, {y}).backward()",
    "loss = F.l1_loss({x}, b)\nloss.backward()", "torch.set_grad_enabled(False)", "torch.set_grad_enabled(True)",
    "{x} = ({y} > 0).float() * {x}", "{x} = {x}.max(dim=1, keepdim=True)[0] + {y}", "{x} = nn.Parameter({y})",
]  # fmt: skip


def program(seed: int) -> str:
    draw = random.Random(seed)
    lines = [
        draw.choice(STATEMENTS).format(x=draw.choice("ab"), y=draw.choice("ab")) for _ in range(draw.randint(3, 9))
    ]
    return START + "\n".join(lines) + "\n"


def raised(text: str) -> tuple[int, str]:
    """Run a program; return the line that raises, 0 if none does, and the exception."""
    was = torch.is_grad_enabled()
    try:
        exec(compile(text, "program.py", "exec"), {"__name__": "program"})
    except RuntimeError as error:
        trace = error.__traceback__
        lines = []
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == "program.py":
                lines.append(trace.tb_lineno)
            trace = trace.tb_next
        return lines[-1], str(error)
    finally:
        torch.set_grad_enabled(was)
    return 0, ""


@pytest.mark.parametrize("seed", range(30))
def test_a_reported_misuse_of_gradients_is_one(seed: int, tmp_path: Path) -> None:
    text = program(seed)
    path = tmp_path / "program.py"
    path.write_text(text)
    found = [problem.line for problem in check_file(str(path)).problems if problem.code == "gradient-misuse"]
    line, error = raised(text)
    assert not found or 0 < line <= found[0], f"{found}, but {line}: {error}\n{text}"


def test_most_misuses_of_gradients_are_reported(tmp_path: Path) -> None:
    path, real, missed = tmp_path / "program.py", 0, 0
    for seed in range(30, 60):
        text = program(seed)
        line, _ = raised(text)
        if line:
            path.write_text(text)
            real += 1
            missed += not any(problem.line == line for problem in check_file(str(path)).problems)
    assert missed <= real / 3, f"{missed} of {real}"
