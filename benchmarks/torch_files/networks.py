"""Ten networks that can be traced, scripted and exported, each with an example of its inputs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class Perceptron(nn.Module):
    """Dropout, a norm over features, and a branch on training."""

    def __init__(self, width: int = 32) -> None:
        super().__init__()
        self.layers = nn.Sequential(nn.Linear(20, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.3))
        self.head = nn.Linear(width, 10)

    def forward(self, x: Tensor) -> Tensor:
        x = self.layers(x)
        if self.training:
            x = x + torch.randn_like(x)
        return F.log_softmax(self.head(x), dim=-1)


class ResidualBlock(nn.Module):
    """Two convolutions beside a shortcut, which may change the width."""

    def __init__(self, channels: int, width: int, stride: int) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(channels, width, 3, stride, 1, bias=False)
        self.norm1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(width)
        self.shortcut = nn.Conv2d(channels, width, 1, stride) if stride != 1 else nn.Identity()

    def forward(self, x: Tensor) -> Tensor:
        y = torch.relu_(self.norm1(self.conv1(x)))
        return F.relu(self.norm2(self.conv2(y)) + self.shortcut(x))


class Residual(nn.Module):
    """A classifier of images."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 7, 2, 3)
        self.pool = nn.MaxPool2d(3, 2, 1)
        self.stages = nn.ModuleList([ResidualBlock(16, 16, 1), ResidualBlock(16, 32, 2), ResidualBlock(32, 64, 2)])
        self.head = nn.Linear(64, 10)

    def forward(self, image: Tensor) -> Tensor:
        x = self.pool(self.stem(image))
        for stage in self.stages:
            x = stage(x)
        return self.head(torch.flatten(F.adaptive_avg_pool2d(x, (1, 1)), 1))


class UNet(nn.Module):
    """Skips that are concatenated; sizes that are computed from other sizes."""

    def __init__(self) -> None:
        super().__init__()
        self.down = nn.ModuleList([nn.Conv2d(1, 8, 3, padding=1), nn.Conv2d(8, 16, 3, padding=1)])
        self.bottom = nn.Sequential(nn.Conv2d(16, 32, 3, padding=1), nn.GroupNorm(4, 32), nn.SiLU())
        self.up1 = nn.ConvTranspose2d(32, 16, 2, 2)
        self.up2 = nn.ConvTranspose2d(16, 8, 2, 2)
        self.out1 = nn.Conv2d(32, 16, 3, padding=1)
        self.out2 = nn.Conv2d(16, 1, 3, padding=1)

    def forward(self, x: Tensor) -> Tensor:
        skips: list[Tensor] = []
        for conv in self.down:
            x = F.leaky_relu(conv(x), 0.1)
            skips.append(x)
            x = F.max_pool2d(x, 2)
        x = self.up1(self.bottom(x))
        x = F.relu(self.out1(torch.cat([x, skips[1]], dim=1)))
        x = self.up2(x)
        x = F.interpolate(x, size=[skips[0].size(2), skips[0].size(3)], mode="bilinear", align_corners=False)
        return torch.sigmoid(self.out2(torch.cat([x, skips[0]], dim=1)))


class Recurrent(nn.Module):
    """A bidirectional LSTM and a GRU over embedded tokens."""

    def __init__(self) -> None:
        super().__init__()
        self.embed = nn.Embedding(100, 16, padding_idx=0)
        self.lstm = nn.LSTM(16, 12, num_layers=2, batch_first=True, bidirectional=True)
        self.gru = nn.GRU(24, 8, batch_first=True)
        self.head = nn.Linear(8, 5)

    def forward(self, tokens: Tensor) -> Tensor:
        y, _ = self.lstm(self.embed(tokens))
        z, last = self.gru(y)
        return self.head(last.squeeze(0) + z.mean(1))


class Encoder(nn.Module):
    """Layers of torch's own transformer behind learned positions."""

    def __init__(self) -> None:
        super().__init__()
        self.position = nn.Parameter(torch.zeros(1, 10, 32))
        layer = nn.TransformerEncoderLayer(32, 4, 64, batch_first=True, norm_first=True)
        self.encoder = nn.TransformerEncoder(layer, 2, enable_nested_tensor=False)
        self.head = nn.Linear(32, 3)

    def forward(self, x: Tensor) -> Tensor:
        return self.head(self.encoder(x + self.position)[:, 0])


class CausalBlock(nn.Module):
    """Attention as people write it, with a mask in a buffer."""

    def __init__(self, width: int, heads: int, context: int) -> None:
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv = nn.Linear(width, 3 * width, bias=False)
        self.out = nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.register_buffer("mask", torch.tril(torch.ones(context, context)).bool(), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        q, k, v = self.qkv(self.norm1(x)).chunk(3, dim=-1)
        q = q.view(batch, length, self.heads, -1).transpose(1, 2)
        k = k.view(batch, length, self.heads, -1).transpose(1, 2)
        v = v.view(batch, length, self.heads, -1).transpose(1, 2)
        scores = (q @ k.transpose(-2, -1)) / (width // self.heads) ** 0.5
        scores = scores.masked_fill(~self.mask[:length, :length], float("-inf"))
        y = (torch.softmax(scores, dim=-1) @ v).transpose(1, 2).reshape(batch, length, width)
        x = x + self.out(y)
        return x + self.mlp(self.norm2(x))


class Causal(nn.Module):
    """A language model whose head is tied to its embedding."""

    def __init__(self) -> None:
        super().__init__()
        self.tokens, self.positions = nn.Embedding(50, 24), nn.Embedding(16, 24)
        self.blocks = nn.Sequential(CausalBlock(24, 3, 16), CausalBlock(24, 3, 16))
        self.norm = nn.LayerNorm(24)
        self.head = nn.Linear(24, 50, bias=False)
        self.head.weight = self.tokens.weight

    def forward(self, ids: Tensor) -> Tensor:
        at = torch.arange(ids.shape[1], device=ids.device)
        return self.head(self.norm(self.blocks(self.tokens(ids) + self.positions(at))))


class Variational(nn.Module):
    """Several results, and random numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.encoder = nn.Sequential(nn.Flatten(), nn.Linear(64, 32), nn.ELU())
        self.mean, self.spread = nn.Linear(32, 4), nn.Linear(32, 4)
        self.decoder = nn.Sequential(nn.Linear(4, 64), nn.Unflatten(1, (1, 8, 8)))

    def forward(self, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        hidden = self.encoder(x)
        mean, spread = self.mean(hidden), self.spread(hidden)
        sample = mean + torch.exp(0.5 * spread) * torch.randn_like(spread)
        return self.decoder(sample), mean, spread


class Generator(nn.Module):
    """Transposed convolutions, an upsampling layer, and normalised instances."""

    def __init__(self) -> None:
        super().__init__()
        self.project = nn.Linear(10, 32 * 4 * 4)
        self.layers = nn.Sequential(
            nn.ConvTranspose2d(32, 16, 4, 2, 1),
            nn.InstanceNorm2d(16, affine=True),
            nn.LeakyReLU(0.2, inplace=True),
            nn.Upsample(scale_factor=2.0, mode="nearest"),
            nn.ReflectionPad2d(1),
            nn.Conv2d(16, 3, 3),
            nn.Tanh(),
        )

    def forward(self, z: Tensor) -> Tensor:
        return self.layers(self.project(z).view(-1, 32, 4, 4))


class Mobile(nn.Module):
    """Depthwise convolutions with squeeze and excitation; one layer that is called twice."""

    def __init__(self) -> None:
        super().__init__()
        self.stem = nn.Conv2d(3, 16, 3, 2, 1)
        self.depthwise = nn.Conv2d(16, 16, 5, padding=2, groups=16)
        self.squeeze, self.excite = nn.Conv2d(16, 4, 1), nn.Conv2d(4, 16, 1)
        self.act = nn.Hardswish()
        self.shared = nn.Conv2d(16, 16, 3, 2, 1)
        self.head = nn.Linear(16, 6)

    def forward(self, x: Tensor) -> Tensor:
        x = self.act(self.depthwise(self.act(self.stem(x))))
        gate = F.hardsigmoid(self.excite(F.relu6(self.squeeze(x.mean((2, 3), keepdim=True)))))
        x = self.shared(self.shared(x * gate))
        return self.head(x.amax(dim=(2, 3)))


class Dilated(nn.Module):
    """One dimension, growing gaps, a gate, weights under a norm of their own."""

    def __init__(self) -> None:
        super().__init__()
        self.first = nn.Conv1d(4, 16, 1)
        self.convs = nn.ModuleList([nn.Conv1d(16, 32, 2, dilation=2**i) for i in range(4)])
        self.scale = nn.Parameter(torch.ones(16, 1))
        self.last = nn.Sequential(nn.PReLU(), nn.AdaptiveMaxPool1d(3), nn.Conv1d(16, 2, 1))

    def forward(self, x: Tensor, offset: Tensor) -> dict[str, Tensor]:
        x = self.first(x) + offset
        for conv in self.convs:
            value, gate = torch.split(conv(x), 16, dim=1)
            x = x[..., -value.shape[-1] :] + torch.tanh(value) * torch.sigmoid(gate) * self.scale
        return {"features": x, "scores": self.last(x)}


NETWORKS: dict[str, tuple[Callable[[], nn.Module], Callable[[], tuple[Any, ...]]]] = {
    "perceptron": (Perceptron, lambda: (torch.randn(4, 20),)),
    "residual": (Residual, lambda: (torch.randn(2, 3, 64, 64),)),
    "unet": (UNet, lambda: (torch.randn(2, 1, 32, 48),)),
    "recurrent": (Recurrent, lambda: (torch.randint(0, 100, (3, 7)),)),
    "encoder": (Encoder, lambda: (torch.randn(2, 10, 32),)),
    "causal": (Causal, lambda: (torch.randint(0, 50, (2, 12)),)),
    "variational": (Variational, lambda: (torch.randn(3, 1, 8, 8),)),
    "generator": (Generator, lambda: (torch.randn(2, 10),)),
    "mobile": (Mobile, lambda: (torch.randn(2, 3, 32, 32),)),
    "dilated": (Dilated, lambda: (torch.randn(2, 4, 64), torch.randn(16, 1))),
}
"""Each network: how it is built, and what it is called with."""
