"""`torch.nn.modules.loss`: the losses as modules."""

from __future__ import annotations

from typing import Any

from cutaway.core.fault import ArgumentFault, TypeFault
from cutaway.core.fault_code import FaultCode
from cutaway.core.unknown import Unknown
from cutaway.knowledge.base.registry import KnownModule
from cutaway.knowledge.torch.nn.distance import PairwiseDistance
from cutaway.knowledge.torch.nn.module import Module, layer
from cutaway.knowledge.torch.nn.weights import certain, rank

F = KnownModule("torch.nn.functional")
HOME = "torch.nn.modules.loss"


@layer
class _Loss(Module):
    """What losses share: how they are reduced."""

    __module__ = HOME

    def __init__(self, size_average=None, reduce=None, reduction="mean"):
        super().__init__()
        if size_average is not None or reduce is not None:
            averaged = size_average is None or size_average
            reduced = reduce is None or reduce
            reduction = ("mean" if averaged else "sum") if reduced else "none"
        self.reduction = reduction


@layer
class _WeightedLoss(_Loss):
    """What losses with a weight per class share."""

    __module__ = HOME

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


def _loss(name: str, function: str, base: type = _Loss) -> type:
    """Make a loss of input and target without arguments of its own."""

    def forward(self, input, target):
        options = {"weight": self.weight} if base is _WeightedLoss else {}
        return getattr(F, function)(input, target, **options, reduction=self.reduction)

    members = {"__doc__": f"`{function}`.", "__module__": HOME, "__constants__": ["reduction"], "forward": forward}
    return layer(type(name, (base,), members))


L1Loss = _loss("L1Loss", "l1_loss")
MSELoss = _loss("MSELoss", "mse_loss")
BCELoss = _loss("BCELoss", "binary_cross_entropy", _WeightedLoss)
MultiLabelMarginLoss = _loss("MultiLabelMarginLoss", "multilabel_margin_loss")
MultiLabelSoftMarginLoss = _loss("MultiLabelSoftMarginLoss", "multilabel_soft_margin_loss", _WeightedLoss)
SoftMarginLoss = _loss("SoftMarginLoss", "soft_margin_loss")


@layer
class NLLLoss(_WeightedLoss):
    """The negative log likelihood of classes."""

    __module__ = HOME
    __constants__ = ["ignore_index", "reduction"]

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input, target):
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


@layer
class NLLLoss2d(NLLLoss):
    """The former name of `NLLLoss` for images."""

    __module__ = HOME

    def __init__(self, weight=None, size_average=None, ignore_index=-100, reduce=None, reduction="mean"):
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


@layer
class CrossEntropyLoss(_WeightedLoss):
    """The cross entropy of logits."""

    __module__ = HOME
    __constants__ = ["ignore_index", "reduction", "label_smoothing"]

    def __init__(
        self,
        weight=None,
        size_average=None,
        ignore_index=-100,
        reduce=None,
        reduction="mean",
        label_smoothing=0.0,
    ):
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input, target):
        return F.cross_entropy(
            input,
            target,
            weight=self.weight,
            ignore_index=self.ignore_index,
            reduction=self.reduction,
            label_smoothing=self.label_smoothing,
        )


@layer
class PoissonNLLLoss(_Loss):
    """The negative log likelihood of counts."""

    __module__ = HOME
    __constants__ = ["log_input", "full", "eps", "reduction"]

    def __init__(self, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input, target):
        return F.poisson_nll_loss(
            log_input, target, log_input=self.log_input, full=self.full, eps=self.eps, reduction=self.reduction
        )


@layer
class GaussianNLLLoss(_Loss):
    """The negative log likelihood of a normal distribution."""

    __module__ = HOME
    __constants__ = ["full", "eps", "reduction"]

    def __init__(self, *, full=False, eps=1e-06, reduction="mean"):
        super().__init__(None, None, reduction)
        self.full = full
        self.eps = eps

    def forward(self, input, target, var):
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


@layer
class KLDivLoss(_Loss):
    """The divergence of two distributions."""

    __module__ = HOME
    __constants__ = ["reduction"]

    def __init__(self, size_average=None, reduce=None, reduction="mean", log_target=False):
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input, target):
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


@layer
class BCEWithLogitsLoss(_Loss):
    """Binary cross entropy of logits."""

    __module__ = HOME

    def __init__(self, weight=None, size_average=None, reduce=None, reduction="mean", pos_weight=None):
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input, target):
        return F.binary_cross_entropy_with_logits(
            input, target, self.weight, pos_weight=self.pos_weight, reduction=self.reduction
        )


@layer
class HingeEmbeddingLoss(_Loss):
    """A loss of distances that are similar or not."""

    __module__ = HOME
    __constants__ = ["margin", "reduction"]

    def __init__(self, margin=1.0, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input, target):
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


@layer
class SmoothL1Loss(_Loss):
    """Squared below `beta`, absolute above."""

    __module__ = HOME
    __constants__ = ["reduction"]

    def __init__(self, size_average=None, reduce=None, reduction="mean", beta=1.0):
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input, target):
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


@layer
class HuberLoss(_Loss):
    """Squared below `delta`, linear above."""

    __module__ = HOME
    __constants__ = ["reduction", "delta"]

    def __init__(self, reduction="mean", delta=1.0):
        if not isinstance(delta, (float, int, Unknown)):
            raise TypeFault(f"HuberLoss: delta must be a number, got {type(delta).__name__}", FaultCode.WRONG_TYPE)
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input, target):
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


def _margin_loss(name: str, function: str) -> type:
    """Make a loss of two inputs and a target with a margin."""

    def __init__(self, margin=0.0, size_average=None, reduce=None, reduction="mean"):
        _Loss.__init__(self, size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1, input2, target):
        return getattr(F, function)(input1, input2, target, margin=self.margin, reduction=self.reduction)

    members = {
        "__doc__": f"`{function}`.",
        "__module__": HOME,
        "__constants__": ["margin", "reduction"],
        "__init__": __init__,
        "forward": forward,
    }
    return layer(type(name, (_Loss,), members))


CosineEmbeddingLoss = _margin_loss("CosineEmbeddingLoss", "cosine_embedding_loss")
MarginRankingLoss = _margin_loss("MarginRankingLoss", "margin_ranking_loss")


@layer
class MultiMarginLoss(_WeightedLoss):
    """A hinge loss of classes."""

    __module__ = HOME
    __constants__ = ["p", "margin", "reduction"]

    def __init__(self, p=1, margin=1.0, weight=None, size_average=None, reduce=None, reduction="mean"):
        super().__init__(weight, size_average, reduce, reduction)
        if certain(lambda: p != 1 and p != 2):
            raise ArgumentFault(f"MultiMarginLoss: p must be 1 or 2, got {p}", FaultCode.INVALID_ARGUMENT)
        if weight is not None and rank(weight) not in (None, 1):
            raise ArgumentFault(f"MultiMarginLoss: weight must be 1D, got {rank(weight)}D", FaultCode.WRONG_RANK)
        self.p = p
        self.margin = margin

    def forward(self, input, target):
        return F.multi_margin_loss(
            input, target, p=self.p, margin=self.margin, weight=self.weight, reduction=self.reduction
        )


def _require_margin(name: str, margin: Any) -> None:
    if certain(lambda: margin <= 0):
        raise ArgumentFault(f"{name}: margin must be greater than 0, got {margin}", FaultCode.INVALID_ARGUMENT)


@layer
class TripletMarginLoss(_Loss):
    """An anchor nearer to one sample than to another."""

    __module__ = HOME
    __constants__ = ["margin", "p", "eps", "swap", "reduction"]

    def __init__(self, margin=1.0, p=2.0, eps=1e-06, swap=False, size_average=None, reduce=None, reduction="mean"):
        super().__init__(size_average, reduce, reduction)
        _require_margin("TripletMarginLoss", margin)
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor, positive, negative):
        return F.triplet_margin_loss(
            anchor,
            positive,
            negative,
            margin=self.margin,
            p=self.p,
            eps=self.eps,
            swap=self.swap,
            reduction=self.reduction,
        )


@layer
class TripletMarginWithDistanceLoss(_Loss):
    """`TripletMarginLoss` by a distance of one's own."""

    __module__ = HOME
    __constants__ = ["margin", "swap", "reduction"]

    def __init__(self, *, distance_function=None, margin=1.0, swap=False, reduction="mean"):
        super().__init__(size_average=None, reduce=None, reduction=reduction)
        _require_margin("TripletMarginWithDistanceLoss", margin)
        self.distance_function = PairwiseDistance() if distance_function is None else distance_function
        self.margin = margin
        self.swap = swap

    def forward(self, anchor, positive, negative):
        return F.triplet_margin_with_distance_loss(
            anchor,
            positive,
            negative,
            distance_function=self.distance_function,
            margin=self.margin,
            swap=self.swap,
            reduction=self.reduction,
        )


@layer
class CTCLoss(_Loss):
    """The connectionist temporal classification loss."""

    __module__ = HOME
    __constants__ = ["blank", "reduction"]

    def __init__(self, blank=0, reduction="mean", zero_infinity=False):
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs, targets, input_lengths, target_lengths):
        return F.ctc_loss(
            log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction, self.zero_infinity
        )
