"""`torch.nn.modules.adaptive`: a softmax over many classes in clusters."""

from __future__ import annotations

import itertools
from collections import namedtuple
from functools import partial
from operator import ge
from typing import Any

from cutaway.core.fault import ArgumentFault, Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import Dim
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import KnownModule, register
from cutaway.knowledge.torch.nn.linear import Linear
from cutaway.knowledge.torch.nn.module import Module, layer
from cutaway.knowledge.torch.nn.weights import certain, unequal

F = KnownModule("torch.nn.functional")
nn = KnownModule("torch.nn")
torch = KnownModule("torch")
HOME = "torch.nn.modules.adaptive"

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])
register(f"{HOME}._ASMoutput", _ASMoutput)


def _narrowed(size: Any, factor: Any) -> Any:
    if isinstance(size, Dim) and factor == int(factor):
        return size // int(factor)
    narrowed = size // factor
    return narrowed if isinstance(narrowed, Unknown) else int(narrowed)


@layer
class AdaptiveLogSoftmaxWithLoss(Module):
    """Frequent classes in a head, rare ones in clusters of smaller width."""

    __module__ = HOME

    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None):
        super().__init__()
        cutoffs = list(cutoffs)
        if len(cutoffs) == 0:
            raise ArgumentFault("AdaptiveLogSoftmaxWithLoss: cutoffs must not be empty", FaultCode.INVALID_ARGUMENT)
        rises = [0, *cutoffs, n_classes]
        if any(certain(partial(ge, a, b)) for a, b in itertools.pairwise(rises)) or any(
            isinstance(c, float) and not c.is_integer() for c in cutoffs
        ):
            raise ArgumentFault(
                f"AdaptiveLogSoftmaxWithLoss: cutoffs must be increasing integers between 1 and n_classes - 1, "
                f"got {cutoffs} with n_classes {n_classes}",
                FaultCode.INVALID_ARGUMENT,
            )
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Linear(in_features, self.head_size, bias=head_bias, device=device, dtype=dtype)
        self.tail = nn.ModuleList()
        for i in range(self.n_clusters):
            width = _narrowed(in_features, div_value ** (i + 1))
            classes = self.cutoffs[i + 1] - self.cutoffs[i]
            self.tail.append(
                nn.Sequential(
                    Linear(in_features, width, bias=False, device=device, dtype=dtype),
                    Linear(width, classes, bias=False, device=device, dtype=dtype),
                )
            )

    def reset_parameters(self):
        self.head.reset_parameters()
        for project, classify in self.tail:
            project.reset_parameters()
            classify.reset_parameters()

    def forward(self, input_, target_):
        """Every cluster is taken to have targets: which of them have is not known before they run."""
        if target_.dim() == 1:
            if unequal(input_.shape[0], target_.shape[0]):
                raise Fault(
                    f"AdaptiveLogSoftmaxWithLoss: input has a batch of {input_.shape[0]}, "
                    f"but target one of {target_.shape[0]}",
                    FaultCode.SHAPE_MISMATCH,
                )
            if input_.dim() != 2:
                raise Fault(
                    f"AdaptiveLogSoftmaxWithLoss: 1D target needs 2D input, got {input_.dim()}D",
                    FaultCode.WRONG_RANK,
                )
        elif target_.dim() == 0:
            if input_.dim() != 1:
                raise Fault(
                    f"AdaptiveLogSoftmaxWithLoss: 0D target needs 1D input, got {input_.dim()}D",
                    FaultCode.WRONG_RANK,
                )
        else:
            raise Fault(
                f"AdaptiveLogSoftmaxWithLoss: target must be 0D or 1D, got {target_.dim()}D", FaultCode.WRONG_RANK
            )
        batched = target_.dim() > 0
        input = input_ if batched else input_.unsqueeze(0)
        target = target_ if batched else target_.unsqueeze(0)
        output = input.new_zeros(target.shape[0])
        chosen = target.new_empty(target.shape[0])
        bounds = [0, *self.cutoffs]
        for i in range(len(self.cutoffs)):
            mask = (target >= bounds[i]) & (target < bounds[i + 1])
            rows = mask.nonzero().squeeze(1)
            if i == 0:
                chosen.index_copy_(0, rows, target[mask])
                continue
            relative = target[mask] - bounds[i]
            cluster = F.log_softmax(self.tail[i - 1](input.index_select(0, rows)), dim=1)
            chosen.index_fill_(0, rows, self.shortlist_size + i - 1)
            output.index_copy_(0, rows, cluster.gather(1, relative.unsqueeze(1)).squeeze(1))
        head = F.log_softmax(self.head(input), dim=1)
        output += head.gather(1, chosen.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _get_full_log_prob(self, input, head_output):
        out = input.new_empty((head_output.shape[0], self.n_classes))
        head = F.log_softmax(head_output, dim=1)
        out[:, : self.shortlist_size] = head[:, : self.shortlist_size]
        for i, (start, stop) in enumerate(itertools.pairwise(self.cutoffs)):
            cluster = F.log_softmax(self.tail[i](input), dim=1)
            out[:, start:stop] = cluster + head[:, self.shortlist_size + i].unsqueeze(1)
        return out

    def log_prob(self, input):
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input):
        return torch.argmax(self._get_full_log_prob(input, self.head(input)), dim=1)
