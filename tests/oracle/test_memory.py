"""What operations keep for their gradients, and what they take while they run, against what torch itself does."""

from __future__ import annotations

import pathlib
import textwrap

import pytest
import torch

import cutaway
from benchmarks.memory.measure import peak_of, saved_of
from cutaway.passes.memory import peak_activations
from cutaway.passes.saved_for_backward import saved_tensors

SHAPE = (2, 3, 6, 6)

HEADER = """
import torch
from torch import nn
import torch.nn.functional as F


class Network(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = nn.Conv2d(3, 8, 3, padding=1)
        self.linear = nn.Linear(8, 12, bias=False)  # a bias is added in place, but not where torch is watched
        self.norm = nn.LayerNorm(8)

    def helper(self, y):
        y = F.relu(y)
        y = torch.sin(y)
        return torch.cos(y)

    def forward(self, x):
        y = self.conv(x)
"""

OPERATIONS = """
F.relu(y) | F.relu(y, inplace=True) | F.relu6(y) | F.relu6(y, inplace=True) | F.leaky_relu(y) | F.leaky_relu(y, inplace=True)
F.gelu(y) | F.silu(y) | F.silu(y, inplace=True) | F.hardswish(y) | F.hardswish(y, inplace=True) | F.hardsigmoid(y)
F.elu(y) | F.selu(y) | F.mish(y) | F.softplus(y) | F.hardtanh(y) | F.hardtanh(y, inplace=True) | torch.tanh(y)
torch.sigmoid(y) | y.sigmoid_() | torch.exp(y) | torch.log(y) | torch.sqrt(y) | torch.rsqrt(y) | torch.abs(y) | y ** 2 | y ** 0.5
F.softmax(y, dim=1) | F.log_softmax(y, dim=1) | y.mean() | y.sum(dim=1) | y.amax(dim=1) | y.std(dim=1) | y.var(dim=1)
y + y | y - 1 | y * y | y * 2 | y / 2 | y / (y + 1) | 1 / y | -y | torch.maximum(y, y + 1) | torch.where(y > 0, y, y * 2)
y.masked_fill(y > 0, 0.0) | y.clamp(0, 1) | y.clamp(min=0) | torch.cat([y, y], 1) | torch.stack([y, y])
y.permute(0, 2, 3, 1).contiguous() | y.flatten(1) | y.transpose(1, 2).reshape(2, -1) | F.pad(y, (1, 1)) | y.repeat(1, 2, 1, 1)
F.max_pool2d(y, 2) | F.avg_pool2d(y, 2) | F.adaptive_avg_pool2d(y, 1) | F.adaptive_avg_pool2d(y, 2) | F.adaptive_max_pool2d(y, 2)
F.max_pool1d(y.flatten(2), 2) | F.adaptive_avg_pool1d(y.flatten(2), 1) | F.interpolate(y, scale_factor=2)
F.interpolate(y, scale_factor=2, mode="bilinear") | F.dropout(y, 0.5, self.training) | F.dropout2d(y, 0.5, self.training)
F.layer_norm(y, (6,)) | F.group_norm(y, 2) | F.instance_norm(y) | F.normalize(y, dim=1) | F.normalize(y, dim=-1)
self.linear(y.flatten(2).transpose(1, 2)) | self.linear(y.permute(0, 2, 3, 1)) | self.linear(y.permute(0, 2, 3, 1).contiguous())
self.norm(y.permute(0, 2, 3, 1)) | y @ y | y @ y.transpose(-2, -1) | y.transpose(1, 2) @ y.transpose(1, 2).transpose(2, 3) | y @ y.permute(0, 1, 3, 2)
y.permute(0, 2, 1, 3) @ y.permute(0, 2, 3, 1) | torch.einsum("bchw,bchv->bcwv", y, y) | torch.einsum("bchw,bdhw->bcd", y, y)
torch.einsum("bchw,bcvw->bhcv", y, y) | torch.einsum("bhcv,bhdv->bhcd", y.transpose(1, 2), y.transpose(1, 2)) | F.scaled_dot_product_attention(y, y, y)
F.scaled_dot_product_attention(y.transpose(1, 2), y.transpose(1, 2), y.transpose(1, 2)).transpose(1, 2).reshape(2, 8, 36)
y[:, :4] * 2 | y[:, 0].sum() | y.chunk(2, 1)[0] * y.chunk(2, 1)[1] | F.pixel_shuffle(y, 2) | y.roll(1, 2) | y.flip(2)
F.glu(y, 1) | y.cumsum(1) | torch.sin(y) * torch.cos(y) | y.norm(dim=1) | y.unsqueeze(0) | y.detach() * 2 | torch.zeros_like(y) + y
torch.sin(F.relu(y, inplace=True)) | torch.sin(F.relu6(y, inplace=True)) | torch.sin(F.leaky_relu(y, inplace=True))
torch.sin(F.hardtanh(y, inplace=True)) | torch.sin(F.silu(y, inplace=True)) | torch.sin(F.elu(y, inplace=True))
torch.sin(y.sigmoid_()) | torch.sin(y.tanh_()) | torch.sin(y.exp_()) | torch.sin(y.clamp_(0, 1)) | torch.sin(y.mul_(y.sigmoid()))
self.helper(y) | self.helper(torch.tan(y)) | F.relu(self.helper(y)) + y
y.expand(3, 2, 8, 6, 6) * 2 | y.float() * 2 | y.half() * 2 | y.to(torch.float64).sin() | F.prelu(y, torch.ones(1)) | torch.erf(y)
y.mul_(2) | y.add_(1) | y.div_(2) | torch.addcmul(y, y, y) | torch.lerp(y, y + 1, 0.5) | y.softmax(-1) @ y
"""
ROWS = [row.strip() for line in OPERATIONS.strip().splitlines() for row in line.split(" | ")]

STATEMENTS = {
    "a list of results": "parts = [F.relu(y), torch.sin(y)]\nz = torch.cat(parts, 1)\nreturn torch.cos(z)",
    "a variable that is set again": "z = torch.sin(y)\ny = y + z\nz = torch.cos(torch.exp(y))\nreturn y * z",
    "a variable that is deleted": "z = torch.sin(y)\ndel z\nreturn torch.cos(torch.exp(y))",
    "a loop": "for _ in range(3):\n    y = y + torch.sin(y)\nreturn y",
    "a tuple that is unpacked": "a, b = y.chunk(2, 1)\ny = a * b\nreturn torch.exp(y)",
    "a comprehension": "return sum([torch.sin(y) for _ in range(3)])",
    "a nested function": "def inner(z):\n    z = torch.sin(z)\n    return torch.cos(z)\nreturn torch.exp(inner(y)) + 1",
    "a lambda": "f = lambda z: torch.cos(torch.sin(z))\nreturn torch.exp(f(y)) + 1",
    "branches": "if y.shape[0] > 1:\n    z = torch.sin(y)\nelse:\n    z = y\nreturn torch.cos(torch.exp(z))",
    "an attribute": "self.last = torch.sin(y)\nreturn torch.cos(torch.exp(y))",
    "attention": "q = y.flatten(2).transpose(1, 2)\ns = q @ q.transpose(1, 2)\ns = s.softmax(-1)\nreturn s @ q",
}


def network(tmp_path: pathlib.Path, body: str) -> str:
    path = tmp_path / "network.py"
    path.write_text(HEADER + textwrap.indent(body, " " * 8) + "\n")
    return f"{path}::Network"


def real(tmp_path: pathlib.Path) -> torch.nn.Module:
    space: dict[str, object] = {}
    exec(compile((tmp_path / "network.py").read_text(), "network.py", "exec"), space)
    return space["Network"]()  # type: ignore[operator, no-any-return]


def predicted(target: str, train: bool) -> cutaway.Architecture:
    (architecture,) = cutaway.show(target, input="x".join(map(str, SHAPE)), train=train)
    assert not architecture.unknowns
    return architecture


@pytest.mark.parametrize("expression", ROWS)
def test_kept_for_gradients(tmp_path: pathlib.Path, expression: str) -> None:
    architecture = predicted(network(tmp_path, f"return {expression}"), True)
    kept = sum(each.bytes for each in saved_tensors(architecture))  # type: ignore[misc]
    assert kept == saved_of(real(tmp_path), torch.ones(SHAPE))


@pytest.mark.parametrize("body", [*(f"return {row}" for row in ROWS), *STATEMENTS.values()], ids=[*ROWS, *STATEMENTS])
def test_peak(tmp_path: pathlib.Path, body: str) -> None:
    architecture = predicted(network(tmp_path, body), False)
    assert peak_activations(architecture, {}).bytes == peak_of(real(tmp_path), torch.ones(SHAPE))
