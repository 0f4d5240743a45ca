"""`LinearCrossEntropyLoss`: a classifier and its loss in one."""

from __future__ import annotations

import dataclasses
from typing import Any

from cutaway.core.fault import Fault
from cutaway.core.fault_code import FaultCode
from cutaway.core.size.dim import product
from cutaway.knowledge.base.registry import KnownModule, row
from cutaway.knowledge.torch.nn.linear import Linear
from cutaway.knowledge.torch.nn.loss import _WeightedLoss
from cutaway.knowledge.torch.nn.module import layer
from cutaway.knowledge.torch.nn.weights import certain, rank, unequal

F = KnownModule("torch.nn.functional")
_OPTIONS = "torch.nn.modules.linear_cross_entropy_options"


@row(*(f"{home}.LinearCrossEntropyOptions" for home in ("torch.nn", "torch.nn.modules", _OPTIONS)))
@dataclasses.dataclass(frozen=True)
class LinearCrossEntropyOptions:
    """How `linear_cross_entropy` splits its work; it changes no shape."""

    allow_retain_graph: bool = False
    batch_chunk_size: Any = None
    chunking_method: Any = "auto"
    acc_policy: Any = "auto"
    acc_dtype: Any = None


LinearCrossEntropyOptions.__module__ = _OPTIONS


@layer
class LinearCrossEntropyLoss(_WeightedLoss):
    """A linear map and the cross entropy of its output."""

    __module__ = "torch.nn.modules.loss"
    __constants__ = ["num_classes", "out_features", "reduction", "ignore_index", "label_smoothing"]

    def __init__(
        self,
        in_features,
        num_classes,
        *,
        out_features=(),
        bias=False,
        device=None,
        dtype=None,
        reduction="mean",
        weight=None,
        ignore_index=None,
        label_smoothing=0.0,
        options=None,
    ):
        if rank(weight) not in (None, 1) or (rank(weight) == 1 and unequal(weight.shape[0], num_classes)):
            raise Fault(
                f"LinearCrossEntropyLoss: weight has shape ({', '.join(map(str, weight.shape))}), "
                f"but expected ({num_classes},)",
                FaultCode.SHAPE_MISMATCH,
            )
        if certain(lambda: label_smoothing < 0 or label_smoothing > 1.0):
            raise Fault(
                f"LinearCrossEntropyLoss: label_smoothing must be between 0 and 1, got {label_smoothing}",
                FaultCode.INVALID_ARGUMENT,
            )
        super().__init__(weight=weight, size_average=None, reduce=None, reduction=reduction)
        self.num_classes = num_classes
        self.out_features = out_features
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing
        self.linear = Linear(in_features, num_classes * product(out_features), bias=bias, device=device, dtype=dtype)
        self.options = options

    def forward(self, input, target):
        classes = (self.num_classes, *self.out_features)
        bias = self.linear.bias
        return F.linear_cross_entropy(
            input,
            self.linear.weight.reshape((*classes, self.linear.in_features)),
            target,
            linear_bias=None if bias is None else bias.reshape(classes),
            weight=self.weight,
            reduction=self.reduction,
            ignore_index=self.ignore_index,
            label_smoothing=self.label_smoothing,
            options=self.options,
        )
