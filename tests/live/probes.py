"""Networks that are awkward to observe, each for one reason."""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


class Keywords(nn.Module):
    """Takes its inputs by name only."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 4)
        self.head = nn.Linear(4, 2)

    def forward(self, *, tokens, scale=None):
        x = self.embed(tokens)
        return self.head(x if scale is None else x * scale)


class Tied(nn.Module):
    """Has one tensor under two names."""

    def __init__(self):
        super().__init__()
        self.embed = nn.Embedding(10, 4)
        self.head = nn.Linear(4, 10, bias=False)
        self.head.weight = self.embed.weight

    def forward(self, tokens):
        return self.head(self.embed(tokens))


class Twice(nn.Module):
    """Calls one module twice, on different shapes."""

    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(3, 3, 3, stride=2, padding=1)

    def forward(self, x):
        return self.down(self.down(x))


class Branch(nn.Module):
    """Decides by the numbers in its input."""

    def __init__(self):
        super().__init__()
        self.left = nn.Linear(4, 2)
        self.right = nn.Linear(4, 3)

    def forward(self, x):
        if x.sum() > 1000:
            return self.left(x)
        return self.right(x)


@dataclass
class Pair:
    """What `Record` returns."""

    logits: torch.Tensor
    hidden: tuple


class Record(nn.Module):
    """Returns a data class with nested tensors."""

    def __init__(self):
        super().__init__()
        self.body = nn.Linear(4, 8)
        self.head = nn.Linear(8, 2)

    def forward(self, x):
        hidden = self.body(x)
        return Pair(self.head(hidden), (hidden, x))


class Nested(nn.Module):
    """Takes a dict of dicts and lists."""

    def __init__(self):
        super().__init__()
        self.mix = nn.Bilinear(4, 3, 2)

    def forward(self, batch):
        return self.mix(batch["left"]["x"], batch["right"][0])


class Halfway(nn.Module):
    """Fails in its second layer."""

    def __init__(self):
        super().__init__()
        self.first = nn.Linear(4, 8)
        self.second = nn.Linear(6, 2)

    def forward(self, x):
        return self.second(self.first(x))


class Recurrent(nn.Module):
    """Has an LSTM and attention."""

    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(6, 8, num_layers=2, bidirectional=True, batch_first=True)
        self.attention = nn.MultiheadAttention(16, 4, batch_first=True)

    def forward(self, x):
        x, (state, _) = self.lstm(x)
        x, weights = self.attention(x, x, x)
        return x.mean(1), state, weights


class Functional(nn.Module):
    """Has no module in it."""

    def __init__(self):
        super().__init__()
        self.kernel = nn.Parameter(torch.zeros(4, 3, 3, 3))

    def forward(self, x):
        x = F.conv2d(x, self.kernel, padding=1).relu()
        x = F.max_pool2d(x, 2)
        x += 1
        return 1 - x.flatten(1).softmax(-1)


class Several(nn.Module):
    """Takes two inputs by position."""

    def __init__(self):
        super().__init__()
        self.join = nn.Linear(7, 2)

    def forward(self, left, right):
        return self.join(torch.cat([left, right], dim=-1))


class Hidden(nn.Module):
    """Has a module in it that is no part of the tree, because a list holds it."""

    def __init__(self):
        super().__init__()
        self.inner = nn.Sequential(nn.Linear(4, 4), Outside())

    def forward(self, x):
        return self.inner(x)


class Outside(nn.Module):
    """Keeps a module where torch does not look for one."""

    def __init__(self):
        super().__init__()
        self.kept = [nn.SiLU()]

    def forward(self, x):
        return self.kept[0](x) + 1
