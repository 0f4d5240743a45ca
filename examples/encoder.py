"""A transformer that predicts masked words, configured by a data class."""

import math
from dataclasses import dataclass, field

import torch
import torch.nn.functional as F
from torch import nn


@dataclass
class Config:
    """The configuration of an encoder."""

    vocabulary: int = 30_000
    positions: int = 512
    width: int = 256
    heads: int = 8
    layers: int = 6
    ratio: float = 4.0
    dropout: float = 0.1
    tie_weights: bool = True
    head_width: int = field(init=False)

    def __post_init__(self):
        if self.width % self.heads:
            raise ValueError(f"width {self.width} is not a multiple of {self.heads} heads")
        self.head_width = self.width // self.heads


class Attention(nn.Module):
    """Self-attention over the positions that the mask selects."""

    def __init__(self, config: Config):
        super().__init__()
        self.heads = config.heads
        self.scale = 1 / math.sqrt(config.head_width)
        self.qkv = nn.Linear(config.width, 3 * config.width)
        self.out = nn.Linear(config.width, config.width)
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x, mask=None):
        batch, length, width = x.shape
        q, k, v = self.qkv(x).view(batch, length, 3, self.heads, -1).permute(2, 0, 3, 1, 4).unbind(0)
        scores = (q @ k.transpose(-2, -1)) * self.scale
        if mask is not None:
            scores = scores.masked_fill(~mask[:, None, None, :], float("-inf"))
        weights = self.dropout(scores.softmax(dim=-1))
        return self.out((weights @ v).transpose(1, 2).reshape(batch, length, width))


class Block(nn.Module):
    """Attention and a feed-forward network, with pre-normalisation and skip connections."""

    def __init__(self, config: Config):
        super().__init__()
        hidden = int(config.width * config.ratio)
        self.norm1 = nn.LayerNorm(config.width)
        self.attention = Attention(config)
        self.norm2 = nn.LayerNorm(config.width)
        self.mlp = nn.Sequential(nn.Linear(config.width, hidden), nn.GELU(), nn.Linear(hidden, config.width))
        self.dropout = nn.Dropout(config.dropout)

    def forward(self, x, mask=None):
        x = x + self.dropout(self.attention(self.norm1(x), mask))
        return x + self.dropout(self.mlp(self.norm2(x)))


class Encoder(nn.Module):
    """Maps words to hidden states, and to a score for each word of the vocabulary at each position."""

    def __init__(self, config: Config = Config()):
        super().__init__()
        self.words = nn.Embedding(config.vocabulary, config.width)
        self.places = nn.Embedding(config.positions, config.width)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(config.width)
        self.predict = nn.Linear(config.width, config.vocabulary, bias=False)
        if config.tie_weights:
            self.predict.weight = self.words.weight

    def forward(self, ids, mask=None):
        x = self.words(ids) + self.places(torch.arange(ids.shape[1], device=ids.device))
        for block in self.blocks:
            x = block(x, mask)
        hidden = self.norm(x)
        return {"hidden": hidden, "probabilities": F.softmax(self.predict(hidden), dim=-1)}


def small():
    """Return a small encoder, for a laptop."""
    return Encoder(Config(width=128, heads=4, layers=2))
