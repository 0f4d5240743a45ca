"""A network that uses much of torch's API once, to compare the words that both paths find for it."""

from __future__ import annotations

import torch
from torch import nn


class Vocabulary(nn.Module):
    """Returns the first of many things that it computes."""

    def __init__(self):
        super().__init__()
        self.p = nn.Parameter(torch.zeros(3, 4))

    def forward(self, x):
        kept = []
        kept.append(torch.fft.fft(x).real)
        kept.append(self.p.T)
        kept.append(x.mT)
        kept.append(torch.fft.fft(x).imag)
        kept.append(x.H if x.ndim == 2 else x.mH)
        kept.append(x.data)
        kept.append(x.detach())
        kept.append(torch.squeeze(x))
        kept.append(x.view_as(x))
        kept.append(x.type(torch.float32))
        kept.append(x.to(torch.float64).float())
        kept.append(abs(x) + (+x))
        kept.append(x.new_ones(3))
        kept.append(x.clone())
        kept.append(torch.Tensor([1, 2]))
        kept.append(x.unflatten(-1, (2, 2)))
        kept.append(torch.nn.functional.one_hot(torch.arange(3), 4))
        kept.append(x.masked_fill(x > 0, -1))
        kept.append(torch.where(x > 0, x, 0))
        kept.append(x.norm())
        kept.append(list(x.unbind(0)))
        kept.append(list(x))
        kept.append(torch.einsum("bij,bjk->bik", x, x.mT))
        x = x.clone()
        x[:, 0] = 1
        x *= 2
        x -= 1
        x = x.transpose(0, 1).contiguous()
        x = x // 2
        x = x % 3
        x = 3 // (x + 1)
        kept.append(torch.max(x, dim=-1).values)
        kept.append(x.max())
        kept.append(torch.topk(x, 2))
        kept.append(x.sort()[0])
        kept.append(x.argmax(-1))
        kept.append(torch.nn.functional.pad(x, (1, 1)))
        kept.append(torch.nn.functional.interpolate(x, scale_factor=2))
        kept.append(torch.stack([x, x]))
        kept.append(x.repeat(1, 1, 2))
        kept.append(torch.roll(x, 1, 0))
        kept.append(x.pow(2).sum(-1, keepdim=True).sqrt())
        kept.append(x.bool().logical_not())
        kept.append(torch.triu(torch.ones(3, 3), 1))
        kept.append(x.flip(0))
        kept.append(torch.nn.functional.normalize(x, dim=-1))
        kept.append(torch.cdist(x, x))
        kept.append(x.var(-1, unbiased=False))
        kept.append(torch.nn.functional.glu(x))
        kept.append(torch.nn.functional.unfold(x[None], 2))
        kept.append(torch.addmm(self.p[:, :3], self.p, self.p.T[:, :3]))
        kept.append(torch.outer(x[0, 0], x[0, 0]))
        kept.append(x.cumsum(-1))
        line = torch.linspace(0, 1, 5)
        kept.append(torch.meshgrid(line, line, indexing="ij"))
        kept.append(torch.tril(x))
        return kept[0]
