"""`torch.nn.modules.distance`."""

from __future__ import annotations

from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.torch.nn.module import Module, layer

F = KnownModule("torch.nn.functional")
HOME = "torch.nn.modules.distance"


@layer
class PairwiseDistance(Module):
    """The norm of the difference of two vectors."""

    __module__ = HOME
    __constants__ = ["norm", "eps", "keepdim"]

    def __init__(self, p=2.0, eps=1e-06, keepdim=False):
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1, x2):
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


@layer
class CosineSimilarity(Module):
    """The cosine of the angle of two vectors."""

    __module__ = HOME
    __constants__ = ["dim", "eps"]

    def __init__(self, dim=1, eps=1e-08):
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1, x2):
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
