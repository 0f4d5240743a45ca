"""A program without a network: only functions of tensors."""

import torch


def pairwise(a, b):
    return ((a.unsqueeze(1) - b.unsqueeze(0)) ** 2).sum(dim=-1).sqrt()


def attention(q, k, v):
    scores = torch.matmul(q, k.transpose(1, 2)) / 8
    weights = torch.softmax(scores, dim=-1)
    return torch.bmm(weights, v)


points = torch.randn(10, 3)
centres = torch.randn(4, 3)
distances = pairwise(points, centres)
nearest = distances.argmin(dim=1)
one_hot = torch.zeros(10, 4).scatter_(1, nearest.unsqueeze(1), 1.0)
sums = one_hot.t() @ points
means = sums / one_hot.sum(dim=0).unsqueeze(1).clamp(min=1)
q = torch.randn(2, 5, 16)
k = torch.randn(2, 7, 16)
v = torch.randn(2, 7, 12)
out = attention(q, k, v)
joined = torch.cat([out, torch.zeros(2, 3, 12)], dim=1)
stacked = torch.stack([joined, joined], dim=0)
flat = stacked.reshape(2, 2, 96)
picked = flat[:, :, 10:20]
first, second = picked.chunk(2, dim=2)
product = torch.einsum("abc,abd->acd", first, second)
total = product.view(2, 25).mean(dim=1)
print(total.shape)
